"""How the spectrum of a graph is found."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting
from webstrata.rank.settings import LEVELS

DEFAULT_DIMENSION = 1000
"""Default upper limit for an n_A that is chosen by residuals."""
FIRST_DIMENSION = 250
"""The n_A it begins with; it is doubled from there."""

_bound = ("above 0 and at most 1", lambda value: 0 < value <= 1)
_tolerance = ("between 1e-14 and 0.01", lambda value: 1e-14 <= value <= 0.01)
_block = ("between 1 and 64", lambda value: 1 <= value <= 64)


@dataclass(frozen=True, kw_only=True)
class SpectrumSettings(Settings):
    """How the spectrum of the Google matrix at α = 1 is found."""

    level: str = setting(
        "page", "Of which graph: that of a `page`, `host` or `domain` a node.", check=one_of(*LEVELS)
    )
    inverse: bool = setting(False, "Turn all arcs round: the spectrum of G*, to which CheiRank belongs.")
    arnoldi: int = setting(
        0,
        "n_A, the dimension of Arnoldi's method on the core; 0: chosen by residuals, see `converge`, or all "
        "of a core that is smaller than `arnoldi_limit`.",
        check=not_negative,
    )
    converge: int = setting(
        50,
        f"Leading eigenvalues of the core whose residuals must reach `target`: n_A is doubled, from "
        f"{FIRST_DIMENSION}, until they do or `arnoldi_limit` is reached; 0: n_A is `arnoldi_limit`.",
        check=not_negative,
    )
    target: float = setting(1e-6, "Residual at which n_A is large enough.", check=_tolerance)
    arnoldi_limit: int = setting(
        DEFAULT_DIMENSION, "Upper limit for an n_A that is chosen by residuals.", check=positive
    )
    bound: float = setting(
        0.1, "Share of all nodes that a closed set must stay below to be a subspace.", check=_bound
    )
    tolerance: float = setting(
        1e-9, "How near to 1, or to the circle, an eigenvalue must be to count as there.", check=_tolerance
    )
    wanted: int = setting(
        0,
        "Leading eigenvalues of the core that must be found: the method starts again with the best of its "
        "n_A vectors until they are; 0 for one run.",
        check=not_negative,
    )
    residual: float = setting(1e-8, "When an eigenvalue that is wanted counts as found.", check=_tolerance)
    vectors: int = setting(10, "Leading eigenvectors of the core that are told about.", check=not_negative)
    pages: int = setting(200, "Nodes of each eigenvector that are kept, the largest.", check=positive)
    memory: int = setting(
        0,
        "Memory for the basis and all else; what is more goes to disk; 0 for three quarters of what is free.",
        unit="bytes",
        check=not_negative,
        resource=True,
    )
    compressed: bool = setting(
        False, "Read the arcs from the compressed graph in every product, in place of a matrix in memory."
    )
    block: int = setting(16, "Steps of Arnoldi's method that are made at once.", check=_block)
    seed: int = setting(0, "Chooses the vector that the method begins with.", check=not_negative)
