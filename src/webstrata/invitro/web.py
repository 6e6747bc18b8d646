"""An in-vitro web as users hold it: the truth as queries, and a server.

Everything is computed by the core from the settings and the seed; months count from 0. The graph has two
views. *Served*: the nodes are the addresses that answer 200, are allowed by robots.txt, are neither traps nor
hazards and can be reached from the home pages. *Collection*: links to redirects lead to
where these end, as in the graph of a snapshot. Both have the same nodes, in row-key order.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import pyarrow as pa

from webstrata._core.invitro import InvitroWeb
from webstrata.collection.progress import Progress
from webstrata.collection.sequences import missing_page
from webstrata.collection.settings import unknown_name
from webstrata.errors import SettingError
from webstrata.invitro.continuous import LivingWeb
from webstrata.invitro.events import num_spam_hosts, plan_events
from webstrata.invitro.server import InvitroServer
from webstrata.invitro.settings import PRESETS, InvitroSettings
from webstrata.invitro.theme import THEME
from webstrata.invitro.vocabulary import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from webstrata.invitro.archive import ArchivedWeb
    from webstrata.invitro.describe import WebDescription
    from webstrata.invitro.given import GivenGraph

View = Literal["served", "collection"]

_FACTS = pa.schema(
    [
        ("url", pa.string()),
        ("status", pa.uint16()),
        ("allowed", pa.bool_()),
        ("topic", pa.uint16()),
        ("spam", pa.bool_()),
        ("trap", pa.bool_()),
        ("noindex", pa.bool_()),
        ("language", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("duplicate_of", pa.string()),
        ("near_duplicate_of", pa.string()),
    ]
)
_NOT_OF_THE_CORE = {
    "event_kinds", "event_stories", "event_story_share", "events", "host_delay", "ip_delay", "spam_share",
}  # fmt: skip


class TrueUrls(Sequence[str]):
    """Addresses in row-key order, kept as bytes and decoded when asked for."""

    def __init__(self, text: bytes, offsets: NDArray[np.uint64]) -> None:
        self._text = text
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        return self._text[int(self._offsets[place]) : int(self._offsets[place + 1])].decode()

    def __iter__(self) -> Iterator[str]:
        bounds = self._offsets.tolist()
        for begin, end in itertools.pairwise(bounds):
            yield self._text[begin:end].decode()


@dataclass(frozen=True)
class TrueGraph:
    """The graph of a month; the successors of node u are ``targets[offsets[u]:offsets[u + 1]]``."""

    month: int
    view: View
    offsets: NDArray[np.uint64]
    targets: NDArray[np.uint32]
    urls: TrueUrls
    slots: NDArray[np.uint64]
    """Number of the node's host."""
    topics: NDArray[np.uint64]
    """Topic of the page."""
    pages: NDArray[np.uint64]
    """Equal for addresses that show the same page."""
    places: NDArray[np.uint64]
    """Equal for addresses that differ in session identifiers or in the order of parameters alone."""
    families: NDArray[np.uint64]
    """Equal for pages that are variations of one."""
    contents: NDArray[np.uint64]
    """Equal as long as the text of the page does not change."""

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.urls)

    @property
    def num_arcs(self) -> int:
        """Number of arcs."""
        return len(self.targets)

    def successors(self, node: int) -> NDArray[np.uint32]:
        """Targets of the arcs out of a node, in order."""
        return self.targets[int(self.offsets[node]) : int(self.offsets[node + 1])]

    @functools.cached_property
    def _nodes(self) -> dict[str, int]:
        return {url: node for node, url in enumerate(self.urls)}

    def node(self, url: str) -> int:
        """The node of a URL, or `MissingError` with those nearest to it."""
        found = self.get(url)
        if found is None:
            host = url.partition("://")[2].partition("/")[0]
            near = [each for each in self.urls if each.partition("://")[2].startswith(f"{host}/")]
            raise missing_page(url, near[:3], where=f"month {self.month}")
        return found

    def get(self, url: str) -> int | None:
        """The node of a URL; None if there is none."""
        return self._nodes.get(url)


@dataclass(frozen=True)
class TrueLink:
    """A link of a page, as its author meant it."""

    url: str
    anchor: str
    nofollow: bool


@dataclass(frozen=True)
class Answer:
    """What a server of the web would answer; status 0 means that nobody does."""

    status: int
    head: bytes
    body: bytes


@dataclass(frozen=True)
class Event:
    """A planted event: new pages and changed ones around a topic, from a month on."""

    name: str
    topic: int
    month: int
    born: list[str]
    changed: list[str]
    linked: list[str] = field(default_factory=list)
    """Older pages about it that are only linked to from its month on."""
    kind: str = "linked"
    """What it is made of (see `webstrata.invitro.events`); ``noise`` for what nobody asks for."""


@dataclass(frozen=True)
class Query:
    """A query of the log, with its share of all queries."""

    text: str
    popularity: float


@dataclass(frozen=True)
class Changes:
    """What happened to served pages between two months."""

    born: list[str]
    died: list[str]
    changed: list[str]
    unchanged: int


class Web(LivingWeb):
    """A web that does not exist.

    Parameters
    ----------
    preset
        One of ``tiny``, ``small``, ``realistic``, ``hostile``, ``clean``, ``uk-2007``.
    seed
        Another seed gives another web of the same kind.
    settings
        The settings of the preset with all changes, where they were made already.
    overrides
        Else, settings to be changed, see `InvitroSettings`.

    Examples
    --------
    >>> web = Web("tiny", seed=7)
    >>> graph = web.graph(month=0)
    >>> url = graph.urls[0]
    >>> sorted(link.url for link in web.links(url))[0] in graph.urls
    True
    """

    def __init__(
        self,
        preset: str = "realistic",
        *,
        seed: int = 0,
        settings: InvitroSettings | None = None,
        **overrides: float,
    ) -> None:
        if not 0 <= seed < 1 << 64:
            raise SettingError(f"seed {seed} is out of range: it must be a whole number from 0 to 2⁶⁴ − 1")
        self.preset = preset
        self.seed = seed
        self.settings = settings or make_settings(preset, overrides)
        parameters = asdict(self.settings) | {"spam_hosts": num_spam_hosts(self.settings)}
        self._core = InvitroWeb(
            [(name, float(value)) for name, value in parameters.items() if name not in _NOT_OF_THE_CORE],
            seed,
            [(words.function_words, words.syllables) for words in VOCABULARIES],
            THEME.fragments(),
            [astuple(event) for event in plan_events(self.settings, seed)],
        )

    # ---- the truth

    def graph(self, month: int = 0, *, view: View = "served", progress: Progress | None = None) -> TrueGraph:
        """The graph of a month."""
        self._check_month(month)
        with (progress or Progress()).task("true graph", total=self._core.num_pages, unit="pages") as task:
            found = self._core.graph(month, view, progress=task.advance)
        urls = TrueUrls(found.pop("urls"), found.pop("url_offsets"))
        return TrueGraph(month=month, view=view, urls=urls, **found)

    def hosts(self, month: int = 0) -> dict[str, list[Any]]:
        """Columns about all hosts, absent ones too: name, mirror, present, size, topic, spam, address."""
        self._check_month(month)
        return self._core.hosts(month)

    def home_pages(self, month: int = 0) -> list[str]:
        """Addresses of the home pages of all hosts that are there: the seeds of a crawl."""
        hosts = self.hosts(month)
        scheme = "https" if self.settings.tls else "http"
        present = zip(hosts["name"], hosts["present"], strict=True)
        return [f"{scheme}://{name}/" for name, there in present if there]

    def facts(self, url: str, month: int = 0) -> Mapping[str, Any] | None:
        """Everything about an address (status, allowed, topic, text), or None if its host does not exist."""
        self._check_month(month)
        return self._core.facts(url, month)

    def table(self, urls: Sequence[str], month: int = 0) -> pa.Table:
        """The facts about many addresses, a row each: status, allowed, topic, spam, text, duplicate_of.

        Where the host of an address does not exist, its status is 0 and the rest is missing.

        Examples
        --------
        >>> web = Web("tiny", seed=7)
        >>> table = web.table([*web.home_pages(), "http://nobody.example/"])
        >>> table["status"].to_pylist()[-1], set(table["allowed"].to_pylist()[:-1])
        (0, {True})
        """
        rows = [{"url": url} | dict(self.facts(url, month) or {"status": 0}) for url in urls]
        return pa.Table.from_pylist(rows, schema=_FACTS)

    def fetch(self, url: str, month: int = 0, *, user_agent: str = "", accept_encoding: str = "") -> Answer:
        """What the server would answer, temporary failures aside, without a network in between."""
        self._check_month(month)
        found = self._core.fetch(url, month, user_agent=user_agent, accept_encoding=accept_encoding)
        return Answer(*found) if found else Answer(0, b"", b"")

    def links(self, url: str, month: int = 0) -> list[TrueLink]:
        """The links of a page in the order of the template, as absolute addresses; none if it is no page."""
        self._check_month(month)
        return [TrueLink(*link) for link in self._core.links(url, month)]

    def text(self, url: str, month: int = 0) -> str:
        """The main content of a page; empty where it is no page."""
        return str((self.facts(url, month) or {}).get("text", ""))

    def topic(self, url: str, month: int = 0) -> int | None:
        """The topic of a page, or of its host where it is no page."""
        return (self.facts(url, month) or {}).get("topic")

    def allowed(self, url: str, month: int = 0) -> bool:
        """Whether robots.txt lets a crawler fetch an address."""
        return bool((self.facts(url, month) or {}).get("allowed", False))

    def is_spam(self, host: str, month: int = 0) -> bool:
        """Whether a host belongs to a link farm."""
        self._check_month(month)
        found = self._core.find_host(host, month)
        return bool(found and found[1])

    def duplicate_of(self, url: str, month: int = 0) -> str | None:
        """The address of the page that this one shows too, if it is a duplicate."""
        return (self.facts(url, month) or {}).get("duplicate_of")

    def near_duplicates(self, month: int = 0) -> list[tuple[str, str]]:
        """Pairs of a variation and what it varies; each page once, under the first of its addresses."""
        graph = self.graph(month)
        pairs = []
        _, firsts = np.unique(graph.pages, return_index=True)
        firsts.sort()
        order = firsts[np.argsort(graph.families[firsts], kind="stable")]
        families = graph.families[order]
        starts = np.flatnonzero(np.r_[True, families[1:] != families[:-1]])
        for begin, end in zip(starts, np.r_[starts[1:], len(families)], strict=True):
            if end - begin > 1:
                members = order[begin:end]
                original = [node for node in members if graph.pages[node] == graph.families[node]]
                pairs += [
                    (graph.urls[int(node)], graph.urls[int(original[0])])
                    for node in members
                    if original and node != original[0]
                ]
        return pairs

    def changes(self, before: int, after: int) -> Changes:
        """Which served addresses were born, died, or changed their text between two months."""
        old, new = self.graph(before), self.graph(after)
        then = dict(zip(old.urls, old.contents.tolist(), strict=True))
        now = dict(zip(new.urls, new.contents.tolist(), strict=True))
        common = [url for url in new.urls if url in then]
        changed = [url for url in common if then[url] != now[url]]
        return Changes(
            born=[url for url in new.urls if url not in then],
            died=[url for url in old.urls if url not in now],
            changed=changed,
            unchanged=len(common) - len(changed),
        )

    def events(self, month: int | None = None) -> list[Event]:
        """The planted events, with the addresses concerned as they are in `month` (default: the last)."""
        month = self.settings.months - 1 if month is None else month
        self._check_month(month)
        planned = plan_events(self.settings, self.seed)
        pairs = zip(self._core.events(month), planned, strict=True)
        return [Event(*event, kind=plan.kind) for event, plan in pairs]

    def queries(self, number: int = 1000) -> list[Query]:
        """The most popular queries of the log; popularity falls as 1 / (rank + 1)."""
        total = self._core.num_queries()
        harmonic = float(np.sum(1.0 / np.arange(1, total + 1)))
        return [
            Query(self._core.query(rank), 1 / (rank + 1) / harmonic) for rank in range(min(number, total))
        ]

    def describe(
        self,
        *,
        month: int = 0,
        sample: int | None = None,
        corpus: Path | None = None,
        progress: Progress | None = None,
    ) -> WebDescription:
        """What this web looks like, see `webstrata.invitro.describe`."""
        from webstrata.invitro.describe import describe

        return describe(self, month=month, sample=sample, corpus=corpus, progress=progress)

    # ---- the server

    def serve(
        self,
        month: int = 0,
        *,
        port: int = 0,
        origins: bool = False,
        workers: int = 1,
        log: Path | None = None,
        append_log: bool = False,
        speed: float = 0.0,
        started: float | None = None,
        given: GivenGraph | None = None,
        archive: ArchivedWeb | None = None,
    ) -> InvitroServer:
        """A server of one month, running until it is closed; a context manager.

        Parameters
        ----------
        month
            The month to serve.
        port
            0 for any free one.
        origins
            Listen on all loopback addresses, so that every host has the one of `hosts`; else on 127.0.0.1
            alone.
        workers
            Threads.
        log
            Where to write a line per request, for the judge.
        append_log
            Go on with a log that is there.
        speed
            For a web in continuous time: seconds of the web in one of ours. `month` is the tick at which it
            begins. 0 for a web that stands still.
        started
            When that time began to count, in seconds since 1970; default: now.
        given
            A graph to be served under its own addresses, in place of the web's.
        archive
            Captures to be served under their own addresses, in place of the web's.

        Examples
        --------
        >>> from urllib.request import ProxyHandler, build_opener
        >>> web = Web("tiny", seed=7)
        >>> with web.serve() as server:
        ...     browser = build_opener(ProxyHandler({"http": server.proxy}))
        ...     with browser.open(web.home_pages()[0]) as response:
        ...         response.status
        200
        """
        self._check_month(month)
        return InvitroServer(
            self,
            month,
            port=port,
            origins=origins,
            workers=workers,
            log=log,
            append_log=append_log,
            speed=speed,
            started=time.time() if started is None else started,
            given=given,
            archive=archive,
        )

    def header(self, month: int) -> dict[str, Any]:
        """What the log of a server says about its web; `from_header` makes the web from it again."""
        defaults = make_settings(self.preset, {})
        overrides = {
            field.name: getattr(self.settings, field.name)
            for field in fields(self.settings)
            if getattr(self.settings, field.name) != getattr(defaults, field.name)
        }
        return {"preset": self.preset, "seed": self.seed, "month": month, "overrides": overrides}

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Web:
        """The web that a log's header describes."""
        return cls(header["preset"], seed=header["seed"], **header["overrides"])

    def _check_month(self, month: int) -> None:
        if not 0 <= month < self.settings.months * max(30 * self.settings.ticks_per_day, 1):
            raise SettingError(
                f"month {month} is out of range: this web has the months 0 to {self.settings.months - 1}; "
                "give it more with --months"
            )

    def __repr__(self) -> str:
        return f"<Web {self.preset}, seed {self.seed}, {self.settings.hosts} hosts>"


def make_settings(
    preset: str, overrides: Mapping[str, object], *, environment: Mapping[str, str] | None = None
) -> InvitroSettings:
    """The settings of a preset with some of them changed, by a caller or by environment variables.

    Examples
    --------
    >>> make_settings("tiny", {"pages": 400}).pages
    400
    """
    if preset not in PRESETS:
        raise SettingError(unknown_name("preset", preset, "preset", PRESETS))
    settings = InvitroSettings.read(
        options=overrides, files=[(f"preset {preset}", PRESETS[preset])], environment=environment or {}
    )
    if settings.pages < settings.hosts:
        raise SettingError(
            f"{settings.pages} pages are too few for {settings.hosts} hosts: each has one at least; "
            "ask for more pages or fewer hosts"
        )
    if settings.uk_share + settings.foreign_share > 1:
        raise SettingError("uk_share and foreign_share are parts of one whole: their sum must not be above 1")
    return settings
