"""A collection as users hold it: its parts, and the verbs that are about all of its snapshots."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from webstrata import collection as rooms
from webstrata.api.former_keywords import rename_keywords
from webstrata.api.snapshot import Snapshot
from webstrata.api.time_methods import TimeMethods
from webstrata.errors import UsageError
from webstrata.pipeline.methods import LifeMethods

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Unpack

    from webstrata import keywords
    from webstrata.archive.fixity import FixityResult
    from webstrata.collection.check import CheckResult
    from webstrata.collection.description import BuiltParts, Description
    from webstrata.collection.progress import Progress
    from webstrata.collection.tables import Rows
    from webstrata.pipeline.results import RunPlan, RunResult
    from webstrata.rank.trajectories import Trajectories
    from webstrata.search.change import ChangeAnswer, ChangeSearch
    from webstrata.search.distributed.comparison import PartitionComparison
    from webstrata.search.evaluate.tables import Report
    from webstrata.search.hits import Hits
    from webstrata.search.index import TextIndex
    from webstrata.serve.running import PageServer
    from webstrata.store.captures import AllCaptures, Match, StoredCapture
    from webstrata.store.differences import Difference
    from webstrata.store.ingest.git_history import HistoryResult
    from webstrata.store.table import RowTable
    from webstrata.temporal.history import PageHistory
    from webstrata.temporal.union import StoredUnion


class Collection(LifeMethods, TimeMethods, rooms.Collection):
    """One directory with everything known about one piece of the web."""

    snapshot_class = Snapshot

    if TYPE_CHECKING:  # the snapshots are those of this package

        def __getitem__(self, label: str) -> Snapshot: ...
        def __iter__(self) -> Iterator[Snapshot]: ...
        def add(self, label: str) -> Snapshot:
            """The snapshot of that date; it is created if needed."""

    # ---- parts

    @cached_property
    def table(self) -> RowTable:
        """The row table: what was captured of a page and what is noted about it, by row key."""
        from webstrata.store.table import RowTable

        return RowTable(self)

    @cached_property
    def temporal(self) -> StoredUnion:
        """The graph of all snapshots, with a label for every node and arc."""
        from webstrata.temporal.union import StoredUnion

        return StoredUnion(self)

    @cached_property
    def text_index(self) -> TextIndex:
        """The text index of all snapshots."""
        from webstrata.search.index import TextIndex

        return TextIndex.open(self)

    def build(
        self,
        *parts: str,
        snapshots: Iterable[str] = (),
        again: bool = False,
        workers: int | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.BuildKeywords],
    ) -> BuiltParts:
        """Build parts by name, for all snapshots or some; see `Snapshot.build`."""
        from webstrata.pipeline.build import build_parts

        return build_parts(
            self, parts, snapshots=snapshots, options={**settings}, again=again, workers=workers,
            progress=progress,
        )  # fmt: skip

    def run(
        self,
        *,
        config: str | PathLike[str] | None = None,
        preset: str | Iterable[str] = (),
        first: str = "",
        last: str = "",
        dry_run: bool = False,
        progress: Progress | None = None,
        **settings: Unpack[keywords.RunKeywords],
    ) -> RunResult | RunPlan:
        """Run all stages: build what is missing or stale, and write the report."""
        from webstrata.pipeline.steps import run_stages
        from webstrata.serve.report import write_report

        return run_stages(
            self, {**settings}, config=config, preset=preset, first=first, last=last, dry_run=dry_run,
            write_report=write_report, progress=progress,
        )  # fmt: skip

    def report(self, output: str | PathLike[str] | None = None) -> Path:
        """Write the papers' tables and figures as one HTML file; where it is."""
        from webstrata.serve.report import write_report

        path, _ = write_report(self, Path(output) if output else None)
        return path

    def serve(self, *others: Collection, **settings: Unpack[keywords.ServingKeywords]) -> PageServer:
        """A server of pages and archived captures, of this collection and others; its `run` starts it.

        Examples
        --------
        >>> from webstrata import testing
        >>> with testing.collection().serve(port=0) as server:
        ...     server.url.startswith("http://127.0.0.1:")
        True
        """
        from webstrata.serve.running import PageServer
        from webstrata.serve.settings import ServeSettings
        from webstrata.web.settings import ServerSettings

        known = ServerSettings.__dataclass_fields__
        limits = {name: value for name, value in settings.items() if name in known}
        chosen = {name: value for name, value in settings.items() if name not in known}
        return PageServer(
            [self, *others], self.settings(ServeSettings, chosen), self.settings(ServerSettings, limits)
        )

    def show(self, snapshot: str | None = None) -> Description:
        """The parts of the collection or of one snapshot, and which of them are stale."""
        from webstrata.collection.description import describe_collection

        return describe_collection(self, snapshot)

    def check(
        self, *, repair: bool = False, workers: int | None = None, progress: Progress | None = None
    ) -> CheckResult:
        """Verify every file; what is damaged is listed, and damaged manifests are repaired on request."""
        from webstrata.collection.check import check_collection
        from webstrata.collection.settings import ResourcesSettings

        chosen = self.settings(ResourcesSettings, {"workers": workers})
        return check_collection(self, chosen, repair=repair, progress=progress)

    def fixity(self, *, workers: int = 1, progress: Progress | None = None) -> FixityResult:
        """Compare the digests of every record of the stored WARC files (``check --fixity``)."""
        from webstrata.archive.fixity import check_fixity

        return check_fixity(self, workers=workers, progress=progress)

    # ---- pages

    def ingest(
        self,
        git: str | PathLike[str],
        *,
        host: str,
        at: Iterable[str],
        root: str = "",
        branch: str = "HEAD",
        scheme: str = "https",
        again: bool = False,
        progress: Progress | None = None,
    ) -> HistoryResult:
        """Make a snapshot of a published site in a git repository, as it was at each date."""
        from webstrata.store.ingest.git_history import ingest_history

        return ingest_history(
            self, git, host=host, at=at, root=root, branch=branch, scheme=scheme,
            mode="again" if again else "new", progress=progress,
        )  # fmt: skip

    def ls(
        self,
        where: str,
        *,
        match: Match = "exact",
        start: str = "",
        end: str = "",
        limit: int | None = None,
        records: bool = False,
        kinds: Iterable[str] = (),
    ) -> Rows:
        """The captures of a URL, host, domain or key, or with `records` the WARC records of a snapshot."""
        from webstrata.store.listing import list_captures

        return list_captures(
            self, where, match=match, start=start, end=end, limit=limit, records=records, kinds=kinds
        )

    def capture(self, url: str, at: dt.datetime | str | None = None) -> StoredCapture:
        """The last capture of a URL, of those at or before a time, whatever its snapshot, or `MissingError`.

        Examples
        --------
        >>> from webstrata import testing
        >>> capture = testing.collection().capture("http://garden.example/tomatoes", at="2026-05-31")
        >>> capture.time.isoformat(), capture.payload.decode().splitlines()[5][:30]
        ('2026-05-01T00:00:06+00:00', '<p>May: the young plants go ou')
        """
        from webstrata.store.captures import find_capture

        return find_capture(self._captures.list(), url, at, where=str(self.path))

    get = capture

    def diff(
        self, url: str, before: str, after: str, *, source: bool = False, context: int = 3
    ) -> Difference:
        """What changed in the text of a page, or in its source, between two snapshots or until two dates."""
        from webstrata.store.differences import compare, find_captures

        one, two = find_captures(self, url, before, after)
        return compare(one, two, source=source, context=context)

    @rename_keywords(top="limit")
    def similar(
        self, url: str, *, snapshot: str | None = None, at: str | None = None, limit: int = 10
    ) -> Rows:
        """The pages most similar to a page, the most similar first."""
        from webstrata.store.duplicates.similar import find_similar

        return find_similar(self, url, snapshot=snapshot, at=at, top=limit)

    # ---- time

    def align(
        self, *, progress: Progress | None = None, **settings: Unpack[keywords.TemporalKeywords]
    ) -> StoredUnion:
        """Align the pages of snapshots; the union of their graphs, which is stored."""
        from webstrata.pipeline.steps import align_snapshots

        return align_snapshots(self, {**settings}, progress=progress)

    def history(self, url: str, *, with_inlinks: bool = False) -> PageHistory:
        """When a page and each of its links existed; a host name stands for its home page."""
        from webstrata.temporal.history import page_history

        return page_history(self.temporal, url, with_inlinks=with_inlinks)

    def rank(
        self,
        method: str = "pagerank",
        *,
        list: str | PathLike[str] | Iterable[str] | None = None,
        of: str | None = None,
        categories: str | PathLike[str] | Mapping[str, str] | None = None,
        against: str | PathLike[str] | Iterable[str] | None = None,
        snapshots: Sequence[str] | None = None,
        preference: str | PathLike[str] | None = None,
        skip_unknown: bool = False,
        progress: Progress | None = None,
        **settings: Unpack[keywords.RankKeywords],
    ) -> Trajectories:
        """Rank all snapshots, and follow a list of nodes, or the top of a snapshot, through them.

        `categories` files the members, `against` is an outside ranking to compare with; both are files, or a
        mapping and names.

        Examples
        --------
        >>> from webstrata import testing
        >>> uk = testing.collection()
        >>> pages = ["http://reef.example/", "http://kitchen.example/soup"]
        >>> found = uk.rank(list=pages, categories={"reef.example": "sea"}, against=pages[::-1])
        >>> found.shares("pagerank", 1)[-1], found.overlaps(found.outside, "pagerank", 1)
        ({'sea': 1.0}, [1, 0, 0])
        """
        from webstrata.rank.following import follow_nodes
        from webstrata.rank.settings import RankSettings

        chosen = self.settings(RankSettings, {"method": method, **settings})
        return follow_nodes(
            self, chosen, snapshots=snapshots, names=list, reference=of, categories=categories,
            against=against, preference=preference, skip_unknown=skip_unknown, progress=progress,
        )  # fmt: skip

    # ---- search

    def index(
        self,
        *,
        partition: Literal["documents", "terms", "tiers"] | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.IndexKeywords],
    ) -> TextIndex:
        """Build the text index, or add to it the snapshots that are new; the index."""
        from webstrata.pipeline.steps import index_snapshots

        return index_snapshots(self, {**settings}, partition=partition, progress=progress)

    @rename_keywords(since="start", until="end")
    def search(
        self,
        query: str,
        *,
        at: str | None = None,
        start: str | None = None,
        end: str | None = None,
        host: str | None = None,
        partition: Literal["documents", "terms", "tiers"] | None = None,
        **settings: Unpack[keywords.SearchKeywords],
    ) -> Hits:
        """The best pages for a query, as of a snapshot (`at`), in some of them, or in all.

        Examples
        --------
        >>> from webstrata import testing
        >>> hits = testing.collection().search("tropical fish", at="2026-06")
        >>> [(hit.url, hit.title) for hit in hits][:2]
        [('http://reef.example/fish', 'Fish of the reef'), ('http://kitchen.example/soup', 'Fish soup')]
        """
        from webstrata.search.distributed.brokers import search_through

        return search_through(
            self.text_index, query, {**settings}, at=at, since=start, until=end, host=host,
            partition=partition,
        )  # fmt: skip

    def search_compare(
        self,
        *,
        parts: int = 4,
        queries: int = 1000,
        seed: int = 0,
        at: str | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.SearchKeywords],
    ) -> PartitionComparison:
        """Measure partitions of the index by documents, by terms and in tiers on the same queries."""
        from webstrata.search.distributed.comparison import measure_partitions

        return measure_partitions(
            self, {**settings}, parts=parts, queries=queries, seed=seed, at=at, progress=progress
        )

    def search_evaluate(
        self,
        *,
        queries: str | PathLike[str] | None = None,
        judgements: str | PathLike[str] | None = None,
        truth: bool = False,
        at: str | None = None,
        run: Sequence[str | PathLike[str]] = (),
        preset: str = "",
        sweeps: bool = True,
        progress: Progress | None = None,
        **settings: Unpack[keywords.ChangesKeywords],
    ) -> Report:
        """How good the search for changes is: NDCG, recall and MRR of each rank, with significance.

        With ``preset="paper:change"`` it is the paper's table 2: its ranks, with its settings.
        """
        from webstrata.pipeline.steps import evaluate_changes

        return evaluate_changes(
            self, {**settings}, preset=preset, queries=queries, judgements=judgements, truth=truth, at=at,
            runs=run, sweeps=sweeps, progress=progress,
        )[1]  # fmt: skip

    @rename_keywords(since="start")
    def changes(
        self,
        query: str,
        start: str | None = None,
        end: str | None = None,
        *,
        at: str | None = None,
        **settings: Unpack[keywords.ChangesKeywords],
    ) -> ChangeAnswer:
        """What changed about a query between two snapshots; default: the last two.

        `at` is another name of `end`, the snapshot at or before this date; both are refused.

        Examples
        --------
        >>> from webstrata import testing
        >>> answer = testing.collection().changes("storm", "2026-05", "2026-06")
        >>> [change.url for change in answer][:2]
        ['http://reef.example/storm', 'http://news.example/storm']
        """
        from webstrata.search.change.settings import ChangesSettings

        if end is not None and at is not None:
            raise UsageError(f"end={end!r} and at={at!r} both name the later snapshot; give one of them")
        search = self._change_search
        between = search.interval(end or at or search.union.snapshots[-1], start)
        return search.search(query, *between, self.settings(ChangesSettings, {**settings}))

    # ---- crawls

    def crawl_bot_page(self, **settings: Unpack[keywords.CrawlKeywords]) -> str:
        """A page of HTML for people who meet the crawler on their hosts."""
        from webstrata.crawl.bot_page import write_bot_page
        from webstrata.crawl.settings import CrawlSettings

        return write_bot_page(self.settings(CrawlSettings, {**settings}), title=self.title)

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
    >>> from webstrata import testing
    >>> collection = open(testing.collection().path)
    >>> collection.dates
    ['2026-04', '2026-05', '2026-06']
    >>> open("/no/such/collection")
    Traceback (most recent call last):
    webstrata.errors.MissingError: /no/such/collection: ...
    """
    return Collection.open(path)


def create(path: str | PathLike[str], *, title: str = "") -> Collection:
    """A new, empty collection at `path`.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = create(testing.scratch() / "uk", title="United Kingdom")
    >>> uk.title, uk.dates
    ('United Kingdom', [])
    """
    return Collection.create(path, title=title)
