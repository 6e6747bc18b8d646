"""Whether crawls of a synthetic web found what there is, and were polite: sheets ``truth`` in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection


@dataclass(frozen=True)
class TruthVerdict:
    """What the comparison with the truth found."""

    is_right: bool
    """Whether nodes and arcs of all snapshots are those of the truth, and no request broke a rule."""
    lines: list[str]


def judge_crawls(collection: Collection, snapshots: Sequence[str]) -> TruthVerdict:
    """Compare nodes, arcs and requests of every snapshot with the truth; sheets that are missing fail it.

    Examples
    --------
    >>> from webstrata import testing
    >>> judge_crawls(testing.collection(), ["2026-06"])
    TruthVerdict(is_right=False, lines=[])
    """
    found = read_sheets(collection, KINDS["truth"], collection.states())
    sheets = [one for one in found if isinstance(one, Sheet)]
    rows: list[list[Any]] = [row for sheet in sheets for row in sheet.tables[0].rows]
    is_right, lines = len(sheets) == len(snapshots), []
    for label, what, number, true, missed, wrong, verdict in rows:
        if what == "requests":
            is_right &= not wrong
            lines.append(f"{label}: {number:,} requests, {verdict}.")
        elif verdict == "equal":
            lines.append(f"{label}: the {number:,} {what} found are those of the truth, and no others.")
        elif what in ("nodes", "arcs"):
            is_right = False
            lines.append(
                f"{label}: of {true:,} {what} {missed or 0:,} were missed, and {wrong or 0:,} are wrong."
            )
    return TruthVerdict(is_right, lines)
