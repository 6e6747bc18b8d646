"""Results of long checks, written into the page about trust: docs/reference/trust.md.

Each check owns the text between its two marks, ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``, and
replaces it. Nothing is written that differs between two runs without a reason: no dates and no durations.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "trust.md"


def to_table(header: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Iterable[int] = ()) -> str:
    """A table in Markdown; the columns `numbers` are aligned to the right."""
    right = set(numbers)
    marks = ["--:" if place in right else "---" for place in range(len(header))]
    lines = [f"| {' | '.join(header)} |", f"|{'|'.join(marks)}|"]
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def write_section(name: str, text: str, page: Path = PAGE) -> None:
    """Replace what stands between the marks of a check."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = page.read_text().split(begin)
    _, after = rest.split(end)
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}")
