"""How results and progress look: tables and JSON on stdout, bars and notes on stderr."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from webstrata.collection.progress import Progress, Task
from webstrata.errors import UrlError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.progress import Progress as Bars
    from rich.progress import TaskID


@contextmanager
def beginning_anew() -> Iterator[None]:
    """Say so of a command that keeps nothing when it is interrupted.

    Examples
    --------
    >>> try:
    ...     with beginning_anew():
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt as error:
    ...     print(error)
    interrupted; the same command begins anew
    """
    try:
        yield
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt("interrupted; the same command begins anew") from error


def show_answered(asked: str, answered: str, why: str = "") -> None:
    """Say on stderr for which URL a command answers, where that is not the one asked for.

    Examples
    --------
    >>> show_answered("http://example.org", "http://example.org/")
    """
    from webstrata.web.url import normalize

    try:
        is_same = normalize(asked) == answered
    except UrlError:
        is_same = asked == answered
    if not is_same:
        click.echo(f"note: {why or f'{asked} stands for {answered}'}; this is about {answered}", err=True)


def show_json(document: object) -> None:
    """Print one JSON document; times are written as ISO 8601 has it.

    Examples
    --------
    >>> show_json({"built": dt.datetime(2026, 6, 30, 12, tzinfo=dt.UTC)})
    {
      "built": "2026-06-30T12:00:00+00:00"
    }
    """
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, default=_to_json))


def _to_json(value: object) -> str:
    return value.isoformat() if isinstance(value, dt.datetime) else str(value)


def show_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; columns of numbers stand to the right.

    Examples
    --------
    >>> show_table(["part", "bytes"], [["graph", 12], ["urls", 3]])
    part   bytes
    graph     12
    urls       3
    """
    texts = [[_cell(value) for value in row] for row in rows]
    right = [
        all(isinstance(value, int | float) for value in column) for column in zip(*rows, strict=True)
    ] or [False] * len(columns)
    widths = [max(len(cell) for cell in column) for column in zip(columns, *texts, strict=True)]
    for line in [list(columns), *texts]:
        cells = [
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())


def _cell(value: object) -> str:
    return (
        f"{value:,}".replace(",", " ")
        if isinstance(value, int) and not isinstance(value, bool)
        else str(value)
    )


def show_warnings(warnings: Iterable[str]) -> None:
    """Print the warnings of a result on stderr, one per line (see `webstrata.collection.caveats`)."""
    for sentence in warnings:
        click.echo(f"warning: {sentence}", err=True)


def show_bytes(number: int) -> str:
    """A size for people.

    Examples
    --------
    >>> show_bytes(0), show_bytes(1536), show_bytes(3 << 30)
    ('0 B', '1.5 KiB', '3.0 GiB')
    """
    size = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


class TerminalProgress(Progress):
    """Bars on stderr for tasks over a second; where it is no terminal, a line every ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._bars: Bars | None = None
        self._ids: dict[int, TaskID] = {}
        self._said = time.monotonic()

    def note(self, sentence: str) -> None:
        """Print a sentence above the bars."""
        if self._bars is not None:
            self._bars.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            click.echo(sentence, err=True)

    def changed(self, task: Task) -> None:
        """Show the task once it is slow enough to be worth it."""
        now = time.monotonic()
        if now - task.started < 1:
            return
        if not sys.stderr.isatty():
            if now - self._said > 10:
                self._said = now
                of_total = f" of {task.total:,}" if task.total else ""
                click.echo(f"{task.title}: {task.done:,}{of_total} {task.unit}".rstrip(), err=True)
            return
        if self._bars is None:
            self._bars = _new_bars()
            self._bars.start()
        if id(task) not in self._ids:
            self._ids[id(task)] = self._bars.add_task(task.title, total=task.total, unit=task.unit)
        self._bars.update(self._ids[id(task)], completed=task.done, total=task.total)

    def closed(self, task: Task) -> None:
        """Take the bar away when the last task is done."""
        if self._bars is not None and id(task) in self._ids:
            self._bars.remove_task(self._ids.pop(id(task)))
            if not self._ids:
                self._bars.stop()
                self._bars = None


def _new_bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
