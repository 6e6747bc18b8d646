"""How what changed is searched; the numbers of walks are those that CHANGE found best."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting, share

LINK_WEIGHTS = ("new", "hosts", "equal")
RANKS = ("new-text", "none", "pagerank", "hits-authority", "hits-hub", "hits", "combined")

_restart = ("above 0 and at most 1", lambda value: 0 < value <= 1)
_above = ("above 0", lambda value: value > 0)
_tolerance = ("at least 1e-15", lambda value: value >= 1e-15)


@dataclass(frozen=True, kw_only=True)
class ChangesSettings(Settings):
    """How what changed is searched."""

    rank: str = setting(
        "new-text",
        f"How candidates are ranked: {', '.join(RANKS)}; `new-text` multiplies BM25 by the share of new "
        "words, `none` is the paper's mix of text and change, `hits` the mean of authorities and hubs, "
        "`combined` that of PageRank and authorities.",
        check=one_of(*RANKS),
    )
    matches_first: bool = setting(
        True, "Rank pages that match the query before pages that were reached by links alone."
    )
    seeds: int = setting(100, "Pages that match best, with which it begins.", check=positive)
    matches: int = setting(
        400, "Pages that match best, of which `new-text` chooses its seeds; at least `seeds`.", check=positive
    )
    expansion: int = setting(
        100, "Upper limit of neighbours of the seeds that are added.", check=not_negative
    )
    novelty_half: float = setting(
        0.2,
        "Share of new words at which `new-text` gives about half of the score of a new page; smaller values "
        "treat changed pages more like new ones.",
        check=_above,
    )
    words_per_link: float = setting(
        10.0,
        "Words that each link beyond the median of its host counts for, in `new-text`: lowers pages that are "
        "lists of links; 0 does not.",
        check=not_negative,
    )
    alpha: float = setting(
        0.5,
        "Weight of text in p(u), between 0 and 1; the rest is change. Not used by `new-text`.",
        check=share,
    )
    saturation: float = setting(
        10.0, "Change at which its part of p(u) is half of the largest.", check=positive
    )
    link_weights: str = setting(
        "new",
        "Weight of a link in walks: with `hosts` all links of a host to a page count as one, with `new` "
        "links that were there before also count `old_links`; `equal` is the paper's choice.",
        check=one_of(*LINK_WEIGHTS),
    )
    old_links: float = setting(
        0.0625, "Weight of a link that was there before, where a new one has 1; for `new`.", check=share
    )
    restart: float = setting(0.9, "Probability that the walk of PageRank restarts.", check=_restart)
    supersource: float = setting(
        200.0, "What the supersource of HITS gives in each pass.", check=not_negative
    )
    tolerance: float = setting(1e-9, "How exactly walks are found.", check=_tolerance)
    top: int = setting(15, "Answers that are shown.", check=positive, option="limit")
