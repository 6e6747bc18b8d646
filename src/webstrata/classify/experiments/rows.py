"""Which feature sets stand together in a row of the tables of SPAM, and which are parts of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.classify.learning.matrix import HostMatrix

RATES, XJACCARD, PSIMRANK, SIMILARITY = "growth/death", "XJaccard", "PSimRank", "XJaccard + PSimRank"
PARTS = {
    RATES: ("temporal-link", ("idr", "igr", "odr", "ogr", "crcc")),
    XJACCARD: ("temporal-link", ("xjaccard",)),
    PSIMRANK: ("temporal-link", ("psimrank",)),
    SIMILARITY: ("temporal-link", ("xjaccard", "psimrank")),
    "Ave": ("temporal-content", ("ave:",)),
    "AveDiff": ("temporal-content", ("avediff:",)),
    "Dev": ("temporal-content", ("dev:",)),
    "DevDiff": ("temporal-content", ("devdiff:",)),
    "Decay": ("temporal-content", ("decay:",)),
}
"""Sets that are some columns of others."""
MOVING_TERMS = ("Ave", "AveDiff", "Dev", "DevDiff", "Decay")
STATIC, EVERYTHING = "everything, static", "everything"


@dataclass(frozen=True)
class ResultRow:
    """A row of a table: its name, and the sets whose models are combined; those not there are left out."""

    name: str
    sets: tuple[str, ...]
    whole: bool = True
    """Whether all of the sets must be there."""


CONTENT = (
    ResultRow("Content (A)", ("A",)),
    ResultRow("Content (Aa)", ("Aa",)),
    ResultRow("Content (B)", ("B",)),
    ResultRow("BM25", ("bm25",)),
    ResultRow("BM25 + (B)", ("bm25", "B")),
)
LINK = (
    ResultRow("Link", ("link",)),
    ResultRow("Link + (B)", ("link", "B")),
    ResultRow(STATIC, ("B", "bm25", "link"), whole=False),
)
ALL = ResultRow(EVERYTHING, ("B", "bm25", "link", RATES, SIMILARITY, *MOVING_TERMS), whole=False)
TASKS = (
    ResultRow("Link", ("link",)),
    ResultRow("Content (A)", ("A",)),
    ResultRow("Content (Aa)", ("Aa",)),
    ResultRow("Content (B)", ("B",)),
    ResultRow("BM25", ("bm25",)),
    ResultRow("Link + (B)", ("link", "B")),
    ResultRow("BM25 + (A)", ("bm25", "A")),
    ResultRow("BM25 + (B)", ("bm25", "B")),
    ResultRow("All combined", ("link", "B", "bm25")),
)
MOVING_LINKS = (
    ResultRow("Growth/death rates", (RATES,)),
    ResultRow("XJaccard", (XJACCARD,)),
    ResultRow("PSimRank", (PSIMRANK,)),
    ResultRow("XJaccard + PSimRank", (SIMILARITY,)),
    ResultRow("Link", ("link",)),
    ResultRow("Link + growth/death rates", ("link", RATES)),
    ResultRow("Link + XJaccard + PSimRank", ("link", SIMILARITY)),
    ResultRow("All link-based", ("link", RATES, SIMILARITY)),
)
MOVING_CONTENT = (
    ResultRow("Static BM25", ("bm25",)),
    *(ResultRow(name, (name,)) for name in MOVING_TERMS),
    ResultRow("Temporal combined", MOVING_TERMS, whole=False),
    ResultRow("Temporal combined + BM25", (*MOVING_TERMS, "bm25"), whole=False),
    ResultRow("Content (B) + temporal", ("B", *MOVING_TERMS), whole=False),
    ResultRow("All content", ("B", "bm25", *MOVING_TERMS), whole=False),
)
CONFIGURATIONS = (
    ResultRow("Small", ("A", "bm25")),
    ResultRow("Medium", ("A", "bm25", "link")),
    ResultRow("Large", ("B", "bm25", "link")),
)


def choose(rows: Iterable[ResultRow], matrix: HostMatrix) -> list[ResultRow]:
    """The rows whose sets are there; of those that need not be whole what is there, two sets at least.

    Examples
    --------
    >>> import numpy as np
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> matrix = HostMatrix(["a.org"], {name: (["x"], np.zeros((1, 1))) for name in ("B", "link")})
    >>> [(row.name, row.sets) for row in choose((*CONTENT, *LINK), matrix)][-2:]
    [('Link + (B)', ('link', 'B')), ('everything, static', ('B', 'link'))]
    """
    found = []
    for row in rows:
        there = tuple(name for name in row.sets if name in matrix.sets)
        if there == row.sets or (not row.whole and len(there) > 1):
            found.append(ResultRow(row.name, there, row.whole))
    return found


def with_parts(matrix: HostMatrix) -> HostMatrix:
    """The matrix with the parts of sets as sets beside them, and link features joined with those in motion.

    Examples
    --------
    >>> import numpy as np
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> moving = (["idr", "xjaccard_in_1"], np.zeros((1, 2)))
    >>> list(with_parts(HostMatrix(["a.org"], {"temporal-link": moving})).sets)
    ['temporal-link', 'growth/death', 'XJaccard', 'XJaccard + PSimRank']
    """
    return matrix.with_parts(PARTS)
