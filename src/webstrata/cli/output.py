"""How results and progress look: tables and JSON on stdout, bars and notes on stderr."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sys
import textwrap
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from webstrata.collection.cells import lay_out_cells
from webstrata.collection.cells import show_bytes as show_bytes
from webstrata.collection.progress import Progress, Task
from webstrata.errors import UrlError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from webstrata.collection.action import Hint
    from webstrata.collection.tables import Result, Table


QUIET = "webstrata.quiet"
"""Where the context of a command keeps that it prints no progress and no notes."""


def is_quiet() -> bool:
    """Whether the running command was given --quiet.

    Examples
    --------
    >>> is_quiet()
    False
    """
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def say(sentence: str) -> None:
    """Print a note on stderr, unless the command is quiet."""
    if not is_quiet():
        click.echo(sentence, err=True)


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
        say(f"note: {why or f'{asked} stands for {answered}'}; this is about {answered}")


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


def _to_json(value: object) -> object:
    if hasattr(value, "to_dict"):  # a result
        return value.to_dict()
    return value.isoformat() if isinstance(value, dt.datetime) else str(value)


def show(result: Result, *, limit: int | None = None) -> None:
    """Print the tables of a result that people look at, with titles unless the result is the table.

    Warnings follow on stderr. With `limit`, no table has more rows.

    Examples
    --------
    >>> from webstrata.collection.tables import Rows
    >>> show(Rows("hosts", [{"host": "a.example", "share": 0.5}] * 3, formats={"share": ".1%"}), limit=1)
    host       share
    a.example  50.0%
    and 2 more; --json has all of them
    """
    show_tables(result.tables(), limit=limit, untitled=result)
    show_warnings(getattr(result, "warnings", ()))


def show_tables(tables: Mapping[str, Table], *, limit: int | None = None, untitled: object = None) -> None:
    """Print tables that people look at with their titles.

    Without a title are the table that is `untitled`, and one alone whose name is all that its title says.
    """
    shown = [
        (title, table, cells)
        for title, table in tables.items()
        if table.shown != 0 and (cells := lay_out_cells(table, table.shown if limit is None else limit)).rows
    ]
    for number, (title, table, cells) in enumerate(shown):
        is_plain = len(shown) == 1 and getattr(table, "name", "").lower() == title.lower()
        if table is not untitled and not is_plain:
            click.echo(f"{chr(10) if number else ''}{title}\n")
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        for line in lay_out_table(cells.columns, cells.rows, width, cells.is_number):
            click.echo(line)
        if cells.left_out:
            click.echo(f"and {cells.left_out:,} more; --json has all of them")
        if table.note:
            click.echo(f"\n{table.note}")


def show_lines(lines: Iterable[str]) -> None:
    """Print sentences of a result, one per line."""
    for line in lines:
        click.echo(line)


def show_hints(hints: Iterable[Hint]) -> None:
    """Print what a result says about what to do next, one sentence per line.

    Examples
    --------
    >>> from webstrata.collection.action import Action, Hint
    >>> show_hints([Hint("the graph is stale", Action("build", "uk", "2026-06", ("graph",)))])
    the graph is stale; run `webstrata build uk 2026-06 graph`
    """
    for hint in hints:
        click.echo(hint.explain())


def draw(result: Result, folder: Path | None, *, page: str, title: str) -> list[Path]:
    """Write the figures of a result for --plots; the paths, the page last, and none without a folder."""
    if folder is None:
        return []
    from webstrata.serve.figures.results import write_result

    return write_result(result, folder, page=page, title=title)


def show_plots(paths: Sequence[Path]) -> None:
    """Say where the page of the figures is, if there are any."""
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def show_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; columns of numbers stand to the right.

    On a terminal it is no wider than that: long cells are wrapped. Elsewhere every row is one line.

    Examples
    --------
    >>> show_table(["part", "bytes"], [["graph", 1234], ["urls", 3]])
    part   bytes
    graph  1,234
    urls       3
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lay_out_table(columns, [list(row) for row in rows], width):
        click.echo(line)


def lay_out_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    width: int | None,
    right: Sequence[bool] | None = None,
) -> list[str]:
    """The lines of a table, within `width` where one is given; columns of numbers, or `right`, to the right.

    Columns of text are narrowed, the widest first, and their cells wrapped; numbers stay whole. Where that is
    not enough, every row is printed as a list of its cells.

    Examples
    --------
    >>> for line in lay_out_table(["URL", "links"], [["http://example.org/fish", 12345]], 24):
    ...     print(line)
    URL                links
    http://example.o  12,345
    rg/fish
    """
    texts = [[_cell(value) for value in row] for row in rows]
    if right is None:
        right = [
            all(isinstance(value, int | float) for value in column) for column in zip(*rows, strict=True)
        ]
    right = list(right) or [False] * len(columns)
    widths = [max(len(cell) for cell in column) for column in zip(columns, *texts, strict=True)]
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        narrowed = _narrow(columns, texts, right, widths, width)
        if narrowed is None:
            return _lay_out_cells(columns, texts, width)
        widths = narrowed
    lines = []
    for row in [list(columns), *texts]:
        cells = [_wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
        for place in range(max(map(len, cells), default=0)):
            pieces = [lines_of[place] if place < len(lines_of) else "" for lines_of in cells]
            line = "  ".join(
                piece.rjust(size) if is_right else piece.ljust(size)
                for piece, size, is_right in zip(pieces, widths, right, strict=True)
            )
            lines.append(line.rstrip())
    return lines


_NARROW = 12
"""Characters that a column of text has at least, if its cells have as many."""


def _narrow(
    columns: Sequence[str], texts: list[list[str]], right: list[bool], widths: list[int], width: int
) -> list[int] | None:
    """Widths that fit, or nothing where even the narrowest do not."""
    floors = []
    for place, column in enumerate(columns):
        cells = [row[place] for row in texts]
        longest = max(map(len, cells), default=0)
        word = max(map(len, column.split()), default=0)
        floors.append(max(word, longest if right[place] else min(longest, _NARROW)))
    if sum(floors) + 2 * (len(floors) - 1) > width:
        return None
    widths = list(widths)
    while sum(widths) + 2 * (len(widths) - 1) > width:
        widest = max(
            (place for place in range(len(widths)) if widths[place] > floors[place]),
            key=lambda place: widths[place],
        )
        widths[widest] -= 1
    return widths


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""] if len(text) > width else [text]


def _lay_out_cells(columns: Sequence[str], texts: list[list[str]], width: int) -> list[str]:
    """A row below the other, and in it a cell below the other."""
    names = max(map(len, columns), default=0)
    indent = " " * (names + 2)
    lines = []
    for row in texts:
        for column, cell in zip(columns, row, strict=True):
            pieces = _wrap(cell, max(width - len(indent), _NARROW))
            lines.append(f"{column.ljust(names)}  {pieces[0]}".rstrip())
            lines += [indent + piece for piece in pieces[1:]]
        lines.append("")
    return lines[:-1]


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def show_warnings(warnings: Iterable[str]) -> None:
    """Print the warnings of a result on stderr, one per line (see `webstrata.collection.caveats`)."""
    for sentence in warnings:
        click.echo(f"warning: {sentence}", err=True)


PROGRESS_INTERVAL = 10.0
"""Seconds between two lines of progress where stderr is not a terminal."""


class TerminalProgress(Progress):
    """Bars on stderr for tasks over a second; where it is no terminal, a line every ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._bars: Bars | None = None
        self._ids: dict[int, TaskID] = {}
        self._said = time.monotonic()
        self._is_quiet = is_quiet()

    def note(self, sentence: str) -> None:
        """Print a sentence above the bars."""
        if self._is_quiet:
            return
        if self._bars is not None:
            self._bars.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            click.echo(sentence, err=True)

    def changed(self, task: Task) -> None:
        """Show the task once it is slow enough to be worth it."""
        now = time.monotonic()
        if self._is_quiet or now - task.started < 1:
            return
        if not sys.stderr.isatty():
            if now - self._said > PROGRESS_INTERVAL:
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


def confirm(question: str, what: str) -> None:
    """Ask before something is lost; where nobody can be asked, refuse."""
    if not sys.stdin.isatty():
        raise UsageError(f"{what}, and nobody can be asked; add --yes to confirm")
    if not click.confirm(question, err=True):
        click.echo("Nothing was changed.", err=True)
        raise click.exceptions.Exit(1)
