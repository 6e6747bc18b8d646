"""The ranks page: the first pages or hosts of a snapshot, with their ranks through time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Query

from webstrata.collection.action import Action
from webstrata.serve.page.home import find_ranks
from webstrata.serve.page.search import Cursor, Date
from webstrata.serve.page.view import PageView, read_cursor, write_cursor

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site

SIZE = 50
METHODS = ("pagerank", "cheirank", "2drank", "hits", "indegree", "trustrank", "antitrust")
LEVELS = ("page", "host", "domain")


def show_ranks(
    site: Site,
    *,
    method: Annotated[
        str, Query(max_length=20, pattern="^[a-z0-9-]*$", description="As `rank --method`.")
    ] = "",
    level: Annotated[Literal["page", "host", "domain"], Query(description="What is ranked.")] = "page",
    at: Date = None,
    cursor: Cursor = None,
) -> PageView:
    """The first ranks of a snapshot by a method, each with its ranks in all snapshots.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_ranks(Site(testing.collection(), "uk"))
    >>> [(row["rank"], row["name"]) for row in view.rows][0], view.facts["stored"]
    ((1, 'http://reef.example/'), ['pagerank'])
    """
    snapshot = site.snapshot(at or None)
    stored = find_methods(site, snapshot.date, level)
    method = method or (stored[0] if stored else "pagerank")
    view = PageView(
        "ranks",
        "Ranks",
        Action.on(snapshot, "rank", method=method, level=level if level != "page" else None),
    )
    view.facts = {
        "method": method, "level": level, "at": at or None, "snapshot": snapshot.date, "stored": stored,
        "levels": [one for one in LEVELS if one == level or find_methods(site, snapshot.date, one)],
        "total": 0, "dates": [],
    }  # fmt: skip
    ranking = site.ranking(snapshot.date, method, level)
    if ranking is None:
        suffix = "" if level == "page" else f"-{level}"
        what = f"Ranks of {level}s by {method} in {snapshot.date}"
        view.missing.append(site.lacks(what, f"rank-{method}{suffix}", snapshot=snapshot.date))
        return view
    dates = [date for date in site.dates if site.ranking(date, method, level) is not None]
    start = read_cursor(cursor)
    rows: list[dict[str, Any]] = []
    places = [ranking.place(int(node)) for node in ranking.order[start : start + SIZE].tolist()]
    names = [place.name or f"node {place.node}" for place in places]
    trajectories = zip(*(find_ranks(site, date, names, method, level) for date in dates), strict=True)
    for place, name, ranks in zip(places, names, trajectories, strict=True):
        trajectory = list(ranks)
        position = dates.index(snapshot.date)
        rows.append(
            {
                "rank": place.rank,
                "name": name,
                "score": place.score,
                "before": trajectory[position - 1] if position else None,
                "trajectory": trajectory,
            }
        )
    view.rows = rows
    view.next = write_cursor(start + SIZE) if start + SIZE < ranking.num_ranked else None
    lowest = max((rank for row in rows for rank in row["trajectory"] if rank), default=1)
    view.facts |= {"total": ranking.num_ranked, "dates": dates, "lowest": lowest}
    return view


def find_methods(site: Site, date: str, level: str = "page") -> list[str]:
    """Methods whose ranking of a snapshot is stored.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_methods(Site(testing.collection(), "uk"), "2026-06")
    ['pagerank']
    """
    suffix = "" if level == "page" else f"-{level}"
    names = {record.name for record in site.collection[date].parts}
    return [method for method in METHODS if f"rank-{method}{suffix}" in names]
