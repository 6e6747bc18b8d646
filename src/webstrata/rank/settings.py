"""How nodes are ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting

if TYPE_CHECKING:
    from collections.abc import Mapping

METHODS = (
    "pagerank",
    "cheirank",
    "2drank",
    "personalized",
    "trustrank",
    "truncated",
    "hits",
    "hubs",
    "harmonic",
    "degree",
    "outdegree",
)
LEVELS = ("page", "host", "domain")
PLANE = ("level", "alpha", "tolerance", "solver", "weighted", "compressed")
"""Settings of the plane of PageRank and CheiRank."""
WITH_PREFERENCE = ("personalized", "trustrank")
"""Methods that cannot do without one."""

USED: Mapping[str, tuple[str, ...]] = {
    "pagerank": ("alpha", "tolerance", "solver", "dangling", "weighted"),
    "cheirank": ("alpha", "tolerance", "solver", "dangling", "weighted"),
    "2drank": ("alpha", "tolerance", "solver", "dangling", "weighted"),
    "personalized": ("alpha", "tolerance", "solver", "dangling", "weighted"),
    "trustrank": ("alpha", "tolerance", "weighted"),
    "truncated": ("alpha", "tolerance", "weighted", "levels"),
    "hits": ("tolerance", "weighted", "supersource"),
    "hubs": ("tolerance", "weighted", "supersource"),
    "harmonic": ("registers", "runs"),
    "degree": ("weighted",),
    "outdegree": ("weighted",),
}
"""The settings that the scores of a method depend on."""

_probability = ("from 0 to 1", lambda value: 0 <= value <= 1)
_tolerance = ("at least 1e-15", lambda value: value >= 1e-15)
_power = ("a power of 2 from 16 on", lambda value: value >= 16 and value & (value - 1) == 0)
_runs = ("at least 2", lambda value: value >= 2)


@dataclass(frozen=True, kw_only=True)
class RankSettings(Settings):
    """By what nodes are ranked, and how exactly."""

    method: str = setting(
        "pagerank",
        f"By what: {', '.join(METHODS)}; `personalized` and `trustrank` need a preference, `hits` are "
        "authorities, `degree` counts arcs that lead to a node.",
        check=one_of(*METHODS),
    )
    level: str = setting(
        "page", "What is ranked: `page`, or `host` or `domain` by the weights of their arcs.",
        check=one_of(*LEVELS),
    )  # fmt: skip
    alpha: float = setting(
        0.85,
        "How likely the surfer follows a link; with 1 no bound of the error is known.",
        check=_probability,
    )
    tolerance: float = setting(
        1e-9, "How far all scores together may be from the true ones.", check=_tolerance
    )
    solver: str = setting(
        "gauss-seidel",
        "How PageRank is found; `gauss-seidel` takes about a quarter of the passes of `power`.",
        check=one_of("gauss-seidel", "power"),
    )
    dangling: str = setting(
        "uniform",
        "Where the surfer goes from a node without links: to all alike as in the paper, or by the "
        "`preference`.",
        check=one_of("uniform", "preference"),
    )
    weighted: bool = setting(True, "Whether the weights of arcs between hosts and domains count.")
    compressed: bool = setting(
        False, "Whether lists are decoded in every pass: a tenth of the bytes of rows, in more time."
    )
    levels: int = setting(2, "Up to which distance `truncated` leaves supporters out.", check=not_negative)
    supersource: float = setting(
        0.0, "What the supersource of `hits` and `hubs` gives in each pass, by preference.",
        check=not_negative,
    )  # fmt: skip
    registers: int = setting(64, "Registers of a counter of `harmonic`.", check=_power)
    runs: int = setting(4, "Runs that `harmonic` is the mean of.", check=_runs)
    persistence: float = setting(
        0.9,
        "How likely one who compares two orders goes on to the next rank, for rank-biased overlap.",
        check=("above 0 and below 1", lambda value: 0 < value < 1),
    )
    top: int = setting(50, "Nodes that are shown, or followed.", check=positive, option="limit")
