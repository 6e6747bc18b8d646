"""How much a page changed between two snapshots (CHANGE, section 2.1).

    change(u) = |ln in₁/in₂| + |ln out₁/out₂| + |ln words₁/words₂|,

each count plus 1, so that a page that was not there before has the logarithms of its new size. Degrees are
those of the whole graph, of the arcs of each snapshot. The three terms are the rows of the paper's table 1:
in-links, out-links and content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]


class PageChange(NamedTuple):
    """The change of pages, in its three parts."""

    content: Numbers
    inlinks: Numbers
    outlinks: Numbers

    @property
    def total(self) -> Numbers:
        """change(u): the sum of the three."""
        found: Numbers = self.content + self.inlinks + self.outlinks
        return found

    def take(self, places: npt.NDArray[np.integer[Any]]) -> PageChange:
        """The change of some of the pages."""
        return PageChange(*(part[places] for part in self))


def log_ratio(before: npt.ArrayLike, after: npt.ArrayLike) -> Numbers:
    """|ln (before + 1) / (after + 1)| of counts.

    Examples
    --------
    >>> log_ratio([0, 9, 4], [9, 0, 4]).round(3).tolist()
    [2.303, 2.303, 0.0]
    """
    then, now = (np.log1p(np.asarray(counts, np.float64)) for counts in (before, after))
    found: Numbers = np.abs(now - then)
    return found


def no_change(number: int) -> PageChange:
    """That of pages of which nothing is known: 0 in all parts.

    Examples
    --------
    >>> no_change(2).total.tolist()
    [0.0, 0.0]
    """
    return PageChange(*(np.zeros(number) for _ in range(3)))
