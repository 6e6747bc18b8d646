"""What Arnoldi's method will need, said before it starts.

The basis is n_A + 1 vectors of 8 bytes a row of the matrix. Besides there are the matrix (12 bytes an entry,
and 24 an arc of the core while it is made and checked), two blocks of vectors, and the dense eigenvalues at
the end, some 6 n_A² numbers. Where all of it does not fit into the memory that may be used, the basis goes to
disk, if it fits there.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.errors import DiskFullError, UsageError
from webstrata.rank.spectra.settings import DEFAULT_DIMENSION

if TYPE_CHECKING:
    from webstrata.rank.spectra.matrix import Core

SHARE = 0.75
"""Share of the free memory that is used where nobody says how much."""
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(frozen=True)
class Plan:
    """What a run of Arnoldi's method needs, and where it finds it."""

    dimension: int
    """n_A."""
    core: int
    """Nodes of the core."""
    rows: int
    """Rows of the matrix once equal columns are merged."""
    basis: int
    """Bytes of the basis."""
    others: int
    """Bytes of all else."""
    allowed: int
    """Bytes of memory that may be used."""

    @property
    def is_on_disk(self) -> bool:
        """Whether the basis is kept on disk."""
        return self.basis + self.others > self.allowed

    @property
    def sentence(self) -> str:
        """The plan in words.

        Examples
        --------
        >>> Plan(6000, 455_436, 455_436, 6001 * 455_436 * 8, 2 << 30, 8 << 30).sentence
        'n_A = 6000 on 455,436 nodes (455,436 rows once equal columns are merged) needs 2.0 GiB of memory;
        20.4 GiB on disk, since 8.0 GiB of memory may be used'
        """
        about = (
            f"n_A = {self.dimension} on {_spaced(self.core)} nodes ({_spaced(self.rows)} rows once equal "
            "columns are merged) needs"
        )
        if not self.is_on_disk:
            return f"{about} {_gib(self.basis + self.others)} of memory"
        return (
            f"{about} {_gib(self.others)} of memory; {_gib(self.basis)} on disk, since "
            f"{_gib(self.allowed)} of memory may be used"
        )

    def check_disk(self, folder: Path | None) -> None:
        """Refuse a basis that fits neither into memory nor on the disk of that folder.

        Examples
        --------
        >>> from webstrata import testing
        >>> plan = Plan(10, 100, 100, 8800, 100, 4000)  # 8800 bytes for the basis, and 4000 allowed in memory
        >>> plan.check_disk(testing.scratch())  # there is room on this disk
        >>> plan.check_disk(None)
        Traceback (most recent call last):
        webstrata.errors.UsageError: n_A = 10 on 100 nodes ... may be used; name a folder for it, allow more
        memory, or take a smaller n_A
        """
        if not self.is_on_disk:
            return
        # the matrices of n_A² numbers have no place but memory
        if self.others > (there_is := find_free_memory()):
            raise UsageError(f"{self.sentence}, and {_gib(there_is)} are free; take a smaller n_A")
        if folder is None:
            raise UsageError(
                f"{self.sentence}; name a folder for it, allow more memory, or take a smaller n_A"
            )
        there = next(place for place in (folder, *folder.resolve().parents) if place.exists())
        free = shutil.disk_usage(there).free
        if self.basis > free:
            fits = max(0, free // (8 * self.rows) - 1)
            raise DiskFullError(
                f"{there}: {_gib(free)} are free, and {self.sentence}; free some space, or take an n_A of at "
                f"most {fits}"
            )


def make_plan(
    core: Core, arnoldi: int = 0, *, limit: int = DEFAULT_DIMENSION, block: int = 16, memory: int = 0
) -> Plan:
    """The plan for a dimension n_A; 0 stands for the limit, or for all of a smaller core.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank.spectra.matrix import CoreMatrix
    >>> from webstrata.rank.spectra.subspaces import find_subspaces
    >>> graph = Graph.from_arcs([(0, 1)])
    >>> core = CoreMatrix(graph, find_subspaces(graph))
    >>> make_plan(core).dimension
    2
    >>> make_plan(core, 3)
    Traceback (most recent call last):
    webstrata.errors.UsageError: n_A is 3, and the core has 2 nodes; take an n_A of at most 2
    """
    if arnoldi > core.size:
        if not core.size:
            raise UsageError(
                f"n_A is {arnoldi}, and there is no core, since every node is in a subspace; "
                "leave n_A out, or lower the bound of subspaces"
            )
        raise UsageError(
            f"n_A is {arnoldi}, and the core has {core.size} nodes; take an n_A of at most {core.size}"
        )
    dimension = arnoldi or min(limit, core.size)
    rows = core.rows
    # where all of it is wanted, there is no basis, but a dense matrix
    is_dense = dimension >= rows
    basis = 0 if is_dense else 8 * (dimension + 1) * rows
    dense = 6 * 8 * min(dimension, rows) ** 2
    others = core.num_bytes + 16 * (block + 1) * rows + dense
    return Plan(dimension, core.size, rows, basis, others, memory or int(SHARE * find_free_memory()))


def find_free_memory() -> int:
    """Bytes of memory that programs may still take, within the limit of a container too.

    Examples
    --------
    >>> find_free_memory() > 1 << 20
    True
    """
    free = 1 << 62
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            free = 1024 * int(line.split()[1])
    for name in _LIMITS:
        place = Path(name)
        text = place.read_text().strip() if place.is_file() else ""
        if text.isdigit():
            free = min(free, int(text))
    return free


def _gib(number: int) -> str:
    return f"{number / (1 << 30):.1f} GiB" if number >= 1 << 28 else f"{number / (1 << 20):.1f} MiB"


def _spaced(number: int) -> str:
    return f"{number:,}"
