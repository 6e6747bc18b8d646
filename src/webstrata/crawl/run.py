"""A crawl: settings, filters and priorities in, WARC files and the parts of a snapshot out.

The data plane is the core's (``rust/src/crawl``): a frontier that knows every URL, fetchers with thousands of
visits in flight, a flusher that writes. Here it is put together, watched and steered: functions of the user's
are called on batches, hosts wait for the gate, URLs of other agents are passed on, and the end is the store
step, which numbers the pages.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import defaultdict
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata._core.crawl import Engine
from webstrata.collection.files import explained, make_directory, replace_file
from webstrata.collection.progress import Progress
from webstrata.crawl.agents import Standing
from webstrata.crawl.changes import FILE as CHANGES
from webstrata.crawl.changes import SettingChanges, kept_changes, read_changes
from webstrata.crawl.configuration import check_settings, configure, configure_live, make_filters
from webstrata.crawl.control import SOCKET, Control, Listener
from webstrata.crawl.document_links import document_predicates
from webstrata.crawl.earlier import check_not_lending, lend_payloads
from webstrata.crawl.ending import raise_finished, settle_files
from webstrata.crawl.fetchers import fetch_seeds, has_scheme, merge_fetched
from webstrata.crawl.filters import Response
from webstrata.crawl.gate import FILE as GATE
from webstrata.crawl.gate import GateKeeper
from webstrata.crawl.given_up import FILE as GIVEN_UP
from webstrata.crawl.given_up import GivenUpHosts, read_given_up
from webstrata.crawl.hosts import check_hosts, read_hosts_table
from webstrata.crawl.judging import judge_hosts
from webstrata.crawl.name_servers import check_name_servers
from webstrata.crawl.priorities import as_core, choose_levels
from webstrata.crawl.recovery import SCRATCH, Past, can_go_on, is_finished, recover
from webstrata.crawl.results import CrawlResult
from webstrata.crawl.seeds import FILE as SEEDS
from webstrata.crawl.seeds import keep_seeds, read_seeds
from webstrata.crawl.series import FILE as SERIES
from webstrata.crawl.series import Series
from webstrata.crawl.settings import CrawlSettings
from webstrata.crawl.skip_reasons import read_cuts
from webstrata.crawl.stores import PREDICATE, GuardedStore, open_store
from webstrata.errors import AccessError, DiskFullError, SettingError, StorageError
from webstrata.store.build import build_parsed, build_store
from webstrata.web.dust import RULES, Learner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from webstrata.collection import Snapshot
    from webstrata.crawl.agents import Ring
    from webstrata.crawl.filters import Filter
    from webstrata.crawl.gate import Gate
    from webstrata.crawl.priorities import Priority
    from webstrata.crawl.stores import CrawlStore

    Filters = Mapping[str, Filter | None]
    Known = tuple[str, str, str]

_PERIOD = 0.1


class Crawl:
    """One crawl of a snapshot.

    Parameters
    ----------
    snapshot
        Where the pages go.
    settings
        What it obeys; by default what the settings files and the environment say.
    seeds
        URLs to begin with.
    pages
        Pages of an earlier crawl to be asked for again on condition that they changed: URL, ETag and
        Last-Modified, either of which may be empty.
    hosts
        Names with address and port, beside those of the hosts table.
    priority
        A function of URLs and depths (batches) that gives the level of each, 0 being served most; instead of
        the one that `settings.priority` names.
    predicates
        Functions by the names under which filters call them.
    gate
        A function of `HostSample` (a batch) that says for each host whether it is crawled on (see
        `webstrata.crawl.gate`).
    store
        What receives responses as they come, in addition to the WARC files (see `webstrata.crawl.stores`); in
        place of the one that `settings.store_to` names.
    ring, agent
        The agents that share the crawl, and which of them this one is.
    send
        Where URLs of other agents go: a function of the agent's name and a list of URLs with depths.
    waits
        Whether it waits when there is nothing left to fetch, because others may still `add` URLs, until
        `finish` is called; `webstrata.crawl.agents.is_agent_finished` tells when.
    parses
        Build text, links and anchors at the end.
    processes
        How many read the pages at the end; for more than one, a script must keep what it does behind
        ``if __name__ == "__main__":``.
    progress
        Where progress is shown.
    listener
        Where the crawl is asked and steered (see `webstrata.crawl.control`); by default at its socket alone.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> web = ws.invitro.Web("tiny", seed=7)
    >>> snapshot = testing.empty().add("2026-06")
    >>> settings = CrawlSettings(host_delay=0, ip_delay=0, resolve=False, retry_delay=0.01, max_crawl_delay=0)
    >>> with web.serve(origins=True) as server:
    ...     hosts = {name: (address, server.port) for name, address in server.addresses().items()}
    ...     result = Crawl(snapshot, settings, seeds=web.home_pages(), hosts=hosts).run()
    >>> result.end
    'exhausted'
    >>> list(snapshot.urls) == list(web.graph(view="collection").urls)
    True
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: CrawlSettings | None = None,
        *,
        seeds: Iterable[str] = (),
        pages: Iterable[Known] = (),
        hosts: Mapping[str, tuple[str, int | None]] | None = None,
        priority: Priority | None = None,
        predicates: Mapping[str, Any] | None = None,
        gate: Gate | None = None,
        store: CrawlStore | None = None,
        ring: Ring | None = None,
        agent: str = "",
        send: Callable[[str, list[tuple[str, int]]], None] | None = None,
        waits: bool = False,
        parses: bool = True,
        processes: int = 1,
        progress: Progress | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.snapshot = snapshot
        settings = settings or snapshot.settings(CrawlSettings, kept_changes(snapshot).settings)
        self.settings, self.priority = choose_levels(settings, priority)
        self.seeds = list(seeds)
        self.pages = list(pages)
        self.hosts = {name.lower(): place for name, place in (hosts or {}).items()}
        self.gate = gate
        self.agent = agent
        self.send = send
        self.waits = waits
        self.parses = parses
        self.processes = processes
        self.progress = progress or Progress()
        opened = store or open_store(self.settings.store_to, snapshot)
        self.store = GuardedStore(opened) if opened else None
        self.ring = ring
        own = {PREDICATE: self.store.write} if self.store else {}
        self.predicates = {**(predicates or {}), **own, **document_predicates(self)}
        self.filters = make_filters(self.settings, self.predicates, folder=snapshot.collection.path)
        self.listener = listener
        self.control: Control | None = None
        self._engine: Engine | None = None
        self.goes_on = False
        self._standing = Standing(is_idle=False, sent=0, received=0)
        self._num_given = 0
        self._num_rejected = 0
        self._given_up: GivenUpHosts | None = None
        self._keeper: GateKeeper | None = None
        self._changes = SettingChanges()
        self._learner = Learner(self.settings.dust_support)
        self._notices: Callable[[Engine], Iterable[Any]] = Engine.notices
        self._sources: Callable[[Path], Path] = merge_fetched
        self._check()

    # ---- running

    @property
    def folder(self) -> Path:
        """Where a crawl under way keeps its frontier and its files."""
        return self.snapshot.working_folder("crawl")

    def run(self, *, renew: str = "", again: bool = False) -> CrawlResult:
        """Crawl until the end, then build the parts of the snapshot.

        Parameters
        ----------
        renew
            The command that crawls it again, kept in the manifest.
        again
            Replace what an earlier crawl brought; without it, a snapshot is crawled once.
        """
        given = self._given()
        configuration = self.configuration()
        with self.snapshot.parts.writing(self.progress), ExitStack() as stack:
            if self.store is not None:
                stack.callback(self.store.close)
            self.goes_on = self._prepare(again=again)
            given += fetch_seeds(self.seeds, self.settings, self.snapshot, self.progress, self.filters)
            self._num_given = len(given)
            keep_seeds(self.folder, (url for url, _, told in given if told is None))
            past = recover(self.folder) if self.goes_on else Past()
            self._given_up = GivenUpHosts(self.folder)
            past.closed = [(host.origin, host.reason) for host in self._given_up.hosts.values()]
            self._keeper = GateKeeper(self.gate, self.folder, list(self._given_up.hosts))
            self._changes = read_changes(self.folder)
            if self.goes_on:
                self.progress.note(str(past))
                delay = max(self.settings.host_delay, self.settings.ip_delay)
                past.pause = min(max(past.ended + delay - time.time(), 0.0), delay)
            started, spent = time.monotonic(), time.process_time()
            try:
                lent = lend_payloads(self.snapshot, self.settings, self.folder, self.progress)
                engine = self._engine = Engine(configuration | past.to_core() | stack.enter_context(lent))
            except BaseException:
                # nothing was crawled, so nothing is in the way of the next attempt
                if not self.goes_on:
                    shutil.rmtree(self.folder, ignore_errors=True)
                raise
            try:
                control = self._begin_control(engine, stack)
                for name in self._changes.blacklist:
                    engine.blacklist(name)
                engine.add(given)
                if not self.waits:
                    engine.finish()
                interrupted = self._watch(engine)
                control.let_go()
                end = self._join(engine, interrupted=interrupted)
                self._answer(engine)
            except BaseException:
                # whatever a gate or a receiver raises, no thread goes on behind it
                if self.control is not None:
                    self.control.let_go()
                engine.stop(True)
                with suppress(Exception):
                    engine.join()
                raise
            finally:
                self._standing = self._read_standing(engine)
                self._engine = None
            seconds, spent = time.monotonic() - started, time.process_time() - spent
            before = sum(number for _, number in past.pages)
            cuts, rules = read_cuts(engine.cuts()), self._learner.rules()
            gate = self._keeper.summary()
            result = CrawlResult(end, seconds, engine.counters(), spent, before, cuts, rules, gate)
            self._store(result, renew)
        if interrupted:
            raise KeyboardInterrupt(
                f"stopped after {result.pages:,} pages, which are stored; the same command goes on from there"
            )
        return result

    def _given(self) -> list[tuple[str, int, str | None]]:
        """What it begins with, in the form of the core."""
        longest = self.settings.max_url_length
        given: list[tuple[str, int, str | None]] = []
        web = [seed for seed in self.seeds if not has_scheme(seed, self.settings.schemes)]
        only_others = bool(self.seeds) and not web
        if web or not (only_others or self.pages or self.waits or can_go_on(self.snapshot)):
            seeds = read_seeds(web, max_length=longest)
            self._num_rejected = len(seeds.rejects)
            for sentence in seeds.complaints():
                self.progress.note(sentence)
            given += [(url, 0, None) for url in seeds.urls]
        for url, tag, date in self.pages:
            known = read_seeds([url], where="pages", max_length=longest).urls[0]
            given.append((known, 0, f"{tag}\n{date}"))
        if self.settings.resolve:
            table = read_hosts_table(Path(self.settings.hosts_table)) if self.settings.hosts_table else {}
            urls = (url for url, _, _ in given)
            check_name_servers(self.settings.name_servers, urls, self.hosts.keys() | table.keys())
        return given

    def _watch(self, engine: Engine) -> bool:
        """Show progress and answer what the core asks until it is over; whether somebody pressed Ctrl-C."""
        shown, told = 0, ""
        interrupted = False
        total = self.settings.max_pages or None
        with self.progress.task("crawling", total=total, unit="pages") as task:
            while True:
                try:
                    if engine.is_over():
                        return interrupted
                    time.sleep(_PERIOD)
                    self._answer(engine)
                    pages = self._sample(engine)["pages"]
                    task.advance(pages - shown)
                    shown, told = pages, self._tell_shortage(told)
                except KeyboardInterrupt:
                    self.stop(now=interrupted)  # who presses it twice does not want to wait
                    if not interrupted:
                        self.progress.note("Stopping: visits under way are brought to their end.")
                    interrupted = True

    def _tell_shortage(self, told: str) -> str:
        """Say once that the disk is full, and once that it has room again; what was said of it."""
        shortage = self.control.shortage if self.control is not None else ""
        if shortage and not told:
            self.progress.note(shortage)
        elif told and not shortage:
            self.progress.note("There is room on the disk again: the crawl goes on.")
        return shortage

    def _join(self, engine: Engine, *, interrupted: bool) -> str:
        try:
            return engine.join()
        except DiskFullError as error:
            # what was stopped while the disk was full leaves its files as they are
            if interrupted:
                raise KeyboardInterrupt(str(error)) from error
            raise

    def _answer(self, engine: Engine) -> None:
        assert self._keeper is not None
        held: list[str] = []
        for notice in self._notices(engine):
            match notice:
                case ("gate", origin):
                    held.append(origin)
                case ("sample", origin, url, status, content_type, body):
                    page = Response(url=url, status=status, content_type=content_type, body=body)
                    self._keeper.show(origin, page)
                case ("closed", origin, reason, num_urls):
                    assert self._given_up is not None
                    self._given_up.add(origin, reason, num_urls)
                case ("seen", origin, target, content):
                    self._learner.note(origin, target, content)
                case ("foreign", agent, urls):
                    if self.send is not None and self.ring is not None:
                        self.send(self.ring.agents[agent], urls)
        for origin, names in self._learner.changes():
            engine.rule(origin, names)
        for origin, keeps in self._keeper.answer(held):
            engine.answer_gate(origin, keeps)

    def add(self, urls: Iterable[tuple[str, int]]) -> None:
        """Take up URLs in normal form, with depths, while the crawl runs: those that another agent sent."""
        if self._engine is None:
            raise ValueError("add: the crawl is not running")
        self._engine.add([(url, depth, None) for url, depth in urls])

    def stop(self, *, now: bool = False) -> None:
        """End the crawl in order, from any thread, without waiting for visits under way if it is `now`."""
        if self.control is not None:
            self.control.stop(now=now)

    def finish(self) -> None:
        """Let a crawl that `waits` end when there is nothing left to fetch; from any thread."""
        if self._engine is not None:
            self._engine.finish()

    @property
    def standing(self) -> Standing:
        """Whether there is anything to do, and what was exchanged with other agents."""
        engine = self._engine
        return self._standing if engine is None else self._read_standing(engine)

    def _read_standing(self, engine: Engine) -> Standing:
        counters = engine.counters()
        return Standing(
            is_idle=bool(counters["idle"]),
            sent=counters["foreign"],
            received=max(counters["received"] - self._num_given, 0),
        )

    def pause(self, *, paused: bool = True) -> None:
        """Begin no more visits until it is called with ``paused=False``."""
        if self.control is not None:
            self.control.pause() if paused else self.control.resume()

    # ---- control

    def _begin_control(self, engine: Engine, stack: ExitStack) -> Control:
        """Let the crawl be asked and steered until the stack is closed."""
        where = self.snapshot.collection
        path = str(where.path.resolve())
        about = {"collection": path, "title": where.title, "snapshot": self.snapshot.date}
        control = Control(
            engine,
            self.settings,
            about=about,
            series=Series(self.folder / SERIES),
            apply=self._change,
            changes=self._changes,
            folder=self.folder,
            given_up=self._given_up.counts if self._given_up else None,
        )
        try:
            listener = stack.enter_context(self.listener or Listener())
            listener.serve(control, self.folder)
        except (AccessError, StorageError) as error:
            # not every file system has sockets
            self.progress.note(f"This crawl cannot be controlled from another process: {error}")
        self.control = control
        stack.callback(setattr, self, "control", None)
        return control

    def _sample(self, engine: Engine) -> dict[str, int]:
        return self.control.sample() if self.control is not None else engine.counters()

    # ---- before and after

    def _check(self) -> None:
        if not self.settings.user_agent and self.settings.resolve:
            raise SettingError(
                "user_agent: a crawler needs a name and a contact; give them as "
                '--user-agent "example-crawler/1.0 (+https://example.org/crawler)"'
            )
        check_settings(self.settings)
        if self.gate is None and self.settings.gate_after:
            raise SettingError("gate_after: there is no gate to ask; leave it out, or give one")
        check_hosts(self.hosts)
        if self.ring is not None and self.agent not in self.ring.agents:
            raise ValueError(f"agent: expected one of {list(self.ring.agents)}, got {self.agent!r}")

    def _prepare(self, *, again: bool) -> bool:
        """Make a working folder, unless that would lose something; whether an earlier run is resumed."""
        folder = self.folder
        goes_on = can_go_on(self.snapshot) and not again
        if is_finished(self.snapshot) and not again:
            raise_finished(self.snapshot, parses=self.parses)
        check_not_lending(self.snapshot, again=again)
        with explained(folder, "write"):
            shutil.rmtree(folder / SCRATCH if goes_on else folder, ignore_errors=True)
        make_directory(folder)
        make_directory(folder / SCRATCH)
        return goes_on

    def _store(self, result: CrawlResult, renew: str) -> None:
        folder = self.folder
        learned: dict[str, list[str]] = defaultdict(list)
        for rule in result.rules:
            learned[rule.origin].append(rule.name)
        if learned:
            replace_file(folder / RULES, json.dumps(learned).encode())
        build_store(self.snapshot, self._sources(folder), parts=(), renew=renew, progress=self.progress)
        # the parts have the files now; what stays says how they came
        settings = self.control.settings if self.control else self.settings
        changes = self.control.changes if self.control else []
        report = {
            "settings": settings.to_dict(),
            "changes": changes,
            "given_up": dict(self._given_up.counts) if self._given_up else {},
            "rejected_seeds": self._num_rejected,
            **result.to_dict(),
        }
        kept = ("releases.log", SERIES, SOCKET, GIVEN_UP, SEEDS, GATE)
        # what was not reached may be asked for one day; the files are the same as those of the part
        is_whole = not (read_given_up(folder) or result.counters.get("unreached"))
        names = [path.name for path in folder.iterdir() if path.is_file()]
        settle_files(
            folder,
            json.dumps(report, indent=1, default=str).encode(),
            exhausted=result.end == "exhausted",
            removed=[CHANGES],
            whole=[n for n in names if n not in kept and not n.endswith(".log")] if is_whole else [],
        )
        # last, for it may take long; if it is interrupted, the same command builds what is missing
        if self.parses:
            build_parsed(self.snapshot, workers=self.processes, progress=self.progress)

    # ---- the core

    def configuration(self) -> dict[str, Any]:
        """The configuration of the core."""
        told = configure(self.settings, self.snapshot, self.filters)
        return told | {
            "live": self._live(self.settings, self.filters),
            "hosts": told["hosts"] | self.hosts,
            "prioritizer": as_core(self.priority, self.settings.levels) if self.priority else None,
            "ring": self.ring.places if self.ring else [],
        }

    def _live(self, settings: CrawlSettings, filters: Filters) -> dict[str, Any]:
        """The part that can change while it runs."""
        told = configure_live(settings, filters)
        numbers = dict(told["numbers"])
        numbers["gate_after"] = float(settings.gate_after if self.gate else -1)
        numbers["agent"] = float(self.ring.number(self.agent) if self.ring else 0)
        # a predicate has its number in the filters that it was compiled with, and no others
        return told | {"numbers": list(numbers.items()), "judge": partial(judge_hosts, filters)}

    def _change(self, settings: CrawlSettings) -> None:
        """Obey other settings and filters from now on, unless there is something wrong with them."""
        check_settings(settings)
        filters = make_filters(settings, self.predicates, folder=self.snapshot.collection.path)
        engine = self._engine
        if engine is not None:
            engine.change(self._live(settings, filters))
            self.settings, self.filters = settings, filters
