"""A continuous crawl of a collection: one snapshot after the other, each cut when its time is over.

What it needs to go on lies in the folder ``continuous`` of the collection: ``pages.state`` and its
companions (`webstrata.crawl.schedule.pages`), and ``clock.json``, which says how the clock runs, which
snapshot is open and where its pages come from.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from webstrata.collection.files import explained, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.crawl.changes import kept_changes
from webstrata.crawl.recovery import can_go_on, is_finished
from webstrata.crawl.schedule.budget import parse_budget
from webstrata.crawl.schedule.calendar import end_of, label_of
from webstrata.crawl.schedule.clock import CrawlClock
from webstrata.crawl.schedule.cuts import is_marked, mark_snapshot
from webstrata.crawl.schedule.live import ScheduledCrawl
from webstrata.crawl.schedule.schedule import Schedule
from webstrata.crawl.schedule.settings import ContinuousSettings
from webstrata.crawl.schedule.thinning import find_superfluous, parse_keep
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike
    from pathlib import Path

    from webstrata.api import Collection, Snapshot
    from webstrata.crawl.control import Listener
    from webstrata.crawl.hosts import Hosts
    from webstrata.crawl.results import CrawlResult
    from webstrata.crawl.run import Crawl

FOLDER = "continuous"
CLOCK = "clock.json"
LOG = "requests.log"
MOST = 64
"""Snapshots of a collection."""
_LOOK = 2.0
"""Seconds between two looks at the settings file."""


@dataclass
class ContinuousResult:
    """What a continuous crawl did until it ended."""

    snapshots: list[str] = field(default_factory=list)
    """Those that were cut."""
    results: list[CrawlResult] = field(default_factory=list)
    visits: dict[str, int] = field(default_factory=dict)
    """By reason: new, due, early."""
    outcomes: dict[str, int] = field(default_factory=dict)
    """By what was found."""
    pages: int = 0
    days: float = 0.0
    """For which it ran, on the clock of the web."""

    @property
    def summary(self) -> str:
        """In one sentence."""
        number = sum(self.visits.values())
        cut = f"; cut {', '.join(self.snapshots)}" if self.snapshots else ""
        return (
            f"{number:,} visits to {self.pages:,} URLs in {self.days:.1f} days, "
            f"{self.visits.get('new', 0):,} of them first ones{cut}."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "snapshots": self.snapshots, "visits": self.visits, "outcomes": self.outcomes,
            "pages": self.pages, "days": self.days,
        }  # fmt: skip


def crawl_continuous(
    collection: Collection,
    *,
    seeds: str | PathLike[str] | Iterable[str] | None = None,
    invitro: str | None = None,
    invitro_seed: int = 0,
    speed: float = 1.0,
    days: float | None = None,
    options: Mapping[str, object] | None = None,
    schedule: Mapping[str, object] | None = None,
    listener: Listener | None = None,
    watch: Callable[[Crawl], None] | None = None,
    progress: Progress | None = None,
) -> ContinuousResult:
    """Crawl a collection again and again, and cut a snapshot now and then, until it is stopped.

    Parameters
    ----------
    collection
        A collection; what its newest snapshot has is visited again.
    seeds
        URLs to begin with, or a file of them. A crawl that was stopped needs none.
    invitro, invitro_seed
        Instead of seeds: the preset of a synthetic web in continuous time, and which of its kind.
    speed
        Seconds of the synthetic web in one of ours.
    days
        Stop and cut after so many days on the clock of the web; default: run until it is stopped.
    options, schedule
        Settings of ``[crawl]`` and of ``[continuous]``; the latter are remembered.
    listener, watch, progress
        As of `crawl_snapshot`.

    Examples
    --------
    >>> from webstrata import testing
    >>> result = crawl_continuous(
    ...     testing.empty(), invitro="living", speed=43_200, days=1, options={"workers": 1},
    ...     schedule={"budget": "2/page/day", "cut": "daily"})
    >>> result.snapshots
    ['2026-01-01']
    """
    progress = progress or Progress()
    given = {name: value for name, value in (options or {}).items() if value is not None}
    chosen = {name: value for name, value in (schedule or {}).items() if value is not None}
    settings = collection.settings(ContinuousSettings, chosen)
    folder = collection.path / FOLDER
    kept = _read_clock(folder)
    if invitro is None and kept:
        invitro, invitro_seed = kept.get("invitro"), kept.get("invitro_seed", 0)
    if not kept and (seeds is None) == (invitro is None) and not (seeds is None and len(collection.dates)):
        raise UsageError("what to crawl is not clear: give --seeds FILE, or --invitro PRESET")
    if speed <= 0 or (speed != 1 and invitro is None):
        raise UsageError(
            f"a speed of {speed:g}: only a synthetic web can be faster than ours; give --invitro"
        )
    clock = CrawlClock.read(kept["clock"]) if kept else _start_clock(invitro, speed)
    _check_clock(clock, kept)
    label = label_of(clock.now(), settings.cut)
    _check_room(collection, label)
    with ExitStack() as stack:
        hosts: Hosts = {}
        fitting: dict[str, Any] = {}
        lines: list[str] = []
        if invitro is not None:
            hosts, fitting, lines = _serve(stack, folder, invitro, invitro_seed, clock)
        elif seeds is not None:
            from webstrata.pipeline.crawl_snapshot import list_seeds

            lines = list_seeds(seeds)
        crawl_settings = collection.settings(CrawlSettings, fitting | given)
        _check_budget(settings, crawl_settings, clock, len(hosts))
        collection.remember(ContinuousSettings, chosen)
        planned = Schedule(folder, settings, clock, host_delay=crawl_settings.host_delay)
        stack.callback(planned.close)
        if not kept:
            _adopt(collection, planned)
        began, found = clock.now(), ContinuousResult()
        end = began + days * 86_400 if days is not None else float("inf")
        place = {"invitro": invitro, "invitro_seed": invitro_seed}
        open_label, until = (kept.get("open"), kept.get("until")) if kept else (None, None)
        try:
            while True:
                if open_label is None:
                    open_label, until = _begin(collection, clock, settings.cut)
                _write_clock(folder, {**place, "clock": clock.to_dict(), "open": open_label, "until": until,
                                      "seen": clock.now()})  # fmt: skip
                snapshot = collection.add(open_label)
                mark_snapshot(snapshot)
                result = _crawl(
                    snapshot, planned, min(float(until or 0), end), hosts, lines,
                    fitting, given, collection, listener, watch, progress,
                )  # fmt: skip
                found.results.append(result)
                if result.end != "exhausted":
                    break
                found.snapshots.append(open_label)
                progress.note(f"Cut {open_label}: {len(snapshot.urls):,} pages.")
                _thin(collection, planned.settings.keep, progress)
                if planned.settings.then == "run":
                    collection.run(progress=progress)
                open_label = None
                _write_clock(folder, {**place, "clock": clock.to_dict(), "open": None, "until": None,
                                      "seen": clock.now()})  # fmt: skip
                if clock.now() >= end:
                    break
        finally:
            found.visits, found.outcomes = dict(planned.reasons), dict(planned.outcomes)
            found.pages, found.days = len(planned.pages), (clock.now() - began) / 86_400
    return found


def _crawl(
    snapshot: Snapshot,
    planned: Schedule,
    until: float,
    hosts: Hosts,
    lines: list[str],
    fitting: dict[str, Any],
    given: dict[str, Any],
    collection: Collection,
    listener: Listener | None,
    watch: Callable[[Crawl], None] | None,
    progress: Progress,
) -> CrawlResult:
    """One snapshot, until it is cut."""
    looked = time.monotonic()

    def follow() -> None:
        nonlocal looked
        if time.monotonic() - looked >= _LOOK:
            looked = time.monotonic()
            from webstrata.collection import Collection as Plain

            planned.change(Plain.open(collection.path).settings(ContinuousSettings))

    changed = kept_changes(snapshot).settings
    settings = snapshot.settings(CrawlSettings, fitting | changed | given)
    crawl = ScheduledCrawl(
        snapshot,
        settings,
        schedule=planned,
        until=until,
        follow=follow,
        seeds=lines,
        hosts=hosts,
        processes=snapshot.settings(ResourcesSettings).num_workers,
        progress=progress,
        listener=listener,
    )
    if watch is not None:
        watch(crawl)
    return crawl.run()


def _begin(collection: Collection, clock: CrawlClock, cut: str) -> tuple[str, float]:
    """The next snapshot, and when it is cut."""
    now = clock.now()
    label, until = label_of(now, cut), end_of(now, cut).timestamp()
    if label in collection and not can_go_on(collection[label]):
        taken = collection[label]
        if is_finished(taken) or len(taken.parts):
            # another crawl has this name; the moment is one that nobody has
            label = dt.datetime.fromtimestamp(now, dt.UTC).strftime("%Y-%m-%dT%H%M")
    _check_room(collection, label)
    return label, until


def _thin(collection: Collection, keep: str, progress: Progress) -> None:
    """Remove the snapshots of earlier cuts that no rule keeps."""
    own = [label for label in collection.dates if is_marked(collection[label])]
    for label in find_superfluous(own, parse_keep(keep)):
        collection.remove(label, progress=progress)
        progress.note(f"Removed {label}, which keep = {keep} does not keep.")


def _check_room(collection: Collection, label: str) -> None:
    if label not in collection and len(collection.dates) >= MOST:
        raise UsageError(
            f"{collection.path}: a collection holds {MOST} snapshots, and this one has "
            f"{len(collection.dates)}; remove some, or cut less often"
        )


def _check_clock(clock: CrawlClock, kept: dict[str, Any]) -> None:
    seen = float(kept.get("seen", 0.0))
    if clock.now() < seen - 1:
        then = dt.datetime.fromtimestamp(seen, dt.UTC).isoformat(timespec="seconds")
        raise UsageError(
            f"the clock is behind the last visits, of {then}; set it right, or no page would be due for long"
        )


def _check_budget(settings: ContinuousSettings, crawl: CrawlSettings, clock: CrawlClock, hosts: int) -> None:
    """Refuse a budget that the hosts of a synthetic web do not allow; of other webs, hosts are not known."""
    if "page" in settings.budget or not hosts or not crawl.host_delay:
        return
    reachable = hosts / (crawl.host_delay * clock.speed)
    wanted = parse_budget(settings.budget) / 86_400
    if wanted > reachable:
        raise UsageError(
            f"budget {settings.budget}: {hosts:,} hosts with {crawl.host_delay:g} s between two visits allow "
            f"{reachable:.3g}/s; lower the budget or host_delay"
        )


def _adopt(collection: Collection, planned: Schedule) -> None:
    """Begin with the pages of the newest snapshot."""
    for label in reversed(collection.dates):
        snapshot = collection[label]
        if "pages" in snapshot.parts.names:
            table = snapshot.pages.table("url", "fetch_time")
            seconds = table["fetch_time"].cast(pa.int64()).to_numpy() // 1000
            planned.adopt(table["url"].to_pylist(), seconds)
            return


def _serve(
    stack: ExitStack, folder: Path, preset: str, seed: int, clock: CrawlClock
) -> tuple[Hosts, dict[str, Any], list[str]]:
    from webstrata.invitro.server import fitting_settings
    from webstrata.invitro.web import Web

    web = Web(preset, seed=seed)
    if not web.settings.ticks_per_day:
        raise UsageError(
            f"preset {preset} moves by months; a continuous crawl needs one in continuous time: living"
        )
    with explained(folder, "write"):
        folder.mkdir(parents=True, exist_ok=True)
    log = folder / LOG
    goes_on = log.is_file()
    server = stack.enter_context(
        web.serve(origins=True, log=log, append_log=goes_on, speed=clock.speed, started=clock.since)
    )
    if goes_on:
        server.mark_restart()
    hosts: Hosts = {name: (address, server.port) for name, address in server.addresses().items()}
    return hosts, fitting_settings(web), web.home_pages()


def _start_clock(invitro: str | None, speed: float) -> CrawlClock:
    now = time.time()
    if invitro is None:
        return CrawlClock(1.0, now, now)
    from webstrata.invitro.continuous import BEGINNING

    return CrawlClock(speed, now, float(BEGINNING))


def _read_clock(folder: Path) -> dict[str, Any]:
    path = folder / CLOCK
    if not path.is_file():
        return {}
    with explained(path, "read"):
        text = path.read_bytes()
    with suppress(ValueError):
        found = json.loads(text)
        if isinstance(found, dict) and "clock" in found:
            return found
    raise FormatError(f"{path}: not the clock of a continuous crawl; put the file back from a copy")


def _write_clock(folder: Path, told: dict[str, Any]) -> None:
    replace_file(folder / CLOCK, json.dumps(told).encode())
