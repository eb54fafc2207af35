"""The architectures of the cost-decrement prediction model f_θ, by name."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from neurocross.errors import InputError

VERSION = 1
"""Of what the fields below mean; a weight file of another version is refused."""

LEAST = {
    "layers": 1,
    "hidden": 16,
    "edge_depth": 2,
    "node_depth": 2,
    "head_depth": 2,
    "heads": 1,
    "triangles": 0,
    "quadrants": 0,
}
"""Smallest sizes of an architecture."""

MOST = 1024
"""Largest of any of them."""


@dataclass(frozen=True)
class Architecture:
    """Sizes and form of f_θ. Equation numbers are the paper's."""

    features: str
    """What the network is told of nodes and edges: `paper` or `tours` (see `features.py`)."""
    layers: int = 5
    """H, attentive embedding layers."""
    hidden: int = 64
    """Width of every embedding and of every hidden layer."""
    edge_depth: int = 4
    """Linear layers of φ_e and φ_w."""
    node_depth: int = 4
    """Linear layers of φ_n."""
    head_depth: int = 4
    """Linear layers of φ_c."""
    heads: int = 1
    """Groups of channels of h'_ij, each with its own attention weight w_ij."""
    residual: bool = False
    """h' = LayerNorm(h + φ(…)) for nodes and edges, in place of h' = φ(…)."""
    triangles: int = 0
    """Channels of t_ik = 1/4 log Σ_j exp 4(u_ij + v_jk), u and v linear in h_ij and h_jk, which φ_e and φ_w
    then also see: the best way from i over some j to k. A soft minimum over where a segment ends is of that
    form, and plain attention, which weighs j without regard to k, is not."""
    quadrants: int = 0
    """Channels of s_ik = 1/4 log Σ exp 4 q_jl over all j after i and l after k in their tours, q linear in
    h_jl, which φ_e and φ_w also see: the best cut (j, l) that may end what a cut (i, k) begins."""
    skip: bool = False
    """φ_c also sees the raw features of its four nodes and four edges."""
    cuts: bool = False
    """Edge (i, k) stands for cutting after i and after k, so φ_c looks at (a1, a2) and (a2, a1), in place of
    the added links (a1, a2+1) and (a2, a1+1)."""
    objectives: tuple[str, ...] = ("minmax",)
    """One output of φ_c for each: the decrement under that objective."""

    def __post_init__(self) -> None:
        if self.features not in FEATURES:
            raise InputError(f"features '{self.features}' are unknown: use one of {', '.join(FEATURES)}")
        for name, least in LEAST.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= MOST:
                raise InputError(f"{name} must be a whole number from {least} to {MOST}, not {value!r}")
        for name in ("residual", "skip", "cuts"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} must be true or false, not {getattr(self, name)!r}")
        if self.hidden % 16 or self.hidden % self.heads or self.heads > 64:
            raise InputError(
                f"hidden must be a multiple of 16 and of at most 64 heads ({self.heads}), not {self.hidden}"
            )
        if self.quadrants and self.features != "tours":
            raise InputError("quadrants need the order of the tours, which only the features 'tours' tell")
        if not self.objectives or set(self.objectives) - {"minmax", "minsum"}:
            raise InputError(f"objectives of an architecture must be minmax or minsum, not {self.objectives}")

    @property
    def node_features(self) -> int:
        """Length of x_i."""
        return FEATURES[self.features][0]

    @property
    def edge_features(self) -> int:
        """Length of x_ij."""
        return FEATURES[self.features][1]

    def to_dict(self) -> dict[str, Any]:
        """As written to files."""
        return {"version": VERSION, **asdict(self), "objectives": list(self.objectives)}

    @classmethod
    def from_dict(cls, values: dict[str, Any], source: str = "an architecture") -> Architecture:
        """As read from a file, `source`; anything that is not known is refused."""
        values = dict(values)
        version = values.pop("version", None)
        if version != VERSION:
            raise InputError(
                f"{source} has architecture version {version!r}; this program knows version {VERSION}"
            )
        known = {field.name for field in fields(cls)}
        if set(values) - known or not {"features"} <= set(values):
            raise InputError(f"{source} describes no architecture this program knows: {sorted(values)}")
        try:
            return cls(**{**values, "objectives": tuple(values.get("objectives", ("minmax",)))})
        except (InputError, TypeError) as error:
            raise InputError(f"{source} describes no architecture this program knows: {error}") from None


FEATURES = {"paper": (3, 1), "tours": (10, 16)}
"""Lengths of x_i and x_ij of each set of features."""

ARCHITECTURES = {
    "paper": Architecture(features="paper"),
    "tours": Architecture(
        features="tours",
        layers=4,
        edge_depth=2,
        node_depth=2,
        heads=8,
        residual=True,
        triangles=16,
        quadrants=16,
        skip=True,
        cuts=True,
        objectives=("minmax", "minsum"),
    ),
}
"""`paper`: as written there, the reference. `tours`: the default; it sees order and lengths of the tours."""
