"""Print the share of lines that tests run, per room (`make coverage`).

The inputs are what ``coverage json`` writes and how many processes were measured. The figure is **line
coverage**: of the statements of a room (without docstrings, blank lines, imports for type checkers and
overloads), the share that ran at least once in a test, a doctest or an example; branches are not counted,
and that a line ran does not mean that a test would notice if it were wrong.

Measured are the processes of the tests, the commands that they start and the worker processes of these. Not
measured is what a process ran that was killed (``kill -9``), and Python called by threads of the Rust core,
such as a filter that is a function: `sys.settrace` does not reach those threads before Python 3.12.

A room whose share is below `LEAST` is marked, with its files that have the most lines no test runs, and the
command fails.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST = 0.85
"""The share of lines that the tests of a room should run."""


@dataclass
class Room:
    """Lines of a room, those that tests run, and by file those that they do not."""

    lines: int = 0
    run: int = 0
    missing: dict[str, int] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Of the lines, those that tests run; 1 for a room without any."""
        return self.run / self.lines if self.lines else 1.0


def count_rooms(report: Mapping[str, Any]) -> dict[str, Room]:
    """The rooms of a report, sorted by name.

    Examples
    --------
    >>> files = {"src/webstrata/graph/view.py": {"summary": {"num_statements": 4, "covered_lines": 3}}}
    >>> count_rooms({"files": files})
    {'graph': Room(lines=4, run=3, missing={'graph/view.py': 1})}
    """
    rooms: dict[str, Room] = {}
    for path, found in report["files"].items():
        name = Path(path).as_posix().rpartition("webstrata/")[2] if "webstrata/" in path else path
        room = rooms.setdefault(name.partition("/")[0].removesuffix(".py"), Room())
        lines, run = found["summary"]["num_statements"], found["summary"]["covered_lines"]
        room.lines += lines
        room.run += run
        if lines > run:
            room.missing[name] = lines - run
    return dict(sorted(rooms.items()))


def write_table(rooms: Mapping[str, Room], processes: int) -> str:
    """The table that is printed, with a line per room and one for all.

    Examples
    --------
    >>> print(write_table({"graph": Room(4, 3, {"graph/view.py": 1}), "web": Room(10, 10)}, 12))
    Line coverage: statements that ran at least once, in 12 processes of tests, commands and workers.
    room            lines    run   share
    graph               4      3   75.0 %  below 85 %: graph/view.py (1)
    web                10     10  100.0 %
    all                14     13   92.9 %
    """
    total = Room(sum(room.lines for room in rooms.values()), sum(room.run for room in rooms.values()))
    rows = [
        f"Line coverage: statements that ran at least once, in {processes:,} processes of tests, "
        "commands and workers.",
        "room            lines    run   share",
    ]
    for name, room in [*rooms.items(), ("all", total)]:
        worst = sorted(room.missing, key=lambda path: (-room.missing[path], path))[:3]
        low = f"  below {LEAST:.0%}: ".replace("%", " %") if room.share < LEAST else ""
        names = ", ".join(f"{path} ({room.missing[path]})" for path in worst) if low else ""
        rows.append(f"{name:<14}{room.lines:>7}{room.run:>7}{100 * room.share:>8.1f} %{low}{names}")
    return "\n".join(rows)


def main(report: Path, processes: int) -> int:
    """Print the table; 1 if a room is below `LEAST`, else 0."""
    rooms = count_rooms(json.loads(report.read_text()))
    print(write_table(rooms, processes))
    return int(any(room.share < LEAST for room in rooms.values()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
