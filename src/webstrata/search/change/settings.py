"""How what changed is searched; the numbers are those that CHANGE found best."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting, share

LINK_WEIGHTS = ("new", "hosts", "equal")
RANKS = ("hits", "combined", "hits-authority", "hits-hub", "pagerank", "none")

_restart = ("above 0 and at most 1", lambda value: 0 < value <= 1)
_tolerance = ("at least 1e-15", lambda value: value >= 1e-15)


@dataclass(frozen=True, kw_only=True)
class ChangesSettings(Settings):
    """How what changed is searched."""

    rank: str = setting(
        "hits",
        f"By what candidates are ranked: {', '.join(RANKS)}; `hits` is the mean of authorities and hubs, "
        "`combined` that of PageRank and authorities, `none` leaves them in the order of text and change.",
        check=one_of(*RANKS),
    )
    seeds: int = setting(100, "Pages that match best, with which it begins.", check=positive)
    expansion: int = setting(100, "Neighbours of these that are taken in.", check=not_negative)
    alpha: float = setting(0.5, "How much text counts; the rest is change.", check=share)
    saturation: float = setting(10.0, "The change that counts half as much as the largest.", check=positive)
    link_weights: str = setting(
        "new",
        "What a link counts in walks: by `hosts` all links of a host to a page count as one, by `new` those "
        "that came since also count more than those that were there; `equal` is the paper's way.",
        check=one_of(*LINK_WEIGHTS),
    )
    restart: float = setting(0.9, "How likely the walk of PageRank begins anew.", check=_restart)
    supersource: float = setting(
        200.0, "What the supersource of HITS gives in each pass.", check=not_negative
    )
    tolerance: float = setting(1e-9, "How exactly walks are found.", check=_tolerance)
    top: int = setting(15, "Answers that are shown.", check=positive)
