"""How what changed is searched; the defaults are those that CHANGE found best."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting, share

LINK_WEIGHTS = ("hosts", "equal")
RANKS = ("hits-authority", "hits-hub", "pagerank", "combined", "none")

_restart = ("above 0 and at most 1", lambda value: 0 < value <= 1)
_tolerance = ("at least 1e-15", lambda value: value >= 1e-15)


@dataclass(frozen=True, kw_only=True)
class ChangesSettings(Settings):
    """How what changed is searched."""

    rank: str = setting(
        "hits-authority",
        f"By what candidates are ranked: {', '.join(RANKS)}; `combined` is the mean of PageRank and "
        "authorities, `none` leaves them in the order of text and change.",
        check=one_of(*RANKS),
    )
    seeds: int = setting(100, "Pages that match best, with which it begins.", check=positive)
    expansion: int = setting(100, "Neighbours of these that are taken in.", check=not_negative)
    alpha: float = setting(0.5, "How much text counts; the rest is change.", check=share)
    saturation: float = setting(10.0, "The change that counts half as much as the largest.", check=positive)
    link_weights: str = setting(
        "hosts",
        "What a link counts in walks: by `hosts` all links of a host to a page count as one, `equal` is the "
        "paper's way.",
        check=one_of(*LINK_WEIGHTS),
    )
    restart: float = setting(0.9, "How likely the walk of PageRank begins anew.", check=_restart)
    supersource: float = setting(
        200.0, "What the supersource of HITS gives in each pass.", check=not_negative
    )
    tolerance: float = setting(1e-9, "How exactly walks are found.", check=_tolerance)
    top: int = setting(15, "Answers that are shown.", check=positive)
