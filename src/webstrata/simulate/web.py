"""The web of a stored snapshot as a simulated crawler meets it: pages, links, hosts, summaries.

Only the parts `urls` and `graph` are needed, and `summaries` where text counts: those of a bundle. Nodes of a
graph with a frontier that were not captured are no pages, and links to them lead nowhere.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, MissingError
from webstrata.graph.build import StoredGraph
from webstrata.graph.hosts import group_domains, group_hosts
from webstrata.graph.lending import lend
from webstrata.graph.rows import RowsGraph
from webstrata.store.links import Links, iter_arcs, target_nodes
from webstrata.store.urls import Urls
from webstrata.summaries.archive import Archive

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.graph.hosts import Groups
    from webstrata.graph.lending import Lists
    from webstrata.graph.view import Graph


class StoredWeb:
    """What of a snapshot a simulation reads, opened when it is asked for.

    Examples
    --------
    >>> import webstrata as ws
    >>> StoredWeb(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: it has no graph; `webstrata graph build` makes it
    """

    def __init__(
        self, snapshot: Snapshot, *, link_order: str = "node", progress: Progress | None = None
    ) -> None:
        self.snapshot = snapshot
        self.progress = progress or Progress()
        self._link_order = link_order
        for name in ("graph", "urls"):
            if name not in snapshot.parts:
                makes = "graph build" if name == "graph" else "store"
                raise MissingError(f"{snapshot.path}: it has no {name}; `webstrata {makes}` makes it")
        part = snapshot.open_part("urls")
        self.urls = Urls(part.path, part)
        part = snapshot.open_part("graph")
        self._graph = StoredGraph(part.path, part)
        self.used = ["graph", "urls"]
        """Names of the parts that were read."""
        if self._graph.num_nodes < len(self.urls):
            raise FormatError(
                f"{snapshot.path}: the graph has {self._graph.num_nodes} nodes, and there are "
                f"{len(self.urls)} URLs; it is of another snapshot or older than they are, "
                "`webstrata graph build` makes it again"
            )

    @property
    def num_pages(self) -> int:
        """How many pages there are."""
        return len(self.urls)

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
        return self._page_order() if self._link_order == "page" else lend(self.graph, progress=self.progress)

    def _page_order(self) -> Lists:
        """Rows with the links of each page as they stand in it, each where it comes first."""
        if "links" not in self.snapshot.parts:
            raise MissingError(
                f"{self.snapshot.path}: it has no links, which know the order in a page; "
                "leave --link-order page out"
            )
        self.used.append("links")
        part = self.snapshot.open_part("links")
        links = Links(part.path, part)
        blocks = list(iter_arcs(links, target_nodes(self.snapshot, links)))
        sources, targets = (
            np.concatenate([np.zeros(0, np.uint32), *(getattr(block, name) for block in blocks)])
            for name in ("sources", "targets")
        )
        keys = sources.astype(np.uint64) << np.uint64(32) | targets
        first = np.sort(np.unique(keys, return_index=True)[1])
        counts = np.bincount(sources[first], minlength=self.num_pages)
        offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(counts, dtype=np.uint64)])
        return offsets, np.ascontiguousarray(targets[first])

    @cached_property
    def hosts(self) -> Groups:
        """The host of each page."""
        return group_hosts(self.urls.key_column, progress=self.progress)

    @cached_property
    def domains(self) -> Groups:
        """The registered domain of each page."""
        return group_domains(self.hosts)

    @cached_property
    def archive(self) -> Archive:
        """The summaries of the pages."""
        if "summaries" not in self.snapshot.parts:
            raise MissingError(
                f"{self.snapshot.path}: it has no summaries, and text counts here; "
                "`webstrata summaries build` makes them"
            )
        self.used.append("summaries")
        part = self.snapshot.open_part("summaries")
        return Archive(part.path, part, num_nodes=self.num_pages)

    def homes(self) -> npt.NDArray[np.uint32]:
        """The first page of each host in row-key order: its home page where that is there."""
        return np.unique(self.hosts.of_node, return_index=True)[1].astype(np.uint32)

    def __repr__(self) -> str:
        return f"<StoredWeb of {self.num_pages} pages>"
