"""The connectivity server, in process: who links to whom, by URL or by node (LECT, Connectivity Servers).

A **page** is named by its URL, or by its node; a URL that was captured but is no node itself (a duplicate, a
redirect) names the node that it stands for. Every question is asked for many pages at once and answered by
arrays, as **rows** (see `view`): what was found for the i-th page is ``nodes[offsets[i]:offsets[i + 1]]``.

=====================  ======================================================================================
``outlinks``           the pages that each page links to
``inlinks``            the pages that link to each
``common``             for each group of pages, what all of them link to, or the pages that link to all of
                       them (co-citation), in order
``neighbourhood``      the pages within so many links, with their distances
``subgraph``           the arcs between given nodes: what link analysis works on
``facts``              of each arc: the texts of its links, how many there are, whether all are nofollow
=====================  ======================================================================================

Nodes behind the last page are the frontier, if the graph was built with it: URLs that were not captured.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.action import Action
from webstrata.collection.sequences import missing_page
from webstrata.errors import MissingError, UrlError
from webstrata.graph.build import StoredGraph
from webstrata.graph.rows import RowsGraph
from webstrata.graph.view import check_nodes, no_node
from webstrata.store.key_columns import find_keys, from_row_keys
from webstrata.store.links import NOFOLLOW, Links, frontier_keys
from webstrata.store.parquet.rows import take
from webstrata.store.takedowns import HIDDEN, find_takedowns, make_hide
from webstrata.store.urls import Urls
from webstrata.web.row_key import row_key, row_keys
from webstrata.web.url import normalize, normalize_many

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.graph.view import Graph, Nodes, Rows

    Page = str | int
    Pages = Sequence[Page] | npt.NDArray[np.integer[Any]]

Direction = Literal["out", "in", "both"]
BLOCK_LINKS = 1 << 22
"""Links that are held at a time while a neighbourhood is looked for."""
NEAR = 3
"""Pages that are named where one is not there."""


class Neighbourhood(NamedTuple):
    """The pages within some links of others, in order of nodes."""

    nodes: npt.NDArray[np.uint32]
    distances: npt.NDArray[np.uint32]
    """Links from the nearest page that was asked about; 0 for these themselves."""
    is_complete: bool
    """Whether all were found before the limit was reached."""


class Connectivity:
    """What is linked to what in a snapshot that has `urls` and `graph`; texts of links need `links` too.

    Safe to use from several threads.

    Examples
    --------
    >>> from webstrata import testing
    >>> server = testing.snapshot().connectivity
    >>> offsets, nodes = server.outlinks(["http://news.example/", "http://news.example/storm"])
    >>> offsets.tolist(), server.urls_of(nodes).to_pylist()[:2]
    ([0, 2, 4], ['http://news.example/storm', 'http://reef.example/storm'])
    >>> server.urls_of(server.inlinks(["http://garden.example/pond"])[1]).to_pylist()
    ['http://garden.example/']
    >>> common = server.common([["http://news.example/", "http://reef.example/storm"]])[1]
    >>> server.urls_of(common).to_pylist()
    ['http://news.example/storm']
    >>> near = server.neighbourhood(["http://garden.example/pond"], hops=1, direction="in")
    >>> near.nodes.tolist(), near.distances.tolist()
    ([0, 1], [1, 0])
    >>> server.facts([6], [7]).to_pylist()
    [{'links': 1, 'nofollow': False, 'texts': ['the storm']}]
    """

    def __init__(self, snapshot: Snapshot) -> None:
        record = snapshot.parts.record("graph")
        for name, checksum in record.inputs.items():
            if snapshot.collection.find_record(name).checksum != checksum:
                raise MissingError(
                    f"{snapshot.path}: the graph was built from another version of {name}",
                    fix=Action.on(snapshot, "build", "graph"),
                )
        part = snapshot.open_part("graph")
        self.snapshot = snapshot
        self.graph = StoredGraph(part.path, part)
        self.transpose: Graph = self.graph.transpose()
        part = snapshot.open_part("urls")
        self._hide = make_hide(snapshot.collection)
        self._takedowns = partial(find_takedowns, snapshot.collection)
        self.urls = Urls(part.path, part, hide=self._hide)
        has_frontier = self.num_nodes > len(self.urls)
        self._frontier = frontier_keys(snapshot) if has_frontier else pa.chunked_array([], pa.large_string())

    @property
    def num_nodes(self) -> int:
        """How many nodes there are, those of the frontier among them."""
        return self.graph.num_nodes

    @property
    def num_arcs(self) -> int:
        """How many arcs there are."""
        return self.graph.num_arcs

    @cached_property
    def _links(self) -> Links:
        part = self.snapshot.open_part("links")
        return Links(part.path, part)

    # ---- names

    def nodes(self, pages: Pages) -> npt.NDArray[np.int64]:
        """The node of each page, -1 for a URL that is none; a number that is no node is refused."""
        if isinstance(pages, np.ndarray):
            return check_nodes(pages, self.num_nodes).astype(np.int64)
        found = np.full(len(pages), -1, dtype=np.int64)
        places = [place for place, page in enumerate(pages) if isinstance(page, str)]
        if len(places) < len(pages):
            numbers = [place for place, page in enumerate(pages) if not isinstance(page, str)]
            found[numbers] = check_nodes([int(pages[place]) for place in numbers], self.num_nodes)
        normal, _ = normalize_many([str(pages[place]) for place in places])
        kept = [(place, url) for place, url in zip(places, normal, strict=True) if url is not None]
        if self._takedowns():
            kept = [(place, url) for place, url in kept if not self._hide(url)]
        if kept:
            keys = pa.array(row_keys([url for _, url in kept]), pa.large_string())
            found[[place for place, _ in kept]] = self._find(keys)
        return found

    def node(self, page: Page) -> int:
        """The node of a page, or `MissingError` with the URLs that stand nearest to it."""
        if not isinstance(page, str):
            if not 0 <= page < self.num_nodes:
                raise no_node(page, self.num_nodes)
            return page
        found = int(self.nodes([page])[0])
        if found < 0:
            raise self.missing(page)
        return found

    def representative(self, node: int) -> int:
        """The node that has the links of this one; another one where duplicates are folded."""
        return self._representatives.get(node, node)

    @cached_property
    def _representatives(self) -> dict[int, int]:
        table = self.graph.folded()
        return dict(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))

    def missing(self, url: str) -> MissingError:
        """What is raised for a URL that is no page."""
        return missing_page(url, self.nearest(url), where=self.snapshot.date)

    def get(self, url: str) -> int | None:
        """The node of a page; None if there is none."""
        found = int(self.nodes([url])[0])
        return None if found < 0 else found

    def nearest(self, url: str) -> list[str]:
        """The URLs of pages that stand next to where this one would; `UrlError` if it is no URL."""
        place = self.urls.prefix(row_key(normalize(url))).start
        return self.urls[max(place - 1, 0) : max(place - 1, 0) + NEAR]

    def urls_of(self, nodes: Nodes) -> pa.Array:
        """The URL of each node, as Arrow has strings; each is made once, however often it is asked for."""
        unique, places = np.unique(check_nodes(nodes, self.num_nodes), return_inverse=True)
        inside = unique[: np.searchsorted(unique, len(self.urls))]
        beyond = take(self._frontier, unique[len(inside) :] - np.uint32(len(self.urls)))
        keys = pa.concat_arrays([self.urls.keys_of(inside), beyond.cast(pa.large_string())])
        urls = from_row_keys(keys)
        if self._takedowns():
            shown = [HIDDEN if self._hide(url) else url for url in urls.to_pylist()]
            urls = pa.array(shown, urls.type)
        return urls.take(pa.array(places))

    # ---- links

    def graph_of(self, direction: Literal["out", "in"]) -> Graph:
        """The graph whose successors are the links in a direction."""
        return self.graph if direction == "out" else self.transpose

    def outlinks(self, pages: Pages, *, skip_unknown: bool = False) -> Rows:
        """The pages that each of the pages links to; with `skip_unknown` a URL that is none has no links."""
        nodes = self.nodes(pages)
        return self.links(nodes if skip_unknown else self._all_known(pages, nodes), "out")

    def inlinks(self, pages: Pages, *, skip_unknown: bool = False) -> Rows:
        """The pages that link to each of the pages; with `skip_unknown` a URL that is none has no links."""
        nodes = self.nodes(pages)
        return self.links(nodes if skip_unknown else self._all_known(pages, nodes), "in")

    def links(self, nodes: npt.NDArray[np.int64], direction: Literal["out", "in"]) -> Rows:
        """The links of nodes as `nodes` finds them: those that are -1 have none."""
        known = nodes >= 0
        ends, targets = self.graph_of(direction).batch_successors(nodes[known])
        if known.all():
            return ends, targets
        lengths = np.zeros(len(nodes), dtype=np.uint64)
        lengths[known] = np.diff(ends)
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)]), targets

    def _all_known(self, pages: Pages, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        if (nodes < 0).any():
            url = str(pages[int(np.argmin(nodes))])
            try:
                raise self.missing(url)
            except UrlError as error:
                raise UrlError(f"this is no URL: {error}", error.reason) from None
        return nodes

    def common(self, groups: Sequence[Pages], *, direction: Literal["out", "in"] = "out") -> Rows:
        """For each group of pages what all of them link to, or with ``in`` the pages that link to all."""
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        pages: list[Page] = [page for group in groups for page in group]
        nodes = self._all_known(pages, self.nodes(pages))
        # a page that comes twice in a group is one page of it
        marks = np.repeat(np.arange(len(groups), dtype=np.uint64) << np.uint64(32), sizes)
        asked = np.unique(marks | nodes.astype(np.uint64))
        sizes = np.bincount((asked >> np.uint64(32)).astype(np.int64), minlength=len(groups))
        ends, targets = self.graph_of(direction).batch_successors(asked.astype(np.uint32))
        owners = np.repeat(asked >> np.uint64(32), np.diff(ends).astype(np.int64))
        found, counts = np.unique(owners << np.uint64(32) | targets, return_counts=True)
        found = found[counts == sizes[(found >> np.uint64(32)).astype(np.int64)]]
        bounds = np.arange(len(groups) + 1, dtype=np.uint64) << np.uint64(32)
        return np.searchsorted(found, bounds).astype(np.uint64), found.astype(np.uint32)

    def neighbourhood(
        self,
        pages: Pages,
        *,
        hops: int = 1,
        direction: Direction = "out",
        limit: int | None = None,
        max_links: int | None = None,
    ) -> Neighbourhood:
        """The pages within so many links of the given ones, these included; the nearest if there is a limit.

        Of those at the distance at which the limit is reached, the ones with the smallest nodes are kept. No
        more than `max_links` links are looked at.
        """
        ways: tuple[Literal["out", "in"], ...] = ("out", "in") if direction == "both" else (direction,)
        front = np.unique(self._all_known(pages, self.nodes(pages))).astype(np.uint32)
        limit = self.num_nodes if limit is None else limit
        left = len(ways) * self.num_arcs if max_links is None else max_links
        is_complete = len(front) <= limit
        reached = front = front[:limit]
        levels = [front]
        for _ in range(hops):
            found = np.empty(0, np.uint32)
            for graph in map(self.graph_of, ways):
                targets, num_links = _reach(graph, front, left)
                is_complete &= num_links <= left
                left -= min(num_links, left)
                found = np.union1d(found, targets)
            front = np.setdiff1d(found, reached, assume_unique=True)
            is_complete &= len(reached) + len(front) <= limit
            front = front[: limit - len(reached)]
            if not len(front):
                break
            levels.append(front)
            reached = np.union1d(reached, front)
        nodes = np.concatenate(levels)
        distances = np.repeat(np.arange(len(levels), dtype=np.uint32), [len(level) for level in levels])
        order = np.argsort(nodes)
        return Neighbourhood(nodes[order], distances[order], is_complete)

    def subgraph(self, nodes: Nodes) -> RowsGraph:
        """Some nodes, in order and once each, and the arcs between them; node 0 is the first of them."""
        kept = np.unique(check_nodes(nodes, self.num_nodes))
        ends, targets = self.graph.batch_successors(kept)
        places = np.minimum(np.searchsorted(kept, targets), max(len(kept) - 1, 0))
        inside = kept[places] == targets if len(kept) else np.zeros(0, dtype=bool)
        before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(inside, dtype=np.uint64)])
        return RowsGraph(before[ends.astype(np.int64)], places[inside].astype(np.uint32))

    # ---- links of an arc

    def facts(self, sources: Nodes, targets: Nodes) -> pa.Table:
        """Of each arc, a row: how many ``links`` it has, ``nofollow``, and their ``texts``.

        An arc is nofollow if all its links ask for that, and null if there are none: then it is no arc.
        Texts are those of the links that have one, in the order of the page. The rows of `links` that are
        those of the sources are read, so many sources far apart take longer than many targets of one.
        """
        wanted = _join(check_nodes(sources, self.num_nodes), check_nodes(targets, self.num_nodes))
        found = self._links.rows.of_many(np.unique((wanted >> np.uint64(32)).astype(np.int64)))
        found = found.filter(pc.is_in(found["kind"], value_set=self._links.followed))
        ends = self._target_nodes(found["target"].to_numpy())
        pairs = _join(found["source"].to_numpy(), np.maximum(ends, 0))
        kept = np.flatnonzero((ends >= 0) & np.isin(pairs, wanted))
        kept = kept[np.argsort(pairs[kept], kind="stable")]
        pairs, found = pairs[kept], found.take(pa.array(kept))
        begins, ends = np.searchsorted(pairs, wanted), np.searchsorted(pairs, wanted, "right")
        counts = ends - begins
        is_followed = (found["rel"].to_numpy() & NOFOLLOW) == 0
        followed = np.concatenate([[0], np.cumsum(is_followed)])
        texts = found["anchor"].combine_chunks()
        has_text = pc.greater(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False)
        # an arc that was asked for twice has its texts twice
        offsets = np.concatenate([[0], np.cumsum(counts)])
        places = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], counts)
        shown = np.concatenate([[0], np.cumsum(has_text[places])])[offsets]
        lists = pa.ListArray.from_arrays(
            pa.array(shown, pa.int32()), texts.take(pa.array(places[has_text[places]]))
        )
        nofollow = pa.array(followed[ends] == followed[begins], mask=counts == 0)
        return pa.table({"links": pa.array(counts, pa.uint32()), "nofollow": nofollow, "texts": lists})

    def _target_nodes(self, rows: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """The nodes of rows of ``targets.arrow``, -1 for none."""
        unique, places = np.unique(rows, return_inverse=True)
        return self._find(take(self._links.targets, unique))[places]

    def _find(self, keys: pa.Array) -> npt.NDArray[np.int64]:
        nodes = self.urls.find(keys)
        outside = np.flatnonzero(nodes < 0)
        if len(outside) and len(self._frontier):
            beyond = find_keys(self._frontier, keys.take(pa.array(outside)).cast(self._frontier.type))
            nodes[outside] = np.where(beyond < 0, -1, beyond + len(self.urls))
        return nodes

    def __repr__(self) -> str:
        return f"<Connectivity of {self.num_nodes:,} nodes and {self.num_arcs:,} arcs>"


def _reach(graph: Graph, front: npt.NDArray[np.uint32], max_links: int) -> tuple[npt.NDArray[np.uint32], int]:
    """What nodes link to, once each, and how many links they have; those beyond the limit are left out."""
    ends = np.cumsum(graph.outdegrees(front), dtype=np.int64)
    fit = int(np.searchsorted(ends, max_links, "right"))
    found = np.empty(0, np.uint32)
    start = 0
    while start < fit:
        # so many nodes that their links fit into little memory, and one at least
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, min(fit, int(np.searchsorted(ends, before + BLOCK_LINKS, "right"))))
        found = np.union1d(found, graph.batch_successors(front[start:end])[1])
        start = end
    return found, int(ends[-1]) if len(ends) else 0


def _join(
    sources: npt.NDArray[np.integer[Any]], targets: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.uint64]:
    """Arcs as single numbers, in the order of sources and then of targets."""
    return sources.astype(np.uint64) << np.uint64(32) | targets.astype(np.uint64)
