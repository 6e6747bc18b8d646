"""The web of a stored snapshot as a simulated crawler meets it: pages, links, hosts, summaries.

Only the parts `urls` and `graph` are needed, and `summaries` where text counts: those of a bundle. Nodes of a
graph with a frontier that were not captured are no pages, and links to them lead nowhere.

With ``answers="stored"`` the part `links` is read in place of the graph, and captured addresses that are no
pages are nodes, too, behind the last page in the order of ``others.arrow``; one that stands for a page has a
link to it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.action import Action
from webstrata.collection.makers import suggest_part
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, MissingError
from webstrata.graph.build import StoredGraph
from webstrata.graph.hosts import group_domains, group_hosts
from webstrata.graph.list_source import select_source
from webstrata.graph.rows import RowsGraph
from webstrata.graph.structure.degrees import outdegrees
from webstrata.store.key_columns import find_keys
from webstrata.store.links import Links, iter_arcs, target_nodes
from webstrata.store.urls import Urls
from webstrata.summaries.archive import Archive

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.graph.hosts import Groups
    from webstrata.graph.list_source import Lists
    from webstrata.graph.view import Graph


class StoredWeb:
    """What of a snapshot a simulation reads, opened when it is asked for.

    Examples
    --------
    >>> from webstrata import testing
    >>> web = StoredWeb(testing.snapshot())
    >>> web.num_nodes, [web.snapshot.urls[int(node)] for node in web.homes()][:2]
    (15, ['http://garden.example/', 'http://kitchen.example/'])
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        link_order: str = "node",
        answers: str = "pages",
        progress: Progress | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.progress = progress or Progress()
        self._link_order, self._answers = link_order, answers
        for name in ("graph", "urls"):
            if name not in snapshot.parts:
                raise MissingError(f"{snapshot.path}: no {name}", fix=suggest_part(snapshot.path, name))
        part = snapshot.open_part("urls")
        self.urls = Urls(part.path, part)
        part = snapshot.open_part("graph")
        self._graph = StoredGraph(part.path, part)
        self.used = ["graph", "urls"]
        """Names of the parts that were read."""
        if self._graph.num_nodes < len(self.urls):
            raise FormatError(
                f"{snapshot.path}: the graph has {self._graph.num_nodes} nodes, and there are "
                f"{len(self.urls)} URLs; it is of another snapshot or older than they are",
                fix=Action.on(snapshot, "build", "graph"),
            )

    @property
    def num_pages(self) -> int:
        """How many pages there are."""
        return len(self.urls)

    @cached_property
    def stand_for(self) -> npt.NDArray[np.int64]:
        """The page that each address that is none stands for, -1 for none; nothing where all are pages."""
        if self._answers == "pages":
            return np.zeros(0, np.int64)
        found = pc.fill_null(pc.cast(self.urls.others["node"], pa.int64()), -1)
        nodes: npt.NDArray[np.int64] = found.to_numpy()
        return nodes

    @property
    def num_nodes(self) -> int:
        """How many addresses can be asked for, pages first."""
        return self.num_pages + len(self.stand_for)

    def keys_of(self, nodes: npt.NDArray[np.integer]) -> pa.Array:
        """The row keys of some addresses."""
        is_page = nodes < self.num_pages
        keys = np.empty(len(nodes), object)
        keys[is_page] = self.urls.keys_of(nodes[is_page]).to_pylist()
        others = nodes[~is_page].astype(np.int64) - self.num_pages
        keys[~is_page] = self.urls.others["row_key"].take(pa.array(others)).to_pylist()
        return pa.array(keys, pa.large_string())

    def spread(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Numbers of pages for all addresses: that of the page it stands for, or one below all others."""
        if not len(self.stand_for):
            return numbers
        least = numbers.min(initial=0) - 1
        return np.concatenate([numbers, np.append(numbers, least)[self.stand_for]])

    @cached_property
    def graph(self) -> Graph:
        """The links between pages."""
        if self._graph.num_nodes == self.num_pages:
            return self._graph
        offsets, targets = self._graph.rows(0, self.num_pages, progress=self.progress)
        kept = targets < self.num_pages
        counts = np.concatenate([np.zeros(1, np.uint64), np.cumsum(kept, dtype=np.uint64)])
        return RowsGraph(counts[offsets.astype(np.int64)], targets[kept])

    @cached_property
    def lists(self) -> Lists:
        """The links as the core takes them."""
        if self._link_order == "page" or self._answers == "stored":
            return self._read_links()
        return select_source(self.graph, progress=self.progress)

    @cached_property
    def links(self) -> Links:
        """The links as they were parsed."""
        if "links" not in self.snapshot.parts:
            raise MissingError(
                f"{self.snapshot.path}: it has no links, which know their order in a page and what is no "
                "page; leave --link-order and --answers out"
            )
        self.used.append("links")
        part = self.snapshot.open_part("links")
        return Links(part.path, part)

    @cached_property
    def link_ends(self) -> npt.NDArray[np.int64]:
        """For each target of links the page that it is or stands for, or the address that stands for it."""
        nodes = target_nodes(self.snapshot, self.links)
        if len(self.stand_for):
            others = find_keys(self.urls.others["row_key"], self.links.targets.combine_chunks())
            nodes = np.where(others >= 0, self.num_pages + others, nodes)
        return nodes

    def _read_links(self) -> Lists:
        """Rows with the links of each page, each once: as they stand in it, or by node."""
        blocks = list(iter_arcs(self.links, self.link_ends))
        sources, targets = (
            np.concatenate([np.zeros(0, np.uint32), *(getattr(block, name) for block in blocks)])
            for name in ("sources", "targets")
        )
        leads = np.flatnonzero(self.stand_for >= 0)
        sources = np.concatenate([sources, (self.num_pages + leads).astype(np.uint32)])
        targets = np.concatenate([targets, self.stand_for[leads].astype(np.uint32)])
        keys = sources.astype(np.uint64) << np.uint64(32) | targets
        first = np.unique(keys, return_index=True)[1]
        if self._link_order == "page":
            first.sort()
        counts = np.bincount(sources[first], minlength=self.num_nodes)
        offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(counts, dtype=np.uint64)])
        return offsets, np.ascontiguousarray(targets[first])

    @cached_property
    def hosts(self) -> Groups:
        """The host of each page."""
        return group_hosts(self.urls.key_column, progress=self.progress)

    @cached_property
    def visited_hosts(self) -> Groups:
        """The host of each address."""
        if not len(self.stand_for):
            return self.hosts
        return group_hosts(self.urls.key_column, self.urls.others["row_key"], progress=self.progress)

    @cached_property
    def domains(self) -> Groups:
        """The registered domain of each address."""
        return group_domains(self.visited_hosts)

    @cached_property
    def archive(self) -> Archive:
        """The summaries of the pages."""
        if "summaries" not in self.snapshot.parts:
            raise MissingError(
                f"{self.snapshot.path}: no summaries, which relevance by text needs",
                fix=Action.on(self.snapshot, "build", "summaries"),
            )
        self.used.append("summaries")
        part = self.snapshot.open_part("summaries")
        return Archive(part.path, part, num_nodes=self.num_pages)

    def homes(self) -> npt.NDArray[np.uint32]:
        """The home page of each host, or where it was not captured the page of the host with most links.

        Of two such pages it is the first in row-key order.
        """
        of_node = self.hosts.of_node
        homes = np.unique(of_node, return_index=True)[1]
        keys = self.urls.keys_of(homes).to_pylist()
        lacking = [place for place, key in enumerate(keys) if not key.partition(" ")[0].endswith(")/")]
        if lacking:
            degrees = outdegrees(self.graph, progress=self.progress)
            best = np.lexsort((np.arange(len(of_node)), -degrees, of_node))
            homes[lacking] = best[np.unique(of_node[best], return_index=True)[1]][lacking]
        return homes.astype(np.uint32)

    def __repr__(self) -> str:
        return f"<StoredWeb of {self.num_pages} pages>"
