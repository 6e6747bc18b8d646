"""The counters of a crawl over time: ``crawl/series.jsonl``.

The first line is ``{"series": 1, "columns": […]}``: the version of the format, and what the lines below it
have. Each of these is an object: ``time``, seconds since 1970 UTC; ``seconds``, time spent crawling until
then; ``state``, as `control` tells it; and the counters of `COLUMNS`, as they stood. What only grows has a
rate between any two lines, whatever lay between them.

A line comes every second at first. When there are more than `MAX_ROWS`, every second one is taken out and
the interval doubles: a crawl of a month has as many lines as one of an hour, and the first and the last are
always there. A last line that was cut off counts as not written. A crawl that goes on after its end goes on
with its series too: ``seconds`` continues from the last line.
"""

from __future__ import annotations

import itertools
import json
import logging
import time
from typing import TYPE_CHECKING, Any

from webstrata._core.collection import Writer
from webstrata.collection.files import explained, replace_file
from webstrata.crawl.failures import FAILURES
from webstrata.errors import FormatError, NewerFormatError, UserError, WebstrataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Row = dict[str, Any]

FILE = "series.jsonl"
VERSION = 1
MAX_ROWS = 2_000
COLUMNS = (
    "pages", "duplicates", "captures", "requests", "robots", "retries", "truncated", "bytes",
    "payload", "stored", "links", "discovered", "disallowed", "filtered", "dropped", "hosts",
    "hosts_unresolved", "hosts_closed", "front", "required_front", "in_flight", "waiting", "virtualized",
    "virtualized_hosts", "limbo", "workbench_bytes", "held", "status_2xx", "status_3xx",
    "status_4xx", "status_5xx", *(failure.counter for failure in FAILURES),
)  # fmt: skip
"""The counters that are kept; one that the core does not have is left out."""

_log = logging.getLogger(__name__)


class Series:
    """A series that is being written.

    Parameters
    ----------
    path
        The file; an existing one is extended.
    max_rows
        How many lines it has at most.
    clock, wall_clock
        Where the time comes from: one that never goes back, and the time of day.

    Examples
    --------
    >>> from webstrata import testing
    >>> times = iter(range(100))
    >>> path = testing.scratch() / "series.jsonl"
    >>> series = Series(path, max_rows=4, clock=lambda: float(next(times)), wall_clock=lambda: 0.0)
    >>> for pages in range(9):
    ...     _ = series.sample({"pages": 10 * pages})
    >>> [row["pages"] for row in read_series(path)]
    [0, 40, 80]
    """

    def __init__(
        self,
        path: Path,
        *,
        max_rows: int = MAX_ROWS,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        if max_rows < 3:
            raise ValueError(f"max_rows: expected 3 or more, got {max_rows}")
        self.path = path
        self.rows: list[Row] = _read_what_is_there(path)
        self.interval = 1.0
        self._max_rows = max_rows
        self._wall_clock = wall_clock
        self._clock = clock
        self._start = clock() - (self.rows[-1]["seconds"] if self.rows else 0.0)
        self._next = self._start
        self._failed = False
        while len(self.rows) > max_rows:
            self._thin()
        if len(self.rows) > 1:
            # the interval that an earlier process had come to
            span = self.rows[-1]["seconds"] - self.rows[0]["seconds"]
            while self.interval * len(self.rows) < span / 2:
                self.interval *= 2
        self._write(self._to_bytes(self.rows), whole=True)

    def sample(self, counters: Mapping[str, int], *, state: str = "running", force: bool = False) -> bool:
        """Take the counters down if it is time, or whenever `force` says so; whether it was."""
        now = self._clock()
        if now < self._next and not force:
            return False
        row = {
            "time": round(self._wall_clock(), 3),
            "seconds": round(now - self._start, 3),
            "state": state,
            **{name: counters[name] for name in COLUMNS if name in counters},
        }
        self.rows.append(row)
        if len(self.rows) > self._max_rows:
            self._thin()
            self._write(self._to_bytes(self.rows), whole=True)
        else:
            self._write(_line(row), whole=False)
        # a sample that came late does not shift the ones behind it
        self._next = max(self._next + self.interval, now + self.interval / 2)
        return True

    def _thin(self) -> None:
        last = len(self.rows) - 1
        self.rows = [row for place, row in enumerate(self.rows) if place % 2 == 0 or place == last]
        self.interval *= 2

    def _to_bytes(self, rows: Sequence[Row]) -> bytes:
        return _line({"series": VERSION, "columns": COLUMNS}) + b"".join(map(_line, rows))

    def _write(self, data: bytes, *, whole: bool) -> None:
        """Write; a disk that refuses costs the picture of a crawl, not the crawl."""
        if self._failed and not whole:
            return  # the file lacks lines: only one written as a whole has them again
        try:
            if whole:
                replace_file(self.path, data)
            else:
                writer = Writer(self.path, append=True)
                writer.write(data)
                writer.close()
            self._failed = False
        except (OSError, WebstrataError) as error:
            if not self._failed:
                _log.warning("%s: the series of the crawl has a gap (%s)", self.path, error)
            self._failed = True


def read_series(path: Path) -> list[Row]:
    r"""The rows of a series, oldest first.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "series.jsonl"
    >>> _ = path.write_text('{"series": 1, "columns": ["pages"]}\n{"seconds": 1.0, "pages": 7}\n{"sec')
    >>> read_series(path)
    [{'seconds': 1.0, 'pages': 7}]
    """
    return list(_iter_rows(path))


def _iter_rows(path: Path) -> Iterator[Row]:
    """The rows one by one, up to the first line that is damaged."""
    with explained(path, "read"):
        lines = path.read_bytes().split(b"\n")
    # what stands behind the last line feed was cut off, or is nothing
    for number, line in enumerate(lines[:-1], 1):
        row = _parse(path, number, line)
        if number > 1:
            if not isinstance(row.get("seconds"), int | float):
                raise FormatError(
                    f"{path}, line {number}: it has no `seconds`; remove the file, or restore it"
                )
            yield row
            continue
        version = row.get("series")
        if not isinstance(version, int):
            raise FormatError(
                f"{path}, line 1: this is no series of a crawl; remove the file, or restore it from a copy"
            )
        if version > VERSION:
            raise NewerFormatError(
                f"{path}: this is version {version}, of a newer webstrata; upgrade webstrata"
            )


def _read_what_is_there(path: Path) -> list[Row]:
    """The rows that a crawl continues: of a file that a power cut damaged, those before the damage."""
    rows: list[Row] = []
    try:
        if path.exists():
            rows.extend(_iter_rows(path))
    except UserError as error:
        place = str(error).partition(";")[0]
        _log.warning("%s; the series of the crawl continues after %d good lines", place, len(rows))
    return rows


def rates(rows: Sequence[Mapping[str, Any]], column: str) -> list[float]:
    """What `column` grew by in a second, from each row to the next; 0 where it began anew.

    Examples
    --------
    >>> rates([{"seconds": 0, "pages": 0}, {"seconds": 2, "pages": 9}, {"seconds": 3, "pages": 1}], "pages")
    [4.5, 0.0]
    """
    found = []
    for before, after in itertools.pairwise(rows):
        seconds = after["seconds"] - before["seconds"]
        grown = after.get(column, 0) - before.get(column, 0)
        found.append(grown / seconds if seconds > 0 and grown > 0 else 0.0)
    return found


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def _parse(path: Path, number: int, line: bytes) -> Row:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise FormatError(f"{path}, line {number}: this is no JSON object; remove the file, or restore it")
    return row
