"""The graph page: the neighbourhood of a page or host at a date, as a list and as a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from fastapi import Query

from webstrata.collection.action import Action
from webstrata.errors import UrlError
from webstrata.serve.page import drawing
from webstrata.serve.page.home import find_ranks, list_top
from webstrata.serve.page.search import Cursor, Date
from webstrata.serve.page.view import PageView, paginate
from webstrata.web.server.answers import Refusal
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from webstrata.api import Snapshot
    from webstrata.serve.page.site import Site

DRAWN = 16
"""Neighbours that are drawn on each side."""
STEP = 26
SIZE = 100
MAX_LINKS = 10_000
WIDTH = 960


def show_graph(
    site: Site,
    *,
    of: Annotated[str, Query(max_length=2000, description="A URL or a host; default: the first page.")] = "",
    direction: Annotated[Literal["both", "out", "in"], Query(description="Which links to follow.")] = "both",
    at: Date = None,
    cursor: Cursor = None,
) -> PageView:
    """The pages or hosts that a page or host is linked with at a date, the most important first.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_graph(Site(testing.collection(), "uk"), of="reef.example")
    >>> view.facts["level"], [(row["name"], row["ways"]) for row in view.rows][:2]
    ('host', [('news.example', ['in', 'out']), ('kitchen.example', ['in', 'out'])])
    """
    snapshot = site.snapshot(at or None)
    view = PageView("graph", "Graph", Action.on(snapshot, "show"))
    view.facts = {
        "of": of, "at": at or None, "snapshot": snapshot.date, "level": "page", "direction": direction,
        "total": 0, "drawing": None, "name": of,
    }  # fmt: skip
    if "graph" not in snapshot.parts:
        view.missing.append(site.lacks("Links between pages and hosts", "graph", snapshot=snapshot.date))
        return view
    if not of.strip():
        top = list_top(site, snapshot.date, 1)
        if not top:
            view.missing.append(
                site.lacks("A first page to begin with", "rank-pagerank", snapshot=snapshot.date)
            )
            return view
        of = top[0]["url"]
    is_host = "/" not in of
    rows = (
        _list_hosts(site, snapshot, of.lower(), direction)
        if is_host
        else _list_pages(site, snapshot, of, direction)
    )
    level = "host" if is_host else "page"
    rows.sort(key=lambda row: (row["rank"] is None, row["rank"] or 0, -(row["links"] or 0), row["name"]))
    view.facts |= {
        "name": of,
        "level": level,
        "total": len(rows),
        "drawing": draw_neighbours(of, rows, level),
    }
    view.title = f"{of} – graph"
    view.rows, view.next = paginate(rows, cursor, SIZE)
    level_words = ", level='hosts'" if is_host else ""
    actions = [
        Action(
            "graph links",
            str(site.collection.path),
            snapshot.date,
            (of,),
            {"of": "hosts" if is_host else None, "in": way == "in" or None},
            f"graph_links({of!r}{level_words}{', inward=True' if way == 'in' else ''})",
        )
        for way in ("out", "in")
        if direction in ("both", way)
    ]
    view.action, view.also = actions[0], actions[1] if len(actions) > 1 else None
    return view


def _list_pages(site: Site, snapshot: Snapshot, url: str, direction: str) -> list[dict[str, Any]]:
    try:
        url = normalize(url)
    except UrlError as error:
        raise Refusal(422, str(error)) from None
    connectivity = snapshot.connectivity
    node = connectivity.get(url)
    if node is None:
        raise Refusal(
            404, f"{url} is not among the pages of {snapshot.date}", nearest=connectivity.nearest(url)
        )
    found: dict[str, list[str]] = {}
    for way in ("in", "out"):
        if direction in ("both", way):
            _, nodes = connectivity.links(np.array([node], np.int64), way)
            for other in connectivity.urls_of(nodes[:MAX_LINKS]).to_pylist():
                if other != url:
                    found.setdefault(other, []).append(way)
    ranks: dict[str, int | None] = {}
    if site.ranking(snapshot.date) is not None:
        ranks = dict(zip(found, find_ranks(site, snapshot.date, list(found)), strict=True))
    return [
        {"name": other, "ways": ways, "rank": ranks.get(other), "links": None}
        for other, ways in found.items()
    ]


def _list_hosts(site: Site, snapshot: Snapshot, host: str, direction: str) -> list[dict[str, Any]]:
    graph = snapshot.host_graph
    node = graph.get(host)
    if node is None:
        raise Refusal(404, f"{host} is not among the hosts of {snapshot.date}", nearest=graph.nearest(host))
    found: dict[int, dict[str, int]] = {}
    turned: Any = site.keep(
        ("turned hosts", snapshot.date), lambda opened: opened[snapshot.date].host_graph.transpose()
    )
    for way, one in (("in", turned), ("out", graph)):
        if direction in ("both", way):
            for other, weight in one.weighted_successors(node)[:MAX_LINKS]:
                if other != node:
                    found.setdefault(other, {})[way] = int(weight)
    names = [graph.names[other] for other in found]
    ranks = find_ranks(site, snapshot.date, names, level="host")
    return [
        {"name": name, "ways": sorted(ways), "rank": rank, "links": sum(ways.values())}
        for name, rank, ways in zip(names, ranks, found.values(), strict=True)
    ]


def draw_neighbours(centre: str, rows: list[dict[str, Any]], level: str) -> dict[str, Any]:
    """The first neighbours in two columns: what only links here to the left, what is linked from here right.

    Examples
    --------
    >>> rows = [{"name": "a.org", "ways": ["in"], "rank": 1, "links": 3}]
    >>> picture = draw_neighbours("b.org", rows, "host")
    >>> picture["nodes"][0]["label"], picture["nodes"][0]["side"], picture["more"]
    ('a.org', 'left', 0)
    """
    columns = {
        "left": [row for row in rows if row["ways"] == ["in"]][:DRAWN],
        "right": [row for row in rows if row["ways"] != ["in"]][:DRAWN],
    }
    shown = [row["name"] for column in columns.values() for row in column]
    prefix = drawing.drop_prefix([centre, *shown]) if level == "page" else ""
    height = STEP * max(2, *(len(column) for column in columns.values())) + 2 * STEP
    nodes = []
    for side, column in columns.items():
        for place, row in enumerate(column):
            x = WIDTH * (0.34 if side == "left" else 0.66)
            y = height / 2 + (place - (len(column) - 1) / 2) * STEP
            middle = WIDTH / 2
            nodes.append(
                {
                    "name": row["name"],
                    "label": drawing.shorten(row["name"].removeprefix(prefix) or row["name"], 38),
                    "ways": row["ways"],
                    "side": side,
                    "x": round(x, 1),
                    "y": round(y, 1),
                    "path": f"M{middle:g} {height / 2:g}C{(middle + x) / 2:g} {height / 2:g} "
                    f"{(middle + x) / 2:g} {y:g} {x:g} {y:g}",
                }
            )
    return {
        "nodes": nodes,
        "label": drawing.shorten(centre.removeprefix(prefix) or centre, 26),
        "prefix": prefix,
        "more": len(rows) - len(nodes),
        "width": WIDTH,
        "height": height,
    }
