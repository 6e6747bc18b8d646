"""Collection and Snapshot as users hold them: what stages hold, plus one lazy property per room.

Examples
--------
>>> import webstrata as ws
>>> uk = ws.create(getfixture("tmp_path") / "uk", title="United Kingdom")
>>> uk.add("2026-06")
<Snapshot 2026-06 of ...uk>
>>> [snapshot.label for snapshot in ws.open(uk.path)]
['2026-06']
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from webstrata import collection as rooms

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator
    from os import PathLike

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.graph.build import StoredGraph
    from webstrata.graph.connectivity import Connectivity
    from webstrata.graph.hosts import NamedGraph
    from webstrata.rank.ranking import Ranking
    from webstrata.rank.spectra import Spectrum
    from webstrata.search.change import ChangeAnswer, ChangeSearch
    from webstrata.search.hits import Hits
    from webstrata.search.index import TextIndex
    from webstrata.simulate.harvest import Harvest
    from webstrata.store.anchors import Anchors
    from webstrata.store.captures import AllCaptures, Captures, StoredCapture
    from webstrata.store.links import Links
    from webstrata.store.packages.part import Packages
    from webstrata.store.pages import Pages
    from webstrata.store.table import Table
    from webstrata.store.text import Text
    from webstrata.store.urls import Urls
    from webstrata.summaries.archive import Archive
    from webstrata.temporal.union import StoredUnion


class Snapshot(rooms.Snapshot):
    """One dated crawl in a collection."""

    @cached_property
    def pages(self) -> Pages:
        """The table of its pages, a row a node; as it was when first asked for."""
        from webstrata.store.pages import Pages

        part = self.open_part("pages")
        return Pages(part.path, part)

    @cached_property
    def urls(self) -> Urls:
        """From node to URL, and from URL to node; as it was when first asked for."""
        from webstrata.store.urls import Urls

        part = self.open_part("urls")
        return Urls(part.path, part)

    @cached_property
    def packages(self) -> Packages:
        """The WACZ files it was ingested from, and the pages they list; as it was when first asked for."""
        from webstrata.store.packages.part import Packages

        part = self.open_part("packages")
        return Packages(part.path, part)

    @cached_property
    def captures(self) -> Captures:
        """Everything that was stored, by URL and time; as it was when first asked for."""
        from webstrata.store.captures import Captures

        return Captures(self)

    def capture(self, url: str, at: dt.datetime | str | None = None) -> StoredCapture:
        """The last capture of a URL in this snapshot, of those at or before a time, or `MissingError`."""
        from webstrata.store.captures import AllCaptures, find_capture

        # a payload may be in another snapshot; these are opened only if it is
        others = AllCaptures(self.collection).list
        return find_capture([self.captures], url, at, where=str(self.path), others=others)

    @cached_property
    def text(self) -> Text:
        """Text, title, headings, language of each node; as it was when first asked for."""
        from webstrata.store.text import Text

        part = self.open_part("text")
        return Text(part.path, part)

    @cached_property
    def graph(self) -> StoredGraph:
        """The graph of its pages, compressed; as it was when first asked for."""
        from webstrata.graph.build import StoredGraph

        part = self.open_part("graph")
        return StoredGraph(part.path, part)

    @cached_property
    def connectivity(self) -> Connectivity:
        """Who links to whom, by URL or node, for many pages at once; as it was when first asked for."""
        from webstrata.graph.connectivity import Connectivity

        return Connectivity(self)

    def spectrum(self, **options: object) -> Spectrum:
        """The spectrum of its graph's matrix G at α = 1, or of G* with ``inverse=True``; stored when made."""
        from webstrata.rank.spectra.build import build_spectrum
        from webstrata.rank.spectra.settings import SpectrumSettings

        return build_spectrum(self, self.settings(SpectrumSettings, options))

    @cached_property
    def host_graph(self) -> NamedGraph:
        """The graph of its hosts, with names and weights; as it was when first asked for."""
        from webstrata.graph.hosts import HOSTS, NamedGraph

        part = self.open_part("graph")
        return NamedGraph(part.path, HOSTS, part)

    @cached_property
    def domain_graph(self) -> NamedGraph:
        """The graph of its registered domains, with names and weights; as it was when first asked for."""
        from webstrata.graph.hosts import DOMAINS, NamedGraph

        part = self.open_part("graph")
        return NamedGraph(part.path, DOMAINS, part)

    def rank(
        self, method: str = "pagerank", *, preference: npt.ArrayLike | None = None, **settings: object
    ) -> Ranking:
        """The ranking of its nodes by a method, with settings of `RankSettings`; made and kept if need be."""
        from webstrata.rank.settings import RankSettings
        from webstrata.rank.stored import rank_snapshot

        chosen = self.settings(RankSettings, {"method": method} | settings)
        return rank_snapshot(self, chosen, preference=preference)

    @cached_property
    def summaries(self) -> Archive:
        """The terms of each node with their counts, compressed; as it was when first asked for."""
        from webstrata.summaries.archive import Archive

        part = self.open_part("summaries")
        return Archive(part.path, part, num_nodes=len(self.urls) if "urls" in self.parts else None)

    def features(self, name: str) -> pa.Table:
        """The features of a set (`A`, `B`, `link`, …), a row a host; `webstrata classify features` makes it.

        Examples
        --------
        >>> create(getfixture("tmp_path") / "uk").add("2026-06").features("B")
        Traceback (most recent call last):
        webstrata.errors.MissingError: ...2026-06: it has no features B; `webstrata classify features ...uk
        2026-06 --sets B` makes them
        """
        from webstrata.classify.feature_sets import read_features

        return read_features(self, name)

    def simulate(self, **settings: object) -> Harvest:
        """What simulated crawls of its pages bring in; settings as of `SimulateSettings`, nothing is kept.

        Examples
        --------
        >>> snapshot = create(getfixture("tmp_path") / "uk").add("2026-06")
        >>> snapshot.simulate(policy="shark", relevant="query:fish")
        Traceback (most recent call last):
        webstrata.errors.MissingError: ...2026-06: it has no graph; `webstrata graph build` makes it
        """
        from webstrata.simulate.run import Simulation
        from webstrata.simulate.settings import SimulateSettings

        return Simulation(self, self.settings(SimulateSettings, settings)).run()

    def simulation(self, name: str = "") -> Harvest:
        """What `webstrata simulate` has kept, under this name."""
        from webstrata.simulate.harvest import Harvest

        with self.open_part(f"simulation-{name}" if name else "simulation") as part:
            return Harvest.read(part.path)

    @cached_property
    def links(self) -> Links:
        """The links of each node as parsed; as it was when first asked for."""
        from webstrata.store.links import Links

        part = self.open_part("links")
        return Links(part.path, part)

    @cached_property
    def anchors(self) -> Anchors:
        """What other pages call each node; as it was when first asked for."""
        from webstrata.store.anchors import Anchors

        part = self.open_part("anchors")
        return Anchors(part.path, part)


class Collection(rooms.Collection):
    """One directory with everything known about one piece of the web."""

    snapshot_class = Snapshot

    @cached_property
    def table(self) -> Table:
        """The row table: what was captured of a page and what is noted about it, by row key."""
        from webstrata.store.table import Table

        return Table(self)

    @cached_property
    def temporal(self) -> StoredUnion:
        """The graph of all snapshots, with a label for every node and arc; as it was when first asked for."""
        from webstrata.temporal.union import StoredUnion

        return StoredUnion(self)

    @cached_property
    def text_index(self) -> TextIndex:
        """The text index of all snapshots; as it was when first asked for."""
        from webstrata.search.index import TextIndex

        return TextIndex.open(self)

    def search(self, query: str, *, at: str | None = None, **options: Any) -> Hits:  # noqa: ANN401
        """The best pages for a query, with options as `webstrata.search.index.TextIndex.search` has them.

        Examples
        --------
        >>> create(getfixture("tmp_path") / "uk").search("fish", at="2026-06")
        Traceback (most recent call last):
        webstrata.errors.MissingError: ...uk: there is no text index; make it with `webstrata index ...uk`
        """
        return self.text_index.search(query, at=at, **options)

    if TYPE_CHECKING:  # the snapshots are those of this module

        def __getitem__(self, label: str) -> Snapshot: ...
        def __iter__(self) -> Iterator[Snapshot]: ...
        def add(self, label: str) -> Snapshot:
            """The snapshot of that label, made if it is not there yet."""

    def capture(self, url: str, at: dt.datetime | str | None = None) -> StoredCapture:
        """The last capture of a URL, of those at or before a time, whatever its snapshot, or `MissingError`.

        Examples
        --------
        >>> create(getfixture("tmp_path") / "uk").capture("http://example.org/")
        Traceback (most recent call last):
        webstrata.errors.MissingError: ...uk: http://example.org/ was not captured; `webstrata ls` lists
        what was
        """
        from webstrata.store.captures import find_capture

        return find_capture(self._captures.list(), url, at, where=str(self.path))

    def changes(self, query: str, before: str, after: str, **settings: object) -> ChangeAnswer:
        """What changed about a query between two snapshots, with settings of `ChangesSettings`.

        Examples
        --------
        >>> create(getfixture("tmp_path") / "uk").changes("fish", "2026-05", "2026-06")
        Traceback (most recent call last):
        webstrata.errors.MissingError: ...uk: it has 0 snapshots, and what changed takes two; add another one
        """
        from webstrata.search.change.settings import ChangesSettings

        return self._change_search.search(query, before, after, self.settings(ChangesSettings, settings))

    @cached_property
    def _change_search(self) -> ChangeSearch:
        from webstrata.search.change import ChangeSearch

        return ChangeSearch(self)

    @cached_property
    def _captures(self) -> AllCaptures:
        from webstrata.store.captures import AllCaptures

        return AllCaptures(self)


def open(path: str | PathLike[str]) -> Collection:
    """The collection at `path`.

    Examples
    --------
    >>> open("/no/such/collection")
    Traceback (most recent call last):
    webstrata.errors.MissingError: /no/such/collection: this is not there; name a collection, or create one
    with `webstrata new /no/such/collection`
    """
    return Collection.open(path)


def create(path: str | PathLike[str], *, title: str = "") -> Collection:
    """A new, empty collection at `path`.

    Examples
    --------
    >>> create(getfixture("tmp_path") / "uk").title
    'uk'
    """
    return Collection.create(path, title=title)
