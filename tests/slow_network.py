"""The slow, obvious twin of the core's forward pass: f_θ in numpy, one equation a line."""

from __future__ import annotations

import numpy as np

from neurocross.predictor.spec import Architecture


def shapes(arch: Architecture) -> dict[str, tuple[int, ...]]:
    """Every tensor of an architecture."""
    C, fn, fe, c, q = arch.hidden, arch.node_features, arch.edge_features, arch.triangles, arch.quadrants
    found: dict[str, tuple[int, ...]] = {}

    def mlp(name: str, inputs: int, outputs: int, depth: int) -> None:
        widths = [inputs, *[C] * (depth - 1), outputs]
        for k in range(depth):
            found[f"{name}.linear.{k}.weight"] = (widths[k + 1], widths[k])
            found[f"{name}.linear.{k}.bias"] = (widths[k + 1],)

    for name, width in (("embed_nodes", fn), ("embed_edges", fe)):
        found[f"{name}.weight"], found[f"{name}.bias"] = (C, width), (C,)
    for k in range(arch.layers):
        mlp(f"layers.{k}.phi_e", 3 * C + fe + c + q, C, arch.edge_depth)
        mlp(f"layers.{k}.phi_w", 3 * C + fe + c + q, arch.heads, arch.edge_depth)
        mlp(f"layers.{k}.phi_n", 2 * C, C, arch.node_depth)
        if c:
            mlp(f"layers.{k}.triangle", C, 2 * c, 1)
        if q:
            mlp(f"layers.{k}.quadrant", C, q, 1)
        if arch.residual:
            for which in ("edges", "nodes"):
                found[f"layers.{k}.norm_{which}.weight"] = found[f"layers.{k}.norm_{which}.bias"] = (C,)
    node, edge = (C + fn, C + fe) if arch.skip else (C, C)
    mlp("phi_c", 4 * node + 4 * edge, len(arch.objectives), arch.head_depth)
    return found


def random_tensors(arch: Architecture, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Weights of a size at which every layer matters."""
    return {
        name: (rng.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)
        for name, shape in shapes(arch).items()
    }


def predict(
    arch: Architecture, tensors: dict[str, np.ndarray], nodes: np.ndarray, edges: np.ndarray, n1: int
) -> np.ndarray:
    """ŷ*(a1, a2) for all start pairs, (n1+1, n2+1, objectives)."""
    t = {name: tensor.astype(float) for name, tensor in tensors.items()}
    x, xe, N, N1 = nodes.astype(float), edges.astype(float), len(nodes), n1 + 2

    def mlp(name: str, h: np.ndarray, depth: int) -> np.ndarray:
        for k in range(depth):
            h = h @ t[f"{name}.linear.{k}.weight"].T + t[f"{name}.linear.{k}.bias"]
            if k + 1 < depth:
                h = h * np.tanh(np.logaddexp(0.0, h))  # Mish
        return h

    def norm(name: str, h: np.ndarray) -> np.ndarray:
        h = (h - h.mean(axis=-1, keepdims=True)) / np.sqrt(h.var(axis=-1, keepdims=True) + 1e-5)
        return h * t[f"{name}.weight"] + t[f"{name}.bias"]

    h = x @ t["embed_nodes.weight"].T + t["embed_nodes.bias"]
    e = xe @ t["embed_edges.weight"].T + t["embed_edges.bias"]
    for k in range(arch.layers):
        layer = f"layers.{k}"
        everything = [np.repeat(h[:, None], N, axis=1), np.repeat(h[None], N, axis=0), e, xe]
        if arch.triangles:
            u, v = np.split(np.clip(4 * mlp(f"{layer}.triangle", e, 1), -15, 15), 2, axis=-1)
            through = u[:, :, None] + v[None]  # (i, j, k, channel)
            everything.append(np.log(np.exp(through).sum(axis=1)) / 4)
        if arch.quadrants:
            later = np.exp(np.clip(4 * mlp(f"{layer}.quadrant", e, 1), -15, 15))
            sums = np.zeros_like(later)
            for i in range(N):
                for k2 in range(N):
                    after_i = range(i + 1, N1 if i < N1 else N)
                    after_k = range(k2 + 1, N1 if k2 < N1 else N)
                    sums[i, k2] = sum(later[j, m] for j in after_i for m in after_k)
            everything.append(np.log(sums + 1e-13) / 4)
        inputs = np.concatenate(everything, axis=-1)
        e_new = mlp(f"{layer}.phi_e", inputs, arch.edge_depth)
        if arch.residual:
            e_new = norm(f"{layer}.norm_edges", e + e_new)
        z = np.exp(mlp(f"{layer}.phi_w", inputs, arch.edge_depth)) * (1 - np.eye(N))[..., None]
        w = np.repeat(z / z.sum(axis=1, keepdims=True), arch.hidden // arch.heads, axis=-1)
        h_new = mlp(f"{layer}.phi_n", np.concatenate([h, (w * e_new).sum(axis=1)], axis=-1), arch.node_depth)
        h, e = norm(f"{layer}.norm_nodes", h + h_new) if arch.residual else h_new, e_new
    if arch.skip:
        h, e = np.concatenate([h, x], axis=-1), np.concatenate([e, xe], axis=-1)
    answer = np.empty((N1 - 1, N - N1 - 1, len(arch.objectives)))
    for a1 in range(N1 - 1):
        for k in range(N - N1 - 1):
            a2, link = N1 + k, 0 if arch.cuts else 1
            looked_at = [
                h[a1],
                h[a1 + 1],
                h[a2],
                h[a2 + 1],
                e[a1, a2 + link],
                e[a2, a1 + link],
                e[a1, a1 + 1],
                e[a2, a2 + 1],
            ]
            answer[a1, k] = mlp("phi_c", np.concatenate(looked_at), arch.head_depth)
    return answer
