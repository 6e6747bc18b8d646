"""Parts of archives: the summaries of some nodes, layered over the archive by rank and select alone (SUM).

A part of an archive is a set of nodes, kept as an Elias–Fano set; its i-th summary is that of the i-th node
of the set, found by select, and the place of a node in it by rank. Nothing is copied, and a part of a part is
one more set. Terms, and what is known of them, are those of the whole archive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import summaries as core
from webstrata.errors import FormatError
from webstrata.summaries.archive import Summaries

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Task
    from webstrata.summaries.rows import SummaryRows


class SubArchive(Summaries):
    """The summaries of some nodes of an archive, numbered from 0 on in the order of nodes.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> rows = make_rows([(length, {0: length}) for length in (5, 6, 7, 8)])
    >>> archive = write_archive(testing.scratch(), rows)
    >>> odd = archive.subset([1, 3])
    >>> odd, odd[1].length, odd.nodes.tolist(), odd.find([3]).tolist()
    (<SubArchive: 2 of <Archive of 4 summaries, 4 postings, contexts>>, 8, [1, 3], [1])
    >>> odd.subset([1])[0].length
    8
    """

    def __init__(self, parent: Summaries, nodes: npt.ArrayLike) -> None:
        wanted = np.unique(np.asarray(nodes))
        if wanted.size and (wanted[0] < 0 or wanted[-1] >= len(parent)):
            raise IndexError(f"nodes: expected 0 to {len(parent) - 1}, got {wanted[0]} to {wanted[-1]}")
        self._set(parent, core.Set(wanted.astype(np.uint64), len(parent)))

    def _set(self, parent: Summaries, kept: core.Set) -> None:
        self.parent, self._kept = parent, kept
        self.terms = parent.terms

    @classmethod
    def open(cls, parent: Summaries, path: Path) -> SubArchive:
        """The part of an archive that `write` has written."""
        found = cls.__new__(cls)
        kept = core.Set.open(path)
        if len(kept) and int(kept.select(np.array([len(kept) - 1], np.uint64))[0]) >= len(parent):
            raise FormatError(f"{path}: it names nodes that {parent} does not have; it is of another archive")
        found._set(parent, kept)
        return found

    def write(self, path: Path) -> None:
        """Keep the set of nodes in a file."""
        self._kept.write(path)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def nodes(self) -> npt.NDArray[np.uint64]:
        """Its nodes, as the whole archive numbers them."""
        return self.to_nodes(np.arange(len(self), dtype=np.uint64))

    def to_nodes(self, numbers: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        """The nodes of the whole archive that have these numbers here."""
        found = self._to_parent(numbers)
        return self.parent.to_nodes(found) if isinstance(self.parent, SubArchive) else found

    def _to_parent(self, numbers: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        wanted = np.asarray(numbers)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= len(self)):
            raise IndexError(f"nodes: expected 0 to {len(self) - 1}, got {wanted.min()} to {wanted.max()}")
        return self._kept.select(np.ascontiguousarray(wanted, np.uint64))

    def find(self, nodes: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The numbers that nodes of the whole archive have here; -1 for one that is not here."""
        wanted = np.asarray(nodes)
        if isinstance(self.parent, SubArchive):
            inner = self.parent.find(wanted)
        else:
            inner = np.where((wanted >= 0) & (wanted < len(self.parent)), wanted, -1).astype(np.int64)
        places = np.ascontiguousarray(np.maximum(inner, 0), np.uint64)
        here = (inner >= 0) & self._kept.contains(places)
        return np.where(here, self._kept.rank(places).astype(np.int64), -1)

    def has(self, nodes: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """For each number whether it has a summary."""
        return self.parent.has(self._to_parent(nodes))

    def batch(self, nodes: npt.ArrayLike, *, task: Task | None = None) -> SummaryRows:
        """The summaries of these numbers in the order given, as arrays."""
        return self.parent.batch(self._to_parent(nodes), task=task)

    def __repr__(self) -> str:
        return f"<SubArchive: {len(self)} of {self.parent}>"
