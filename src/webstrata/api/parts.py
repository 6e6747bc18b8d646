"""The parts of a snapshot, each opened when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from webstrata import collection as rooms
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from webstrata.graph.build import StoredGraph
    from webstrata.graph.connectivity import Connectivity
    from webstrata.graph.hosts import NamedGraph
    from webstrata.graph.releases.ranks import StoredRelease
    from webstrata.store.anchors import Anchors
    from webstrata.store.captures import Captures
    from webstrata.store.links import Links
    from webstrata.store.packages import Packages
    from webstrata.store.pages import Pages
    from webstrata.store.text import Text
    from webstrata.store.urls import Urls
    from webstrata.summaries.archive import Archive


class SnapshotParts(rooms.Snapshot):
    """One dated crawl with a property for each part that is read; a property stays as it was first read."""

    @cached_property
    def pages(self) -> Pages:
        """The table of its pages, one row per node."""
        from webstrata.store.part import open_pages

        return open_pages(self)

    @cached_property
    def urls(self) -> Urls:
        """From node to URL, and from URL to node."""
        from webstrata.store.part import open_urls

        return open_urls(self)

    @cached_property
    def packages(self) -> Packages:
        """The WACZ files it was ingested from, and the pages they list."""
        from webstrata.store.packages import Packages
        from webstrata.store.takedowns import find_takedowns

        if "packages" not in self.parts:
            raise MissingError(
                f"{self.path}: no page lists; only snapshots ingested from WACZ files have them"
            )
        part = self.open_part("packages")
        return Packages(part.path, part, lambda: find_takedowns(self.collection))

    @cached_property
    def captures(self) -> Captures:
        """Everything that was stored, by URL and time."""
        from webstrata.store.captures import Captures

        return Captures(self)

    @cached_property
    def text(self) -> Text:
        """Text, title, headings, language of each node."""
        from webstrata.store.part import open_text

        return open_text(self)

    @cached_property
    def links(self) -> Links:
        """The links of each node as parsed."""
        from webstrata.store.part import open_links

        return open_links(self)

    @cached_property
    def anchors(self) -> Anchors:
        """What other pages call each node."""
        from webstrata.store.part import open_anchors

        return open_anchors(self)

    @cached_property
    def graph(self) -> StoredGraph:
        """The graph of its pages, compressed."""
        from webstrata.graph.build import StoredGraph

        part = self.open_part("graph")
        return StoredGraph(part.path, part, urls=self._node_urls)

    def _node_urls(self) -> list[str]:
        """The URL of each node of the graph, also of pages that were linked and not captured."""
        found: list[str] = self.connectivity.urls_of(range(self.connectivity.num_nodes)).to_pylist()
        return found

    @cached_property
    def release(self) -> StoredRelease:
        """What the web graph release that it was made of says about its nodes."""
        from webstrata.graph.part import open_release

        return open_release(self)

    @cached_property
    def host_graph(self) -> NamedGraph:
        """The graph of its hosts, with names and weights."""
        from webstrata.graph.hosts import HOSTS, NamedGraph
        from webstrata.graph.releases.ingest import refuse_level
        from webstrata.store.hiding import Hidden

        refuse_level(self, "host")
        part = self.open_part("graph")
        return NamedGraph(part.path, HOSTS, part, hidden=Hidden(self.collection))

    @cached_property
    def domain_graph(self) -> NamedGraph:
        """The graph of its registered domains, with names and weights."""
        from webstrata.graph.hosts import DOMAINS, NamedGraph
        from webstrata.graph.releases.ingest import refuse_level
        from webstrata.store.hiding import Hidden

        refuse_level(self, "domain")
        part = self.open_part("graph")
        return NamedGraph(part.path, DOMAINS, part, hidden=Hidden(self.collection))

    @cached_property
    def connectivity(self) -> Connectivity:
        """Who links to whom, by URL or node, for many pages at once."""
        from webstrata.graph.connectivity import Connectivity

        return Connectivity(self)

    @cached_property
    def summaries(self) -> Archive:
        """The terms of each node with their counts, compressed."""
        from webstrata.summaries.archive import Archive

        part = self.open_part("summaries")
        return Archive(part.path, part, num_nodes=len(self.urls) if "urls" in self.parts else None)
