"""What an in-vitro web looks like: its months in numbers, its settings held against what is served.

The graphs of all months are made for it, so the effort grows with pages times months: about a second for
100 000 pages of a month. A web of more than `MAX_PAGES` pages is described by a smaller one of its kind, with
the same settings and fewer hosts and pages in proportion, and only if that was asked for.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Table
from webstrata.errors import SettingError
from webstrata.graph.bvgraph import CompressedSize, compress
from webstrata.invitro.compressibility import (
    MAX_PAGES as SAMPLED_PAGES,
)
from webstrata.invitro.compressibility import REAL_ARTICLES, PageSizes, measure_pages, read_corpus
from webstrata.invitro.measures import (
    Measure,
    measure_changes,
    measure_exponents,
    measure_hosts,
    measure_pages_of,
    measure_survival,
)
from webstrata.invitro.overlap import (
    TIME_HOSTS,
    TIME_URLS,
    Comparison,
    compare,
    count_overlap,
    time_overlap,
)
from webstrata.invitro.tables import tabulate_description
from webstrata.invitro.web import Web

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from webstrata.temporal.overlap import Overlap

MAX_PAGES = 2_000_000

Histogram = tuple[tuple[int, int], ...]
"""Values, and how often each occurs."""


@dataclass(frozen=True)
class MonthCounts:
    """A month in numbers; shares are of what stands before them."""

    month: int
    hosts: int
    """Hosts with a page in the served view."""
    domains: int
    spam_host_share: float
    num_nodes: int
    num_arcs: int
    inner_share: float
    """Arcs of the served view that stay on the host."""
    duplicate_share: float
    """Addresses of the served view that show a page which has another address before them."""
    collection_nodes: int
    collection_arcs: int
    variation_share: float
    """Pages of the collection view that are variations of another one."""
    noindex_share: float
    """Pages of ordinary hosts that answer."""
    disallowed_share: float
    """Pages of ordinary hosts that answer."""


@dataclass(frozen=True)
class Area:
    """The links of one area of a page."""

    name: str
    links_per_page: float
    inner_share: float


@dataclass(frozen=True)
class EventSize:
    """A planted event."""

    name: str
    topic: int
    month: int
    born: int
    changed: int


@dataclass(frozen=True, repr=False)
class WebDescription(FactsTable):
    """Everything that `describe` finds; what is about one month is about `month`."""

    preset: str
    seed: int
    overrides: dict[str, Any]
    sampled_from: int | None
    """Pages of the web that was asked for, where this is a smaller one of its kind."""
    month: int
    months: tuple[MonthCounts, ...]
    measures: tuple[Measure, ...]
    areas: tuple[Area, ...]
    compressed: dict[str, CompressedSize]
    """Of the two views of the graph."""
    pages: PageSizes
    real_pages: PageSizes
    languages: dict[str, float]
    """Shares of the hosts, as in the next three."""
    charsets: dict[str, float]
    robots: dict[str, float]
    addresses: dict[str, float]
    hosts: Overlap
    urls: Overlap
    comparisons: tuple[Comparison, ...]
    events: tuple[EventSize, ...]
    distributions: dict[str, Histogram]

    shown = 0  # of all numbers

    @property
    def summary(self) -> str:
        """What of which month it tells, in a sentence or two."""
        text = f"{len(self.months)} months; degrees, links and compression are those of month {self.month}."
        if self.sampled_from:
            number = tell_count(self.sampled_from, "page")
            text = f"A web of the same kind as one of {number}, with fewer. {text}"
        return text

    def tables(self) -> dict[str, Table]:
        """Months, settings, links, sizes, hosts, overlap and events."""
        return tabulate_description(self)

    def to_dict(self) -> dict[str, Any]:
        """The whole as one document, with what is computed from its parts."""
        document = asdict(self)
        for found, measure in zip(document["measures"], self.measures, strict=True):
            found["is_within"] = measure.is_within
        for view, size in self.compressed.items():
            document["compressed"][view]["bits_per_link"] = size.bits_per_link
        for name, overlap in (("hosts", self.hosts), ("urls", self.urls)):
            document[name] |= {"shares": overlap.shares(), "by_lag": overlap.by_lag()}
        return document


def describe(
    web: Web,
    *,
    month: int = 0,
    sample: int | None = None,
    corpus: Path | None = None,
    progress: Progress | None = None,
) -> WebDescription:
    """Describe a web.

    Parameters
    ----------
    web
        The web.
    month
        The month of which degrees, compression and texts are told.
    sample
        Describe a web of the same kind with at most so many pages instead.
    corpus
        Folder of real HTML pages to compare with; else ``WEBSTRATA_CORPUS``, else ``content/html`` in
        ``WEBSTRATA_TEST_DATA``, else what was once measured on real pages.
    progress
        Whom to tell.

    Examples
    --------
    >>> found = describe(Web("tiny", seed=7))
    >>> [month.month for month in found.months], found.compressed["served"].bits_per_link < 4
    ([0, 1, 2], True)
    """
    progress = progress or Progress()
    web._check_month(month)
    sampled_from = None
    if sample is not None and sample < web.settings.pages:
        sampled_from = web.settings.pages
        web = shrink(web, sample)
    elif sample is None and web.settings.pages > MAX_PAGES:
        raise SettingError(
            f"this web has {web.settings.pages} pages, and its graphs are made for up to {MAX_PAGES}; "
            "--sample 200000 describes a web of the same kind with so many"
        )
    chronicle = _Chronicle(web, month)
    with progress.task("true graphs", total=web._core.num_pages * web.settings.months, unit="pages") as task:
        for number in range(web.settings.months):
            chronicle.add(number, task.advance)
    chosen = chronicle.chosen
    compressed = {
        view: compress(graph["offsets"], graph["targets"], progress=progress)
        for view, graph in zip(("served", "collection"), chosen, strict=True)
    }
    hosts, urls = chronicle.overlaps()
    answering = np.array(web.hosts(month)["present"])
    survey = chronicle.survey
    return WebDescription(
        preset=web.preset,
        seed=web.seed,
        overrides=web.header(month)["overrides"],
        sampled_from=sampled_from,
        month=month,
        months=tuple(chronicle.months),
        measures=tuple(chronicle.measures()),
        areas=tuple(
            Area(name, number / max(survey["pages"], 1), inner / max(number, 1))
            for name, (number, inner) in survey["links"].items()
        ),
        compressed=compressed,
        pages=_sample_pages(web, month, chosen[0], progress),
        real_pages=_real_pages(corpus),
        languages=_shares(web.hosts(month)["language"], answering),
        charsets=_shares(survey["charset"], answering),
        robots=_shares(survey["robots"], answering),
        addresses=_shares(survey["addresses"], answering),
        hosts=hosts,
        urls=urls,
        comparisons=_comparisons(web, hosts, urls),
        events=tuple(_events(web)),
        distributions=chronicle.distributions(),
    )


def shrink(web: Web, pages: int) -> Web:
    """A web of the same kind and seed with fewer pages, and fewer hosts in proportion.

    Examples
    --------
    >>> shrink(Web("clean"), 1000).settings.hosts
    2
    """
    settings = web.settings
    hosts = max(1, round(settings.hosts * pages / settings.pages))
    smaller = replace(settings, pages=max(pages, hosts), hosts=hosts)
    return Web(web.preset, seed=web.seed, settings=smaller)


class _Chronicle:
    """Goes through the months, one graph at a time, and keeps what comparisons between months need."""

    def __init__(self, web: Web, month: int) -> None:
        self.web = web
        self.month = month
        self.months: list[MonthCounts] = []
        self.survey: dict[str, Any] = {}
        self.chosen: list[dict[str, Any]] = []
        self._hosts: list[dict[str, list[Any]]] = []
        self._urls: list[pa.Array] = []
        self._slots: list[NDArray[np.uint32]] = []
        self._contents: list[NDArray[np.uint64]] = []
        self._pages: list[NDArray[np.uint64]] = []
        self._is_alone: list[NDArray[np.bool_]] = []
        self._is_index: list[NDArray[np.bool_]] = []
        self._codes: list[NDArray[np.int64]] = []

    def add(self, number: int, advance: Any) -> None:  # noqa: ANN401
        # loading it takes longer than many a command that never describes anything
        import pyarrow as pa
        import pyarrow.compute as pc

        core = self.web._core
        served, collection = core.graphs(number, progress=advance)
        survey = core.survey(number)
        hosts = self.web.hosts(number)
        slots = served["slots"].astype(np.uint32)
        self.months.append(_month(number, hosts, served, collection, survey))
        self._hosts.append(hosts)
        urls = _to_array(served)
        is_static = ~pc.match_substring(urls, "?").to_numpy(zero_copy_only=False)
        urls = urls.filter(pa.array(is_static))
        self._urls.append(urls)
        self._is_index.append(pc.ends_with(urls, "/").to_numpy(zero_copy_only=False))
        self._slots.append(slots[is_static])
        self._contents.append(served["contents"][is_static])
        self._pages.append(served["pages"][is_static])
        _, places, counts = np.unique(served["pages"], return_inverse=True, return_counts=True)
        self._is_alone.append((counts == 1)[places][is_static])
        if number == self.month:
            self.survey, self.chosen = survey, [served, collection]

    def overlaps(self) -> tuple[Overlap, Overlap]:
        """Hosts and static addresses of the served views."""
        import pyarrow as pa

        self._codes = _number(self._urls)
        self._urls.clear()
        hosts = [
            pa.array(np.array(columns["name"])[np.unique(slots)].tolist())
            for columns, slots in zip(self._hosts, self._slots, strict=True)
        ]
        return count_overlap("hosts", _number(hosts)), count_overlap("static URLs", self._codes)

    def measures(self) -> list[Measure]:
        """Everything that can be held against a setting; after `overlaps`."""
        settings = self.web.settings
        hosts = self._hosts[self.month]
        ordinary = ~np.array(hosts["spam"])
        sizes = np.array(hosts["size"])[ordinary]
        answers = (np.array(hosts["present"]) & ~np.array(hosts["failing"]))[ordinary]
        changed = there = 0
        survivors = []
        for lag in (1, 2):
            lived = were = 0
            for month in range(settings.months - lag):
                stays = self._stays(month, month + lag)
                chosen = stays[self._slots[month]] & self._is_alone[month] & ~self._is_index[month]
                codes, later = self._codes[month][chosen], self._codes[month + lag]
                _, here, there_then = np.intersect1d(codes, later, assume_unique=True, return_indices=True)
                # where what is gone answers 200 too, the address lives on without its page
                same = self._pages[month][chosen][here] == self._pages[month + lag][there_then]
                lived += int(same.sum())
                were += len(codes)
                if lag == 1:
                    stayed, other = self._changes(month)
                    changed, there = changed + other, there + stayed
            survivors.append((lived, were))
        planted = sum(event.changed for event in _events(self.web))
        return [
            *measure_exponents(
                settings,
                self.month,
                sizes=sizes - 1,
                in_links=self.survey["text_in_links"],
                degrees=self.survey["text_degrees"],
            ),
            *measure_pages_of(settings, self.survey, sizes[answers]),
            *measure_hosts(settings, self._hosts),
            *measure_survival(settings, survivors),
            *measure_changes(settings, changed, there, planted=planted),
        ]

    def distributions(self) -> dict[str, Histogram]:
        """What is drawn: degrees of the served graph, and what the exponents were fitted to."""
        served = self.chosen[0]
        num_nodes = len(served["offsets"]) - 1
        hosts = self._hosts[self.month]
        return {
            "out-degree": _histogram(np.diff(served["offsets"].astype(np.int64))),
            "in-degree": _histogram(np.bincount(served["targets"], minlength=num_nodes)),
            "links in the text": _histogram(self.survey["text_degrees"]),
            "links from other hosts": _histogram(self.survey["text_in_links"]),
            "pages of a host": _histogram(np.array(hosts["size"])[~np.array(hosts["spam"])]),
        }

    def _stays(self, one: int, other: int) -> NDArray[np.bool_]:
        """By slot: whether an ordinary host answers under the same name in both months."""
        before, after = self._hosts[one], self._hosts[other]
        same: NDArray[np.bool_] = np.array(before["name"]) == np.array(after["name"])
        for columns in (before, after):
            same &= np.array(columns["present"]) & ~np.array(columns["failing"])
        same &= ~np.array(before["spam"])
        return same

    def _changes(self, month: int) -> tuple[int, int]:
        """Pages with one address, there in this month and the next, and how many have another text then.

        The address of a copy stays when the page it copies is replaced, and that is no change of a page.
        """
        before, after = self._codes[month], self._codes[month + 1]
        _, here, there = np.intersect1d(before, after, assume_unique=True, return_indices=True)
        alone = self._is_alone[month][here] & self._is_alone[month + 1][there]
        changed = self._contents[month][here] != self._contents[month + 1][there]
        return int(alone.sum()), int((changed & alone).sum())


def _month(
    number: int,
    hosts: dict[str, list[Any]],
    served: dict[str, Any],
    collection: dict[str, Any],
    survey: dict[str, Any],
) -> MonthCounts:
    slots = served["slots"].astype(np.uint32)
    there = np.unique(slots)
    sources = np.repeat(slots, np.diff(served["offsets"].astype(np.int64)))
    num_nodes, num_arcs = len(slots), len(served["targets"])
    collected = len(collection["slots"])
    pages = max(survey["pages"], 1)
    return MonthCounts(
        month=number,
        hosts=len(there),
        domains=len(np.unique(np.array(hosts["domain"])[there])),
        spam_host_share=float(np.mean(np.array(hosts["spam"])[there])) if len(there) else 0.0,
        num_nodes=num_nodes,
        num_arcs=num_arcs,
        inner_share=float(np.mean(sources == slots[served["targets"]])) if num_arcs else 0.0,
        duplicate_share=1 - len(np.unique(served["pages"])) / max(num_nodes, 1),
        collection_nodes=collected,
        collection_arcs=len(collection["targets"]),
        variation_share=float(np.mean(collection["pages"] != collection["families"])) if collected else 0.0,
        noindex_share=survey["noindex"] / pages,
        disallowed_share=survey["disallowed"] / pages,
    )


def _to_array(graph: dict[str, Any]) -> pa.Array:
    import pyarrow as pa

    offsets = pa.py_buffer(graph["url_offsets"].astype(np.int64))
    return pa.LargeStringArray.from_buffers(len(graph["slots"]), offsets, pa.py_buffer(graph["urls"]))


def _number(months: list[pa.Array]) -> list[NDArray[np.int64]]:
    """The same number for the same text in all months."""
    import pyarrow as pa

    encoded = pa.chunked_array(months).dictionary_encode().unify_dictionaries()
    return [chunk.indices.to_numpy().astype(np.int64) for chunk in encoded.chunks]


def _histogram(values: NDArray[Any]) -> Histogram:
    found, counts = np.unique(values, return_counts=True)
    return tuple(zip(found.tolist(), counts.tolist(), strict=True))


def _shares(names: list[str], chosen: NDArray[np.bool_]) -> dict[str, float]:
    counts = Counter(name for name, is_chosen in zip(names, chosen, strict=True) if is_chosen)
    return {name: count / counts.total() for name, count in counts.most_common()}


def _sample_pages(web: Web, month: int, served: dict[str, Any], progress: Progress) -> PageSizes:
    urls = _to_array(served)
    places = np.unique(np.linspace(0, len(urls) - 1, SAMPLED_PAGES).astype(int))
    bodies = []
    with progress.task("pages", total=len(places), unit="pages") as task:
        for place in places:
            task.advance()
            answer = web.fetch(urls[int(place)].as_py(), month)
            if answer.status == 200 and answer.body:
                bodies.append(answer.body)
    return measure_pages("this web", bodies)


def _real_pages(corpus: Path | None) -> PageSizes:
    data = os.environ.get("WEBSTRATA_TEST_DATA")
    if corpus is None and os.environ.get("WEBSTRATA_CORPUS"):
        corpus = Path(os.environ["WEBSTRATA_CORPUS"])
    if corpus is None and data and (Path(data) / "content" / "html").is_dir():
        corpus = Path(data) / "content" / "html"
    return measure_pages(f"real pages in {corpus}", read_corpus(corpus)) if corpus else REAL_ARTICLES


def _comparisons(web: Web, hosts: Overlap, urls: Overlap) -> tuple[Comparison, ...]:
    if web.preset != "uk-2007":
        return ()
    pairs = (
        (hosts, time_overlap("hosts", TIME_HOSTS), "TIME, table 2"),
        (urls, time_overlap("static URLs", TIME_URLS), "TIME, table 3"),
    )
    return tuple(found for ours, theirs, source in pairs if (found := compare(ours, theirs, source)))


def _events(web: Web) -> list[EventSize]:
    """Each event with what it brings in its first month."""
    months = sorted({event.month for event in web.events()})
    return [
        EventSize(event.name, event.topic, event.month, len(event.born), len(event.changed))
        for month in months
        for event in web.events(month)
        if event.month == month
    ]
