"""The home page: what a collection is, what changed last, and where to go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.errors import MissingError
from webstrata.serve.page.crawl import find_crawl
from webstrata.serve.page.site import find_movements
from webstrata.serve.page.view import PageView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.serve.page.site import Site

TOP = 8


def show_home(site: Site) -> PageView:
    """The snapshots with their pages, hosts and changes, the most important pages, and what is stale.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_home(Site(testing.collection(), "uk"))
    >>> [(row["date"], row["pages"], row["new"]) for row in view.rows]
    [('2026-04', 13, None), ('2026-05', 13, 1), ('2026-06', 15, 2)]
    """
    collection = site.collection
    missing = []
    movements: dict[str, Any] = {}
    try:
        movements = site.keep("movements", find_movements)
    except MissingError:  # not built, or not since the pages changed
        if site.dates:
            missing.append(site.lacks("Search and what changed", "text_index"))
    rows: list[dict[str, Any]] = []
    for mark in site.marks():
        record = {one.name: one for one in collection[mark.date].parts}
        moved = movements.get(mark.date)
        graph = record.get("graph")
        rows.append(
            {
                "date": mark.date,
                "pages": mark.count,
                "captures": int(record["captures"].counts.get("captures", 0))
                if "captures" in record
                else None,
                "links": int(graph.counts.get("arcs", 0)) if graph else None,
                "hosts": _count_hosts(site, mark.date) if graph else None,
                "new": moved.new if moved else None,
                "changed": moved.changed if moved else None,
                "gone": moved.gone if moved else None,
            }
        )
    last = movements.get(rows[-1]["date"]) if rows else None
    hosts = [
        {"host": host, "new": new, "changed": changed, "gone": gone}
        for host, new, changed, gone in (last.hosts if last else ())
    ]
    top = list_top(site)
    if rows and not top:
        missing.append(site.lacks("Ranks of pages", "rank-pagerank"))
    states = site.keep("states", lambda opened: opened.states())
    crawl = find_crawl(site)
    facts = {
        "collection": collection.title,
        "snapshots": len(rows),
        "pages": _count_pages(site),
        "captures": sum(row["captures"] or 0 for row in rows),
        "hosts": rows[-1]["hosts"] if rows else None,
        "changed_hosts": hosts,
        "top": top,
        "lowest": max((rank for one in top for rank in one["trajectory"] if rank), default=1),
        "stale": sorted(name.strip("/") for name, state in states.items() if state.is_stale),
        "parts": len(states),
        "crawl": crawl,
    }
    marks = [
        replace(mark, new=row["new"], changed=row["changed"], gone=row["gone"])
        for mark, row in zip(site.marks(), rows, strict=True)
    ]
    is_live = crawl is not None and crawl["state"] != "ended"
    return PageView(
        "home",
        collection.title,
        Action.on(collection, "show"),
        rows,
        facts=facts,
        missing=missing,
        marks=marks,
        is_live=is_live,
    )


def _count_pages(site: Site) -> int:
    """Different URLs in all snapshots, or those of the last one where the union is not built."""
    collection = site.collection
    if "temporal" in collection.parts:
        return int(collection.parts.record("temporal").counts.get("nodes", 0))
    marks = site.marks()
    return marks[-1].count if marks else 0


def _count_hosts(site: Site, date: str) -> int | None:
    def count(collection: Any) -> int | None:  # noqa: ANN401
        from webstrata.errors import WebstrataError

        try:
            return int(collection[date].host_graph.num_nodes)
        except WebstrataError:
            return None

    return site.keep(("hosts", date), count)


def list_top(
    site: Site, at: str | None = None, number: int = TOP, method: str = "pagerank"
) -> list[dict[str, Any]]:
    """The pages of the first ranks, each with its ranks in all snapshots, oldest first.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> first = list_top(Site(testing.collection(), "uk"))[0]
    >>> first["rank"], first["url"], first["trajectory"]
    (1, 'http://reef.example/', [4, 2, 1])
    """
    dates = [date for date in site.dates if site.ranking(date, method) is not None]
    if not dates:
        return []
    chosen = site.snapshot(at).date
    if chosen not in dates:
        return []
    ranking = site.ranking(chosen, method)
    assert ranking is not None
    rows = []
    places = ranking.top(number)
    urls = [place.name or f"node {place.node}" for place in places]
    trajectories = zip(*(find_ranks(site, date, urls, method) for date in dates), strict=True)
    for place, url, ranks in zip(places, urls, trajectories, strict=True):
        trajectory = list(ranks)
        position = dates.index(chosen)
        before = trajectory[position - 1] if position else None
        rows.append(
            {
                "rank": place.rank,
                "url": url,
                "score": place.score,
                "before": before,
                "trajectory": trajectory,
                "dates": dates,
            }
        )
    return rows


def find_rank(site: Site, date: str, name: str, method: str = "pagerank", level: str = "page") -> int | None:
    """The rank of a page, host or domain in a snapshot; none where it has none.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_rank(Site(testing.collection(), "uk"), "2026-06", "http://news.example/storm")
    2
    """
    return find_ranks(site, date, [name], method, level)[0]


def find_ranks(
    site: Site, date: str, names: Sequence[str], method: str = "pagerank", level: str = "page"
) -> list[int | None]:
    """The ranks of pages, hosts or domains in a snapshot, all looked up at once; none where one has none.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_ranks(Site(testing.collection(), "uk"), "2026-06", ["http://news.example/storm", "http://a.org/"])
    [2, None]
    """
    ranking, graph = site.ranking(date, method, level), site.ranked_graph(date, method, level)
    if ranking is None or graph is None or not names:
        return [None] * len(names)
    if level == "page":
        nodes = site.collection[date].connectivity.nodes(list(names)).tolist()
    else:
        places = number_names(site, date, level)
        nodes = [places.get(name.lower(), -1) for name in names]
    return [int(ranking.ranks[node]) if 0 <= node < len(ranking.ranks) else None for node in nodes]


def number_names(site: Site, date: str, level: str) -> dict[str, int]:
    """The nodes of the hosts or domains of a snapshot by their names.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> number_names(Site(testing.collection(), "uk"), "2026-06", "host")["garden.example"]
    0
    """

    def number(collection: Collection) -> dict[str, int]:
        graph = collection[date].host_graph if level == "host" else collection[date].domain_graph
        return {name: node for node, name in enumerate(graph.names)}

    return site.keep(("places", date, level), number)
