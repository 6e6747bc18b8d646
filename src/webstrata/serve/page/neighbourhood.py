"""A neighbourhood as a graph: pages or hosts next to one, the arcs between all of them, and when each exists.

The drawing of the graph page asks for this document whenever a node is opened. Snapshots are bits, the oldest
is bit 0, and a mask is given as two numbers of 32 bits, since numbers of JavaScript have 53::

    {"rows": [{"name": …, "rank": …, "when": [low, high]}, …],  the centre first, then the most important
     "arcs": [[source, target, low, high], …],                  by places in `rows`
     "snapshots": […], "level": "page" | "host", "total": …, "next": cursor or null, …}

Pages come from the union of all snapshots where it is built, else from one snapshot; hosts come from the host
graphs of all snapshots.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from fastapi import Query

from webstrata.collection.action import Action
from webstrata.errors import UrlError
from webstrata.serve.page.home import number_names
from webstrata.serve.page.search import Cursor, Date
from webstrata.serve.page.view import PageView, read_cursor, write_cursor
from webstrata.store.takedowns import HIDDEN
from webstrata.web.server.answers import Refusal
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from webstrata.api import Collection
    from webstrata.serve.page.site import Site

MOST = 2000
"""Neighbours in one response."""
MAX_ARCS = 50_000
"""Arcs in one response; those of the centre first."""
MAX_NEIGHBOURS = 100_000
"""Neighbours that are looked at."""

Masks = dict[int, int]


def show_neighbours(
    site: Site,
    *,
    of: Annotated[str, Query(max_length=2000, description="A URL or a host.")],
    at: Date = None,
    limit: Annotated[int, Query(ge=1, le=MOST, description="Neighbours at most.")] = 60,
    cursor: Cursor = None,
) -> PageView:
    """The neighbours of a page or host in all snapshots, the most important first, with the arcs among them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_neighbours(Site(testing.collection(), "uk"), of="http://garden.example/pond")
    >>> [row["name"] for row in view.rows][:2], view.facts["snapshots"]
    (['http://garden.example/pond', 'http://reef.example/fish'], ['2026-04', '2026-05', '2026-06'])
    >>> [0, 1, 6, 0] in view.facts["arcs"]  # from the pond to the fish, in the second and third snapshot
    True
    """
    snapshot = site.snapshot(at or None)
    is_host = "/" not in of
    source: _Source = _Hosts(site, of) if is_host else _find_pages(site, of, snapshot.date)
    near = source.neighbours()
    order = sorted(near, key=lambda node: source.importance(node, snapshot.date))
    start = read_cursor(cursor)
    shown = order[start : start + limit]
    places = {node: place for place, node in enumerate([source.centre, *shown])}
    names = source.names(list(places))
    hidden = {place for place, name in enumerate(names) if name == HIDDEN}
    arcs = [
        [places[one], places[other], mask & 0xFFFFFFFF, mask >> 32]
        for one, other, mask in _iter_arcs(source, places)
        if places[one] not in hidden and places[other] not in hidden
    ]
    view = PageView(
        "neighbours",
        f"{of} – neighbours",
        Action(
            "graph links",
            str(site.collection.path),
            snapshot.date,
            (of,),
            {"of": "hosts" if is_host else None},
            python=f"graph_links({of!r}{', level=' + repr('hosts') if is_host else ''})",
        ),
    )
    view.rows = [
        {"name": name, "rank": source.rank(node, snapshot.date), "when": list(_halves(source.when(node)))}
        for node, name in zip(places, names, strict=True)
    ]
    view.next = write_cursor(start + limit) if start + limit < len(order) else None
    view.facts = {
        "of": names[0],
        "level": "host" if is_host else "page",
        "snapshots": source.snapshots,
        "arcs": arcs[:MAX_ARCS],
        "total": len(order),
        "left": max(0, len(order) - start - len(shown)),
    }
    return view


def _halves(mask: int) -> tuple[int, int]:
    return mask & 0xFFFFFFFF, mask >> 32


def _iter_arcs(source: _Source, places: dict[int, int]) -> Iterable[tuple[int, int, int]]:
    """Arcs with both ends among the nodes, those of the centre first."""
    nodes = np.fromiter(places, np.int64)
    number = 0
    for one in places:
        targets, masks = source.successors(one)
        kept = np.isin(targets, nodes) & (targets != one)
        for other, mask in zip(targets[kept].tolist(), masks[kept].tolist(), strict=True):
            yield one, int(other), int(mask)
            number += 1
        if one == source.centre:
            before, masks = source.predecessors(one)
            kept = np.isin(before, nodes) & (before != one)
            for other, mask in zip(before[kept].tolist(), masks[kept].tolist(), strict=True):
                yield int(other), one, int(mask)
                number += 1
        if number > 2 * MAX_ARCS:
            return


class _Source(ABC):
    """Nodes with neighbours in some snapshots."""

    snapshots: list[str]
    centre: int

    def neighbours(self) -> list[int]:
        """Nodes next to the centre, in either direction."""
        found = np.concatenate([self.successors(self.centre)[0], self.predecessors(self.centre)[0]])
        return [int(node) for node in np.unique(found)[:MAX_NEIGHBOURS] if node != self.centre]

    def importance(self, node: int, date: str) -> tuple[Any, ...]:
        """What neighbours are sorted by: rank, those without one last."""
        rank = self.rank(node, date)
        return (rank is None, rank or 0, node)

    @abstractmethod
    def successors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        """Nodes that a node links to, each with its mask."""

    @abstractmethod
    def predecessors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        """Nodes that link to a node, each with its mask."""

    @abstractmethod
    def when(self, node: int) -> int:
        """The mask of a node."""

    @abstractmethod
    def rank(self, node: int, date: str) -> int | None:
        """The rank of a node in a snapshot."""

    @abstractmethod
    def names(self, nodes: list[int]) -> list[str]:
        """What nodes are called."""


class _Union(_Source):
    """Pages of the union of all snapshots."""

    def __init__(self, site: Site, url: str) -> None:
        self._union = site.collection.temporal
        self._site = site
        self.snapshots = list(self._union.facts.snapshots)
        node = self._union.get(url)
        if node is None:
            raise Refusal(404, f"{url} is in no snapshot", nearest=self._union.nearest(url))
        self.centre = node
        self._ranks: dict[int, int | None] = {}

    def successors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        targets, masks = self._union.successors(node)
        return targets.astype(np.int64), masks

    def predecessors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        sources, masks = self._union.predecessors(node)
        return sources.astype(np.int64), masks

    def neighbours(self) -> list[int]:
        found = super().neighbours()
        self._rank_all([self.centre, *found])
        return found

    def _rank_all(self, nodes: list[int]) -> None:
        """Ranks in the newest snapshot that has each page, all at once."""
        for date in reversed(self.snapshots):
            ranking = self._site.ranking(date) if date in self._site.dates else None
            left = [node for node in nodes if node not in self._ranks]
            if ranking is None or not left:
                continue
            for node, pages in zip(left, self._union.pages(date, np.array(left)), strict=True):
                if len(pages):
                    self._ranks[node] = int(ranking.ranks[pages].min())

    def when(self, node: int) -> int:
        return int(self._union.node_label(node))

    def rank(self, node: int, date: str) -> int | None:
        return self._ranks.get(node)

    def names(self, nodes: list[int]) -> list[str]:
        return [self._union.urls[node] for node in nodes]


class _Single(_Source):
    """Pages of one snapshot, where there is no union."""

    def __init__(self, site: Site, url: str, date: str) -> None:
        self._snapshot = site.collection[date]
        self._site, self._date = site, date
        self.snapshots = [date]
        node = self._snapshot.connectivity.get(url)
        if node is None:
            near = self._snapshot.connectivity.nearest(url)
            raise Refusal(404, f"{url} is not among the pages of {date}", nearest=near)
        self.centre = node

    def _links(self, node: int, way: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        _, found = self._snapshot.connectivity.links(np.array([node], np.int64), way)  # type: ignore[arg-type]
        return found.astype(np.int64), np.ones(len(found), np.uint64)

    def successors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        return self._links(node, "out")

    def predecessors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        return self._links(node, "in")

    def when(self, node: int) -> int:
        return 1

    def rank(self, node: int, date: str) -> int | None:
        ranking = self._site.ranking(self._date)
        return None if ranking is None else int(ranking.ranks[node])

    def names(self, nodes: list[int]) -> list[str]:
        found: list[str] = self._snapshot.connectivity.urls_of(np.array(nodes, np.int64)).to_pylist()
        return found


def _find_pages(site: Site, url: str, date: str) -> _Source:
    try:
        url = normalize(url)
    except UrlError as error:
        raise Refusal(422, str(error)) from None
    if "temporal" in site.collection.parts:
        return _Union(site, url)
    return _Single(site, url, date)


class _Hosts(_Source):
    """Hosts of all snapshots, numbered by their names."""

    def __init__(self, site: Site, host: str) -> None:
        self._site = site
        self.snapshots = [date for date in site.dates if "graph" in site.collection[date].parts][-64:]
        if not self.snapshots:
            raise Refusal(404, "no snapshot has a graph, so nothing is known about hosts")
        self._held = site.keep("host union", lambda opened: _join_hosts(opened, self.snapshots))
        names: dict[str, int] = self._held["places"]
        found = names.get(host.lower())
        if found is None:
            last = site.collection[self.snapshots[-1]].host_graph
            raise Refusal(404, f"{host} is in no snapshot", nearest=last.nearest(host))
        self.centre = found

    def successors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        return self._row("out", node)

    def predecessors(self, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        return self._row("in", node)

    def _row(self, way: str, node: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        offsets, ends, masks = self._held[way]
        part = slice(int(offsets[node]), int(offsets[node + 1]))
        return ends[part], masks[part]

    def when(self, node: int) -> int:
        return int(self._held["when"][node])

    def rank(self, node: int, date: str) -> int | None:
        ranking = self._site.ranking(date, level="host")
        if ranking is None:
            return None
        place = number_names(self._site, date, "host").get(self._held["names"][node])
        return None if place is None else int(ranking.ranks[place])

    def importance(self, node: int, date: str) -> tuple[Any, ...]:
        rank = self.rank(node, date)
        return (rank is None, rank or 0, -len(self._row("in", node)[0]), node)

    def names(self, nodes: list[int]) -> list[str]:
        return [self._held["names"][node] for node in nodes]


def _join_hosts(collection: Collection, dates: list[str]) -> dict[str, Any]:
    """The host graphs of snapshots as one, arcs with masks, in both directions."""
    places: dict[str, int] = {}
    ends, masks = [], []
    when: Masks = {}
    for bit, date in enumerate(dates):
        graph = collection[date].host_graph
        mine = np.array([places.setdefault(name, len(places)) for name in graph.names], np.int64)
        for place in mine.tolist():
            when[place] = when.get(place, 0) | 1 << bit
        offsets, targets = graph.rows()
        sources = np.repeat(np.arange(graph.num_nodes), np.diff(offsets).astype(np.int64))
        ends.append(np.stack([mine[sources], mine[targets.astype(np.int64)]]))
        masks.append(np.full(len(targets), np.uint64(1) << np.uint64(bit), np.uint64))
    number = len(places)
    both = np.concatenate(ends, axis=1) if ends else np.zeros((2, 0), np.int64)
    bits = np.concatenate(masks) if masks else np.zeros(0, np.uint64)
    found: dict[str, Any] = {
        "places": places,
        "names": list(places),
        "when": [when[place] for place in range(number)],
    }
    for way, (first, second) in (("out", both), ("in", both[::-1])):
        keys, inverse = np.unique(first * max(number, 1) + second, return_inverse=True)
        joined = np.zeros(len(keys), np.uint64)
        np.bitwise_or.at(joined, inverse, bits)
        starts = np.searchsorted(keys, np.arange(number + 1, dtype=np.int64) * max(number, 1))
        found[way] = (starts, keys % max(number, 1), joined)
    return found
