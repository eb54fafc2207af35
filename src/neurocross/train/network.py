"""f_θ, the cost-decrement prediction model, in torch. Equations and symbols are the paper's, section 3.2.

Shapes: one graph of N = N1 + N2 nodes (start depot, cities, end depot of each tour), hidden width C. A start
pair (a1, a2) cuts after node a1 of tour 1 and after node a2 of tour 2.

One graph at a time: its edges fit the cache, and nothing is padded. On one core that was faster than batches
of eight padded graphs of similar size, by four times without compilation.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from neurocross.predictor.features import AFTER
from neurocross.predictor.spec import Architecture

REACH = 15.0
"""Largest |u_ij| and |v_jk| of the triangles."""

SHARPNESS = 4.0
"""Of their soft maximum at first: t_ik = 1/4 log Σ_j exp 4(u_ij + v_jk)."""

NOTHING = 1e-13
"""What a sum over no cut at all counts: less than any cut."""


def mish(x: Tensor) -> Tensor:
    """x·tanh(softplus(x)) with one exponential; above 20 it is x to the last bit of a float."""
    e = torch.exp(x.clamp(max=20.0))
    n = e * (e + 2.0)
    return x * (n / (n + 2.0))


class MLP(nn.Module):
    """Linear layers with Mish between. Its input is a concatenation of parts that is never made:

    W·[p; q; …] = W_p·p + W_q·q + …, so a part that belongs to a node is multiplied once a node, not once
    an edge.
    """

    def __init__(self, parts: list[int], hidden: int, outputs: int, depth: int, raw: int = -1) -> None:
        super().__init__()
        self.parts, self.raw, self.coarse = parts, raw, False
        widths = [sum(parts), *[hidden] * (depth - 1), outputs]
        self.linear = nn.ModuleList(nn.Linear(i, o) for i, o in pairwise(widths))

    def forward(self, *parts: Tensor) -> Tensor:
        """Parts broadcast against each other in all but their last dimension."""
        first = self.linear[0]
        weights = torch.split(first.weight, self.parts, dim=1)
        products = [
            nn.functional.linear(part, weight) if number == self.raw else self.product(part, weight)
            for number, (part, weight) in enumerate(zip(parts, weights, strict=True))
        ]
        h = sum(products[1:], products[0]) + first.bias
        for layer in self.linear[1:]:
            h = self.product(mish(h), layer.weight) + layer.bias
        return h

    def product(self, x: Tensor, weight: Tensor) -> Tensor:
        """x·Wᵀ; when `coarse`, in 16 bits: 4 times faster, good enough to learn by, but for raw features."""
        if self.coarse:
            return nn.functional.linear(x.bfloat16(), weight.bfloat16()).float()
        return nn.functional.linear(x, weight)


class AttentiveLayer(nn.Module):
    """One embedding layer: h'_ij, z_ij, w_ij, h'_i."""

    def __init__(self, arch: Architecture) -> None:
        super().__init__()
        C, raw = arch.hidden, 3
        parts = [C, C, C, arch.edge_features, *filter(None, [arch.triangles, arch.quadrants])]
        self.heads, self.residual = arch.heads, arch.residual
        self.triangles, self.quadrants = arch.triangles, arch.quadrants
        self.phi_e = MLP(parts, C, C, arch.edge_depth, raw)
        self.phi_w = MLP(parts, C, arch.heads, arch.edge_depth, raw)
        self.phi_n = MLP([C, C], C, C, arch.node_depth)
        if arch.triangles:
            self.triangle = MLP([C], C, 2 * arch.triangles, 1)
        if arch.quadrants:
            self.quadrant = MLP([C], C, arch.quadrants, 1)
        if arch.residual:
            self.norm_edges, self.norm_nodes = nn.LayerNorm(C), nn.LayerNorm(C)

    def over_third(self, e: Tensor) -> Tensor:
        """t_ik = 1/4 log Σ_j exp 4(u_ij + v_jk), (N,N,c); the clamp keeps products within a float's range."""
        u, v = (
            (SHARPNESS * self.triangle(e)).clamp(-REACH, REACH).exp().permute(2, 0, 1).chunk(2)
        )  # (c,N,N) each
        return torch.log(u @ v).permute(1, 2, 0) / SHARPNESS

    def over_later(self, e: Tensor, after: Tensor) -> Tensor:
        """s_ik = 1/4 log Σ exp 4 q_jl over j after i, l after k, (N,N,c); after (N,N): is j after i."""
        q = (SHARPNESS * self.quadrant(e)).clamp(-REACH, REACH).exp().permute(2, 0, 1)  # (c,N,N)
        return torch.log(after @ q @ after.T + NOTHING).permute(1, 2, 0) / SHARPNESS

    def forward(self, h: Tensor, e: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        """h_i (N,C), h_ij (N,N,C), x_ij (N,N,·)."""
        N, C = h.shape
        hi, hj = h[:, None], h[None]  # (N,1,C), (1,N,C)
        parts = [hi, hj, e, x]
        if self.triangles:
            parts.append(self.over_third(e))
        if self.quadrants:
            parts.append(self.over_later(e, x[..., AFTER]))
        e_new = self.phi_e(*parts)  # (N,N,C)
        if self.residual:
            e_new = self.norm_edges(e + e_new)
        z = self.phi_w(*parts)  # (N,N,heads)
        w = torch.softmax(z - 1e9 * torch.eye(N)[..., None], dim=1)  # a node is not its own neighbour
        seen = (w[..., None] * e_new.view(N, N, self.heads, -1)).sum(dim=1).view(N, C)
        h_new = self.phi_n(h, seen)  # (N,C)
        if self.residual:
            h_new = self.norm_nodes(h + h_new)
        return h_new, e_new


class Network(nn.Module):
    """ŷ*(a1, a2; τ1, τ2) for all start pairs at once."""

    def __init__(self, arch: Architecture) -> None:
        super().__init__()
        self.arch = arch
        C, fn, fe = arch.hidden, arch.node_features, arch.edge_features
        self.embed_nodes, self.embed_edges = nn.Linear(fn, C), nn.Linear(fe, C)
        self.layers = nn.ModuleList(AttentiveLayer(arch) for _ in range(arch.layers))
        node, edge = (C + fn, C + fe) if arch.skip else (C, C)
        self.phi_c = MLP([node] * 4 + [edge] * 4, C, len(arch.objectives), arch.head_depth)

    def forward(self, nodes: Tensor, edges: Tensor, N1: int) -> Tensor:
        """x_i (N,·), x_ij (N,N,·), nodes of tour 1; ŷ* (N1-1, N2-1, objectives)."""
        h, e = self.embed_nodes(nodes), self.embed_edges(edges)
        for layer in self.layers:
            h, e = layer(h, e, edges)
        if self.arch.skip:
            h, e = torch.cat([h, nodes], dim=-1), torch.cat([e, edges], dim=-1)
        links = torch.diagonal(e, 1).T  # (N-1,·): h_{i,i+1}
        h1, h2 = h[:N1, None], h[None, N1:]
        if self.arch.cuts:  # (a1, a2), (a2, a1)
            added = e[: N1 - 1, N1:-1], e[N1:-1, : N1 - 1].transpose(0, 1)
        else:  # (a1, a2+1), (a2, a1+1)
            added = e[: N1 - 1, N1 + 1 :], e[N1:-1, 1:N1].transpose(0, 1)
        return self.phi_c(  # equation 11
            h1[:-1], h1[1:], h2[:, :-1], h2[:, 1:], *added, links[: N1 - 1, None], links[None, N1:]
        )

    def prepare_training(self) -> None:
        """Make passes fast: edge networks multiply in 16 bits; layers and φ_c are compiled for any size."""
        for layer in self.layers:
            for part in layer.children():
                if isinstance(part, MLP) and part is not layer.phi_n:
                    part.coarse = True
        for part in (*self.layers, self.phi_c):
            part.compile(dynamic=True)
