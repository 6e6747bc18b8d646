"""How a running crawl looks on a terminal: the whole of it for `watch`, the essentials for `crawl` itself."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli import output
from webstrata.cli.output import TerminalProgress, show_bytes
from webstrata.collection.cells import show_time
from webstrata.collection.sentences import tell_count
from webstrata.crawl.status import find_progress, find_rest, name_crawl, nonzero

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType
    from rich.live import Live

    from webstrata.collection.progress import Task
    from webstrata.crawl.run import Crawl

BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 44
_BESIDE = 51
"""Columns that stand beside the bars: the frame, the name of the line and its numbers."""
_STYLES = {
    "running": "green",
    "paused": "yellow",
    "out of space": "red",
    "stopping": "yellow",
    "storing": "cyan",
}


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """The last values as bars from 0 to their largest.

    Examples
    --------
    >>> sparkline([0, 1, 2, 4, 8])
    '▁▂▃▅█'
    >>> sparkline([5], 3), sparkline([], 3), sparkline([0, 0], 3)
    ('█', '', '▁▁')
    """
    shown = list(values)[-width:]
    largest = max(shown, default=0.0)
    if largest <= 0:
        return BARS[0] * len(shown)
    return "".join(BARS[min(int(len(BARS) * value / largest), len(BARS) - 1)] for value in shown)


class History:
    """What rates and sizes were a while ago, a value a second or so.

    Examples
    --------
    >>> history = History()
    >>> for second in range(3):
    ...     history.add({"seconds": second, "pages": second * 7, "bytes": 0, "front": second})
    >>> list(history.rates["pages"]), list(history.front)
    ([7.0, 7.0], [0, 1, 2])
    """

    def __init__(self, length: int = 600) -> None:
        self.rates = {name: deque[float](maxlen=length) for name in ("pages", "bytes")}
        self.front: deque[int] = deque(maxlen=length)
        self._last: Mapping[str, Any] | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in a row: ``seconds`` and counters."""
        if self._last is not None:
            seconds = row["seconds"] - self._last["seconds"]
            if seconds < 0.5:
                return
            for name, rates in self.rates.items():
                rates.append(max(row.get(name, 0) - self._last.get(name, 0), 0) / seconds)
        self.front.append(row.get("front", 0))
        self._last = row


def to_row(status: Mapping[str, Any]) -> dict[str, Any]:
    """A status as a row of a history."""
    return {"seconds": status["seconds"], **status["counters"]}


def plain_line(status: Mapping[str, Any]) -> str:
    """A status on a line.

    Examples
    --------
    >>> plain_line({"seconds": 75.0, "state": "running", "rates": {"pages": 45.25, "bytes": 1 << 20},
    ...             "counters": {"pages": 2047, "front": 3, "required_front": 1000, "waiting": 5}})
    '1:15 running: 2,047 pages, 45.2 pages/s, 1.0 MiB/s, front 3 of 1,000, 0 in flight, 5 URLs queued, ...'
    """
    counters, rates = status["counters"], status["rates"]
    queued = counters.get("waiting", 0) + counters.get("virtualized", 0)
    failed = sum(counters[name] for name in nonzero(counters, "failed_"))
    return (
        f"{show_time(status['seconds'])} {status['state']}: {tell_count(counters['pages'], 'page')}, "
        f"{rates['pages']:,.1f} pages/s, {show_bytes(int(rates['bytes']))}/s, "
        f"front {counters.get('front', 0):,} of {counters.get('required_front', 0):,}, "
        f"{counters.get('in_flight', 0):,} in flight, {tell_count(queued, 'URL')} queued, {failed:,} failed"
        f"{_time_left(status, ', ')}"
    )


def draw_essentials(status: Mapping[str, Any], history: History) -> RenderableType:
    """Four lines, or five where there is a limit: what is done, how fast, and what waits."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    grid.add_row("crawling", _done(status))
    if status.get("shortage"):
        grid.add_row("disk full", status["shortage"])
    if bar := _progress(status):
        grid.add_row("", bar)
    for row in _rates(status, history)[:2]:
        grid.add_row(row[0], f"{row[1]}  {row[2]}")
    grid.add_row("queues", f"{_front(status)}, {_queues(status)}")
    return grid


def draw_dashboard(
    status: Mapping[str, Any], history: History, width: int = _WIDTH + _BESIDE
) -> RenderableType:
    """Everything, in a frame that is no wider than the terminal."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    counters = status["counters"]
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    grid.add_row("done", _done(status))
    if status.get("shortage"):
        grid.add_row("disk full", Text(status["shortage"], style="red"))
    bars_width = max(min(_WIDTH, width - _BESIDE), 8)
    if bar := _progress(status, bars_width):
        grid.add_row("progress", Text(bar, style="green"))
    elif left := _time_left(status):
        grid.add_row("progress", left)
    for name, numbers, bars in _rates(status, history, bars_width):
        line = Text(f"{numbers}  ")
        line.append(bars, style="cyan")
        grid.add_row(name, line)
    grid.add_row("hosts", _hosts(counters))
    grid.add_row("sieve", _sieve(counters))
    grid.add_row("queues", _queues(status))
    for title, prefix in (("answers", "status_"), ("failures", "failed_")):
        found = nonzero(counters, prefix)
        text = "   ".join(f"{name.removeprefix(prefix)} {counters[name]:,}" for name in found)
        grid.add_row(title, Text(text or "none", style="red" if found and title == "failures" else ""))
    if given_up := status.get("given_up"):
        grid.add_row("left alone", "   ".join(f"{reason} {count:,}" for reason, count in given_up.items()))
    grid.add_row("not fetched", _skipped(counters))
    grid.add_row(
        "stored",
        f"{show_bytes(counters.get('stored', 0))} of {tell_count(counters.get('captures', 0), 'capture')}",
    )
    if status["changes"]:
        grid.add_row("changes", Text("; ".join(map(_change, status["changes"][-3:]))))
    state = Text(status["state"], style=_STYLES.get(status["state"], ""))
    head = Text(f"{name_crawl(status)} · ") + state + Text(f" · {show_time(status['seconds'])}")
    return Panel(grid, title=head, title_align="left", subtitle="q leaves, the crawl continues", expand=False)


def _done(status: Mapping[str, Any]) -> str:
    counters, settings = status["counters"], status["settings"]
    limit = settings.get("max_pages", 0)
    of_limit = f"{counters['pages']:,} of " if limit else ""
    pages = tell_count(limit or counters["pages"], "page")
    text = f"{of_limit}{pages} ({tell_count(counters.get('duplicates', 0), 'duplicate')})"
    return f"{text}, {tell_count(counters.get('discovered', 0), 'URL')} discovered"


def _time_left(status: Mapping[str, Any], before: str = "") -> str:
    """When what is known would be done; what it leads to is not known."""
    found = find_rest(status)
    return f"{before}{show_time(found[1])} to go for {found[0]:,} known URLs" if found else ""


def _progress(status: Mapping[str, Any], width: int = _WIDTH) -> str:
    """A bar, where there is a limit; without one nobody knows how large the web is."""
    found = find_progress(status)
    if found is None:
        return ""
    full = round(found[0] * width)
    return f"{'━' * full}{'·' * (width - full)} {found[0]:.0%}, {show_time(found[1])} to go"


def _rates(status: Mapping[str, Any], history: History, width: int = _WIDTH) -> list[tuple[str, str, str]]:
    rates, means = status["rates"], status["means"]
    pages = f"{rates['pages']:,.1f} now, {means['pages']:,.1f} mean"
    received = f"{show_bytes(int(rates['bytes']))} now, {show_bytes(int(means['bytes']))} mean"
    return [
        ("pages/s", f"{pages:<32}", sparkline(history.rates["pages"], width)),
        ("bytes/s", f"{received:<32}", sparkline(history.rates["bytes"], width)),
        ("front", f"{_front(status):<32}", sparkline(history.front, width)),
    ]


def _front(status: Mapping[str, Any]) -> str:
    counters = status["counters"]
    return (
        f"{counters.get('front', 0):,} of {counters.get('required_front', 0):,}, "
        f"{counters.get('in_flight', 0):,} in flight"
    )


def _hosts(counters: Mapping[str, int]) -> str:
    return (
        f"{counters.get('hosts', 0):,} at {counters.get('addresses', 0):,} addresses, "
        f"{counters.get('hosts_unresolved', 0):,} names not resolved, "
        f"{counters.get('hosts_closed', 0):,} given up or full, {counters.get('held', 0):,} held"
    )


def _sieve(counters: Mapping[str, int]) -> str:
    return (
        f"{tell_count(counters.get('enqueued', 0), 'URL')} in, {counters.get('discovered', 0):,} out, "
        f"flushed {counters.get('flushes', 0):,} times"
    )


def _queues(status: Mapping[str, Any]) -> str:
    counters = status["counters"]
    return (
        f"{counters.get('waiting', 0):,} out of the sieve, {counters.get('virtualized', 0):,} on disk "
        f"({tell_count(counters.get('virtualized_hosts', 0), 'host')}), limbo {counters.get('limbo', 0):,}, "
        f"workbench {show_bytes(counters.get('workbench_bytes', 0))}"
    )


def _skipped(counters: Mapping[str, int]) -> str:
    names = ("disallowed", "filtered", "dropped", "rejected", "foreign")
    return "   ".join(f"{name} {counters[name]:,}" for name in names if counters.get(name)) or "none"


def _change(change: Mapping[str, Any]) -> str:
    at = show_time(change["seconds"])
    if "blacklist" in change:
        return f"{change['blacklist']} shut out at {at}"
    return f"{change['name']} {change['value']} since {at}"


class CrawlProgress(TerminalProgress):
    """Progress of a crawl on stderr: four or five lines on a terminal, elsewhere one every ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._crawl: Crawl | None = None
        self._live: Live | None = None
        self._history = History()
        self._drawn = 0.0
        self._spoken = time.monotonic()

    def watch(self, crawl: Crawl) -> None:
        """Show this crawl when it runs."""
        self._crawl = crawl

    def note(self, sentence: str) -> None:
        """Print a sentence above the display."""
        if self._live is not None:
            self._live.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            super().note(sentence)

    def changed(self, task: Task) -> None:
        """Draw again, at most twice a second."""
        control = self._crawl.control if self._crawl is not None else None
        if control is None or control.state == "storing":
            super().changed(task)
            return
        now = time.monotonic()
        if not sys.stderr.isatty():
            if now - self._spoken > output.PROGRESS_INTERVAL:
                self._spoken = now
                click.echo(f"crawling: {plain_line(control.status())}", err=True)
            return
        if now - task.started < 1 or now - self._drawn < 0.5:
            return
        self._drawn = now
        status = control.status()
        self._history.add(to_row(status))
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(draw_essentials(status, self._history), refresh=True)

    def closed(self, task: Task) -> None:
        """Take the display away when the crawl is over."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        super().closed(task)
