"""What the limits of a crawl did to the sample, which TIME (section 6) calls imperative to show.

Three questions, each for every snapshot of a union:

1. **What was cut off?** Limits as ``crawl.json`` tells them: hosts that have as many pages as one may have
   and URLs that were dropped, pages by depth and links that were too deep, what was left of the frontier when
   the crawl ended, the targets of links that were not captured, and hosts that only a seed led to. Of a
   snapshot that was ingested the limits are not known.
2. **How do estimates move when limits are tightened?** The crawl is done again on the stored graph with a
   half, a quarter, … of each limit (`recrawl`), from the seeds that it had (from home pages where they were
   not noted), and everything is estimated from the smaller sample. An
   estimate that stays where it is does not hang on the limit; the trend tells which way it would go if the
   limit were looser.
3. **How sure are they?** Pages of a host are not independent, so intervals come from drawing hosts with
   replacement (`intervals`). From one host, or if all hosts agree, there is none; see the warnings.

Estimates, over all pairs of successive snapshots a, b, of pages P and arcs E:

=================  ========================================================================================
``page_survival``  |Pa ∩ Pb| / |Pa|
``page_birth``     |Pb − Pa| / |Pb|
``link_survival``  |Ea ∩ Eb| / |Ea|
``outdegree``      |E| / |P|, over all snapshots
``dangling``       share of pages without links, over all snapshots
=================  ========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pyarrow as pa

from webstrata.collection.progress import Progress
from webstrata.collection.tables import Table
from webstrata.crawl.report import read_report
from webstrata.crawl.results import FILE as RESULT
from webstrata.crawl.seeds import kept_seeds
from webstrata.errors import MissingError
from webstrata.graph.hosts import group_hosts
from webstrata.store.links import frontier_keys
from webstrata.temporal.intervals import Interval, bootstrap_ratios
from webstrata.temporal.recrawl import Limits, Month, recrawl
from webstrata.temporal.tables import ESTIMATES, tabulate_bias, tell_bias
from webstrata.temporal.union import NONE
from webstrata.web.row_key import row_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.crawl.skip_reasons import Cut
    from webstrata.temporal.union import StoredUnion

FRACTIONS = (0.5, 0.25, 0.125)
REPLICATES = 400


@dataclass(frozen=True)
class SnapshotCuts:
    """What limits cut off of one snapshot."""

    snapshot: str
    pages: int
    hosts: int
    largest_host: int
    max_pages_per_host: int | None = None
    hosts_at_limit: int | None = None
    """Hosts with as many pages as one may have, duplicates not counted."""
    dropped: int | None = None
    """URLs that were not fetched because their host was full, or given up."""
    max_depth: int | None = None
    too_deep: int | None = None
    """Links that were deeper."""
    depths: list[int] = field(default_factory=list)
    """Pages 0, 1, … links below where their host was entered."""
    end: str = ""
    """Why the crawl ended; empty if it was none of ours."""
    frontier_left: int | None = None
    """URLs that were found and not fetched when it ended."""
    not_captured: int | None = None
    """Different targets of links that are no captured URLs."""
    seeds: int | None = None
    """URLs that the crawl began with, where they were noted."""
    only_by_seed: int | None = None
    """Hosts that no other host links to: without a seed of their own they would not be there."""


@dataclass(frozen=True)
class Tightened:
    """The estimates with one limit tightened."""

    limit: str
    fraction: float
    value: float
    """The limit, or the share of the seeds."""
    pages: float
    """Share of the pages that are left."""
    estimates: dict[str, float | None]
    """None where nothing is left to estimate from."""


@dataclass(frozen=True, repr=False)
class BiasReport(Table):
    """What the limits did."""

    snapshots: list[str]
    cuts: list[SnapshotCuts]
    estimates: dict[str, Interval]
    tightened: list[Tightened]
    replicates: int
    truth: dict[str, float] = field(default_factory=dict)
    """The same estimates of the whole web, where it is known."""

    def moving(self) -> dict[str, list[str]]:
        """Estimates with the limits of which a half moves them out of their interval."""
        found: dict[str, list[str]] = {}
        for row in self.tightened:
            for name, interval in self.estimates.items():
                value = row.estimates[name]
                if row.fraction == 0.5 and value is not None and interval.contains(value) is False:
                    found.setdefault(name, []).append(row.limit)
        return found

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per estimate: its interval, the limits that move it out of it, and the truth if known."""
        moving, truth = self.moving(), self.truth
        return [
            {"estimate": name, **asdict(interval), "moved_by": moving.get(name, []), "truth": truth.get(name)}
            for name, interval in self.estimates.items()
        ]

    shown = 0  # of the estimates with everything about their intervals

    def tables(self) -> dict[str, Table]:
        """What was cut off in each snapshot, the estimates, and the estimates with tightened limits."""
        return tabulate_bias(self)

    @property
    def summary(self) -> str:
        """Which limits move which estimates."""
        return tell_bias(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"moving": self.moving(), "warnings": self.warnings}

    @property
    def warnings(self) -> list[str]:
        """Which intervals are missing or doubtful, and why."""
        reasons: dict[str, list[str]] = {}
        for name, interval in self.estimates.items():
            if interval.why:
                lacks = "" if interval.has_bounds else "no interval: "
                reasons.setdefault(lacks + interval.why, []).append(name)
        return [f"{', '.join(names)}: {why}" for why, names in reasons.items()]


class Panel:
    """Months whose pages have the same numbers, and the host of each.

    Examples
    --------
    >>> panel = Panel.from_urls([(["http://a/", "http://b/"], [(0, 1)]), (["http://b/", "http://c/"], [])])
    >>> panel.num_months, panel.hosts.tolist(), panel.month(1).present.tolist()
    (2, [0, 1, 2], [False, True, True])
    """

    def __init__(self, hosts: npt.NDArray[np.uint32], months: Sequence[Month]) -> None:
        self.hosts, self._months = hosts, months

    @classmethod
    def from_union(cls, union: StoredUnion, progress: Progress | None = None) -> Panel:
        """The snapshots of a union, read when they are asked for: one is in memory, the last."""
        hosts = group_hosts(union.urls.key_column, progress=progress).of_node
        return cls(hosts, _StoredMonths(union))

    @classmethod
    def from_urls(cls, months: Iterable[tuple[Sequence[str], npt.ArrayLike]]) -> Panel:
        """Months that are given by URLs and arcs between their places, as the truth of an in-vitro web is."""
        given = [(row_keys(urls), np.asarray(arcs, np.int64).reshape(-1, 2)) for urls, arcs in months]
        keys = sorted({key for urls, _ in given for key in urls}, key=str.encode)
        nodes = {key: node for node, key in enumerate(keys)}
        found = []
        for urls, arcs in given:
            numbers = np.array([nodes[key] for key in urls], np.int64)
            present = np.zeros(len(keys), bool)
            present[numbers] = True
            found.append(_make_month(present, numbers[arcs[:, 0]], numbers[arcs[:, 1]]))
        return cls(group_hosts(pa.array(keys, pa.large_string())).of_node, found)

    @property
    def num_months(self) -> int:
        """How many months there are."""
        return len(self._months)

    def month(self, number: int) -> Month:
        """The pages and links of a month."""
        return self._months[number]


def _make_month(
    present: npt.NDArray[np.bool_], sources: npt.NDArray[np.int64], targets: npt.NDArray[np.int64]
) -> Month:
    keys = np.unique(sources.astype(np.uint64) << np.uint64(32) | targets.astype(np.uint64))
    offsets = np.searchsorted(keys >> np.uint64(32), np.arange(len(present) + 1)).astype(np.int64)
    return Month(present, offsets, keys.astype(np.uint32))


class _StoredMonths(Sequence[Month]):
    """The snapshots of a union, of which the one that was read last stays: 4 bytes an arc and 9 a node."""

    def __init__(self, union: StoredUnion) -> None:
        self._union = union
        self._seeds: dict[str, npt.NDArray[np.int64] | None] = {}
        self._held: tuple[str, Month] | None = None

    def __len__(self) -> int:
        return len(self._union.facts.snapshots)

    @overload
    def __getitem__(self, place: int) -> Month: ...
    @overload
    def __getitem__(self, place: slice) -> list[Month]: ...
    def __getitem__(self, place: int | slice) -> Month | list[Month]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        label = self._union.facts.snapshots[place]
        if self._held is None or self._held[0] != label:
            self._held = None  # before the next one is read
            view = self._union.at(label)
            offsets, targets = view.rows()
            if label not in self._seeds:
                self._seeds[label] = find_seeds(self._union, label)
            self._held = label, Month(view.present, offsets.astype(np.int64), targets, self._seeds[label])
        return self._held[1]


def find_seeds(union: StoredUnion, label: str) -> npt.NDArray[np.int64] | None:
    """The nodes that the crawl of a snapshot began with; None where its seeds were not noted.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_seeds(testing.collection().temporal, "2026-06") is None  # it was ingested, not crawled
    True
    """
    if label not in union.collection:
        return None
    urls = kept_seeds(union.collection[label].working_folder("crawl"))
    if urls is None:
        return None
    try:
        addresses = union.urls_at(label)
    except MissingError:
        return None
    # a seed may stand for another page, to which it was redirected
    pages = addresses.nodes(urls).drop_null().to_numpy().astype(np.int64)
    nodes = np.asarray(union.to_union(label))[pages]
    return np.unique(nodes[nodes != NONE].astype(np.int64))


def estimate(
    panel: Panel,
    samples: Sequence[npt.NDArray[np.bool_]] | None = None,
    *,
    replicates: int = 0,
    seed: int = 0,
) -> dict[str, Interval]:
    """The estimates from a panel, or from the samples of its months; intervals from so many replicates.

    Examples
    --------
    >>> panel = Panel.from_urls([(["http://a/", "http://b/"], [(0, 1)]), (["http://b/", "http://c/"], [])])
    >>> found = estimate(panel)
    >>> found["page_survival"].value, found["link_survival"].value, found["outdegree"].value
    (0.5, 0.0, 0.25)
    """
    num_hosts = int(panel.hosts.max()) + 1 if len(panel.hosts) else 0
    tops, bottoms = _sum_by_host(panel, samples, num_hosts)
    found = bootstrap_ratios(tops, bottoms, replicates=replicates, seed=seed)
    return dict(zip(ESTIMATES, found, strict=True))


def _sum_by_host(
    panel: Panel, samples: Sequence[npt.NDArray[np.bool_]] | None, num_hosts: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """What stands above and below the line of each estimate, added up for each host."""
    tops, bottoms = (np.zeros((len(ESTIMATES), num_hosts), np.int64) for _ in range(2))

    def count(nodes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        return np.bincount(panel.hosts[nodes], minlength=num_hosts)

    before: tuple[npt.NDArray[np.bool_], npt.NDArray[np.uint64]] | None = None
    for number in range(panel.num_months):
        month = panel.month(number)
        kept = month.present if samples is None else samples[number]
        arcs = month.arc_keys(kept)
        sources = (arcs >> np.uint64(32)).astype(np.int64)
        linking = np.zeros(len(kept), bool)
        linking[sources] = True
        tops[3] += count(sources)
        tops[4] += count(np.flatnonzero(kept & ~linking))
        bottoms[3:] += count(np.flatnonzero(kept))
        if before is not None:
            both = count(np.flatnonzero(kept & before[0]))
            earlier, later = count(np.flatnonzero(before[0])), count(np.flatnonzero(kept))
            tops[0] += both
            bottoms[0] += earlier
            tops[1] += later - both
            bottoms[1] += later
            common = np.intersect1d(arcs, before[1], assume_unique=True)
            tops[2] += count((common >> np.uint64(32)).astype(np.int64))
            bottoms[2] += count((before[1] >> np.uint64(32)).astype(np.int64))
        before = kept, arcs
    return tops, bottoms


def tighten(panel: Panel, *, seed: int = 0, progress: Progress | None = None) -> list[Tightened]:
    """The estimates when the crawl is done again with less of each limit than it took up.

    What a limit is a fraction of: pages of the largest host, the deepest page, all pages, all seeds. The
    first row is a crawl without limits, which reaches what can be reached from the seeds.

    Examples
    --------
    >>> panel = Panel.from_urls([(["http://a/", "http://a/1"], [(0, 1)])] * 2)
    >>> rows = tighten(panel)
    >>> [(row.limit, row.fraction, row.pages) for row in rows[:2]]
    [('none', 1.0, 1.0), ('pages per host', 0.5, 0.5)]
    """
    numbers = range(panel.num_months)
    reached = [recrawl(panel.month(number), panel.hosts, Limits(), seed=seed) for number in numbers]
    total = sum(int(kept.sum()) for kept, _ in reached)
    largest = max((int(np.bincount(panel.hosts[kept]).max()) for kept, _ in reached if kept.any()), default=0)
    deepest = max((len(depths) - 1 for _, depths in reached), default=0)
    found = []

    def note(limit: str, fraction: float, value: float, samples: list[npt.NDArray[np.bool_]]) -> None:
        intervals = estimate(panel, samples).items()
        values = {name: one.value if one.hosts else None for name, one in intervals}
        pages = sum(int(kept.sum()) for kept in samples) / max(total, 1)
        found.append(Tightened(limit, fraction, value, pages, values))

    note("none", 1.0, 1.0, [kept for kept, _ in reached])
    ways = [
        (limit, part) for limit in ("pages per host", "depth", "stop size", "seeds") for part in FRACTIONS
    ]
    # a month is read once for all crawls of it; of these a bit a node is kept
    samples: list[list[npt.NDArray[np.uint8]]] = [[] for _ in ways]
    values = [0.0 for _ in ways]
    total_crawls = len(ways) * panel.num_months
    with (progress or Progress()).task("crawling again", total=total_crawls, unit="crawls") as task:
        for number, (kept, _) in zip(numbers, reached, strict=True):
            for way, (limit, part) in enumerate(ways):
                limits, values[way] = _limits(limit, part, largest, deepest, int(kept.sum()))
                sample = recrawl(panel.month(number), panel.hosts, limits, seed=seed)[0]
                samples[way].append(np.packbits(sample))
                task.advance()
    for (limit, part), value, packed in zip(ways, values, samples, strict=True):
        note(limit, part, value, [_unpack(sample, len(panel.hosts)) for sample in packed])
    return found


def _unpack(bits: npt.NDArray[np.uint8], number: int) -> npt.NDArray[np.bool_]:
    return np.unpackbits(bits, count=number).astype(bool)


def _limits(limit: str, fraction: float, largest: int, deepest: int, pages: int) -> tuple[Limits, float]:
    if limit == "pages per host":
        value = max(int(largest * fraction), 1)
        return Limits(pages_per_host=value), value
    if limit == "depth":
        value = int(deepest * fraction)
        return Limits(depth=value), value
    if limit == "stop size":
        value = max(int(pages * fraction), 1)
        return Limits(pages=value), value
    return Limits(seeds=fraction), fraction


def describe_cuts(snapshot: Snapshot) -> SnapshotCuts:
    """What limits cut off of a snapshot, as far as it is known.

    Examples
    --------
    >>> from webstrata import testing
    >>> cuts = describe_cuts(testing.snapshot())
    >>> cuts.pages, cuts.hosts, cuts.largest_host, cuts.not_captured
    (15, 5, 4, 1)
    >>> cuts.max_depth is None  # not a crawl: no limits are known
    True
    """
    from webstrata.store.urls import Urls

    with snapshot.open_part("urls") as part:
        sizes = group_hosts(Urls(part.path).key_column).sizes
    seeds = kept_seeds(snapshot.working_folder("crawl"))
    known: dict[str, Any] = {"seeds": None if seeds is None else len(seeds)}
    if (snapshot.working_folder("crawl") / RESULT).exists():
        report = read_report(snapshot)
        counters, settings = report.result.counters, report.settings
        limit, depth = settings.get("max_pages_per_host"), settings.get("max_depth")
        depths = [counters.get(f"depth_{number}", 0) for number in range(17)]
        known |= {
            "max_pages_per_host": limit,
            "hosts_at_limit": None if limit is None else int((sizes >= int(limit)).sum()),
            "max_depth": depth,
            "dropped": _cut(report.result.cuts, "dropped"),
            "too_deep": _cut(report.result.cuts, "depth"),
            "depths": depths[: max((place for place, count in enumerate(depths) if count), default=-1) + 1],
            "end": report.result.end,
            "frontier_left": _frontier_left(report.result.end, counters),
        }
    try:
        not_captured = len(frontier_keys(snapshot))
    except MissingError:
        not_captured = None
    return SnapshotCuts(
        snapshot.date,
        pages=int(sizes.sum()),
        hosts=len(sizes),
        largest_host=int(sizes.max()) if len(sizes) else 0,
        not_captured=not_captured,
        **known,
    )


def _cut(cuts: Iterable[Cut], reason: str) -> int:
    return sum(cut.number for cut in cuts if cut.reason == reason)


def count_only_by_seed(month: Month, hosts: npt.NDArray[np.uint32]) -> int:
    """How many hosts of a month no other host links to.

    Examples
    --------
    >>> month = Month(np.ones(3, bool), np.array([0, 2, 2, 2]), np.array([1, 2], np.uint32))
    >>> count_only_by_seed(month, np.array([0, 0, 1], np.uint32))  # the first host
    1
    """
    sources = hosts[np.repeat(np.arange(len(month.present)), np.diff(month.offsets))]
    targets = hosts[month.targets]
    linked = np.unique(targets[sources != targets])
    return len(np.setdiff1d(hosts[month.present], linked))


def _frontier_left(end: str, counters: dict[str, int]) -> int:
    """URLs that came out of the sieve and were neither fetched nor refused."""
    if end == "exhausted":
        return 0
    done = counters.get("requests", 0) - counters.get("retries", 0) - counters.get("robots", 0)
    refused = sum(counters.get(name, 0) for name in ("disallowed", "filtered", "dropped"))
    return max(counters.get("discovered", 0) - done - refused, 0)


def report_bias(
    union: StoredUnion,
    *,
    replicates: int = REPLICATES,
    seed: int = 0,
    truth: Panel | None = None,
    progress: Progress | None = None,
) -> BiasReport:
    """What the limits did to the snapshots of a union; with the whole web beside it where that is known.

    Examples
    --------
    >>> from webstrata import testing
    >>> report = report_bias(testing.collection().temporal)
    >>> round(report.estimates["page_survival"].value, 3), report.estimates["page_survival"].why
    (0.962, 'computed from 5 hosts, fewer than 10: it is too narrow')
    >>> half = next(each for each in report.tightened if each.limit == "stop size")
    >>> half.pages, round(half.estimates["page_survival"], 3)  # had the crawl stopped at half of the pages
    (0.5, 0.917)
    """
    panel = Panel.from_union(union, progress)
    labels = union.facts.snapshots
    cuts = [
        replace(
            describe_cuts(union.collection[label]),
            only_by_seed=count_only_by_seed(panel.month(number), panel.hosts),
        )
        for number, label in enumerate(labels)
    ]
    return BiasReport(
        labels,
        cuts,
        estimate(panel, replicates=replicates, seed=seed),
        tighten(panel, seed=seed, progress=progress),
        replicates,
        {} if truth is None else {name: found.value for name, found in estimate(truth).items()},
    )
