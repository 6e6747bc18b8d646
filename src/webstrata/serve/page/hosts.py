"""The pages about hosts: a list with ranks, pages and scores, and one page per host with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Path, Query

from webstrata.collection.action import Action
from webstrata.serve.page.home import find_rank, find_ranks
from webstrata.serve.page.labels import find_kinds, read_sheet
from webstrata.serve.page.scores import explain_host, find_scores
from webstrata.serve.page.search import Cursor, Date
from webstrata.serve.page.view import PageView, paginate
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.serve.page.site import Site

SIZE = 50
PAGES = 12
Sort = Literal["pages", "name", "rank", "score", "inlinks"]


def show_hosts(
    site: Site,
    *,
    q: Annotated[str, Query(max_length=253, description="Part of a host's name.")] = "",
    sort: Annotated[Sort, Query(description="The order of rows.")] = "pages",
    at: Date = None,
    cursor: Cursor = None,
) -> PageView:
    """The hosts of a snapshot: pages, links, rank, label, and the score of each model.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_hosts(Site(testing.collection(), "uk"), sort="name")
    >>> [(row["host"], row["pages"], row["inlinks"]) for row in view.rows][:2]
    [('garden.example', 3, 1), ('kitchen.example', 3, 2)]
    """
    snapshot = site.snapshot(at or None)
    view = PageView("hosts", "Hosts", Action.on(snapshot, "rank", level="host"))
    view.facts = {
        "q": q, "sort": sort, "at": at or None, "snapshot": snapshot.date, "total": 0, "tasks": [],
        "labelled": 0, "is_ranked": False,
    }  # fmt: skip
    if "graph" not in snapshot.parts:
        view.missing.append(site.lacks("Hosts", "graph", snapshot=snapshot.date))
        return view
    rows = [
        dict(row)
        for row in site.keep(("host rows", snapshot.date), lambda opened: _list_rows(opened, snapshot.date))
    ]
    scores, note = find_scores(site, snapshot.date)
    if note:
        view.facts["note"] = note
    labels = read_sheet(site.collection)
    ranks = find_ranks(site, snapshot.date, [row["host"] for row in rows], level="host")
    for row, rank in zip(rows, ranks, strict=True):
        row["rank"] = rank
        row["scores"] = {task: found.get(row["host"]) for task, found in scores.items()}
        row["label"] = labels.get(row["host"], "")
    is_ranked = any(rank is not None for rank in ranks)
    if rows and not is_ranked:
        view.missing.append(site.lacks("Ranks of hosts", "rank-pagerank-host", snapshot=snapshot.date))
    view.facts |= {"tasks": list(scores), "labelled": len(labels), "is_ranked": is_ranked}
    if q.strip():
        rows = [row for row in rows if q.strip().lower() in row["host"]]
    first = next(iter(scores), "")
    rows.sort(key=lambda row: _sort_key(row, sort, first))
    view.facts["total"] = len(rows)
    view.rows, view.next = paginate(rows, cursor, SIZE)
    return view


def _sort_key(row: dict[str, Any], sort: str, task: str) -> tuple[Any, ...]:
    if sort == "name":
        return (row["host"],)
    if sort == "rank":
        return (row["rank"] is None, row["rank"] or 0, row["host"])
    if sort == "score":
        score = row["scores"].get(task)
        return (score is None, -(score or 0.0), row["host"])
    return (-row[sort], row["host"])


def _list_rows(collection: Collection, date: str) -> list[dict[str, Any]]:
    import numpy as np

    graph = collection[date].host_graph
    offsets, targets = graph.rows()
    sources = np.repeat(np.arange(graph.num_nodes), np.diff(offsets).astype(np.int64))
    is_other = sources != targets  # links inside a host say nothing about others
    out, into = (np.bincount(ends[is_other], minlength=graph.num_nodes) for ends in (sources, targets))
    return [
        {"host": host, "pages": int(pages), "inlinks": int(inlinks), "outlinks": int(outlinks)}
        for host, pages, inlinks, outlinks in zip(graph.names, graph.pages, into, out, strict=True)
    ]


def show_host(
    site: Site, host: Annotated[str, Path(description="The name of the host.")], *, at: Date = None
) -> PageView:
    """A host: its pages, its ranks through time, who links to it, its scores and the reasons for them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_host(Site(testing.collection(), "uk"), "garden.example")
    >>> [row["url"] for row in view.rows]
    ['http://garden.example/', 'http://garden.example/tomatoes', 'http://garden.example/pond']
    """
    host = host.lower()
    snapshot = site.snapshot(at or None)
    if "graph" not in snapshot.parts:
        raise Refusal(404, f"{snapshot.date} has no graph, so nothing is known about hosts")
    graph = snapshot.host_graph
    node = graph.get(host)
    if node is None:
        raise Refusal(404, f"{host} is not among the hosts of {snapshot.date}", nearest=graph.nearest(host))
    nodes = snapshot.urls.host(host)
    ranking = site.ranking(snapshot.date)
    places = list(nodes)[:5000]
    if ranking is not None:
        places.sort(key=lambda one: int(ranking.ranks[one]))
    view = PageView("host", host, _list_captures(site, host))
    view.rows = [
        {"url": snapshot.urls[one], "rank": int(ranking.ranks[one]) if ranking is not None else None}
        for one in places[:PAGES]
    ]
    view.facts = {
        "host": host,
        "at": at or None,
        "snapshot": snapshot.date,
        "pages": len(nodes),
        "history": _count_through_time(site, host),
        "label": read_sheet(site.collection).get(host, ""),
        "kinds": find_kinds(site),
        "scores": explain_host(site, snapshot.date, host),
    }
    view.unit = "pages"
    view.marks = site.marks({one["date"]: one["pages"] for one in view.facts["history"]}, {snapshot.date})
    return view


def _list_captures(site: Site, host: str) -> Action:
    call = f"ls({host!r}, match='host')"
    return Action("ls", str(site.collection.path), words=(host,), options={"host": True}, python=call)


def _count_through_time(site: Site, host: str) -> list[dict[str, Any]]:
    rows = []
    for date in site.dates:
        snapshot = site.collection[date]
        number = len(snapshot.urls.host(host)) if "urls" in snapshot.parts else 0
        rows.append({"date": date, "pages": number, "rank": find_rank(site, date, host, level="host")})
    return rows
