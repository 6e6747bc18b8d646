"""BVGraph: a graph in a few bits per link (Boldi and Vigna, The WebGraph Framework I, 2004).

The coding is that of the crate ``webgraph``, which reads and writes what Java's WebGraph does:

- ``.graph``: the successor lists of the nodes in order, big-endian bits. A list is its outdegree (γ), a
  reference to one of the 7 lists before it (unary), the blocks copied from there (γ), intervals of at least 4
  successive nodes (γ) and the rest as gaps (ζ₃); a chain of references has at most 3 links.
- ``.offsets``: where each list begins, gaps in γ.
- ``.properties``: numbers of nodes and arcs and the codes, as text.

The extensions are appended to the basename, which may have a dot in it. In memory a graph is a pair of
arrays: the successors of node u are ``targets[offsets[u]:offsets[u + 1]]``, in order and once each.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata._core import graph as core
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CompressedSize:
    """What a compressed graph takes."""

    num_nodes: int
    num_arcs: int
    graph_bits: int
    """Bits of the file ``.graph``."""
    offsets_bits: int
    """Bits of the file ``.offsets``."""

    @property
    def bits_per_link(self) -> float:
        """Bits of the graph per arc, offsets not counted as in the literature; 0 where there are no arcs."""
        return self.graph_bits / self.num_arcs if self.num_arcs else 0.0


def compress(
    offsets: NDArray[np.uint64],
    targets: NDArray[np.uint32],
    basename: str | PathLike[str] | None = None,
    *,
    progress: Progress | None = None,
) -> CompressedSize:
    """The size of a graph as BVGraph, written to `basename` plus extensions, or nowhere if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> offsets = np.array([0, 2, 4, 4], dtype=np.uint64)
    >>> targets = np.array([1, 2, 1, 2], dtype=np.uint32)
    >>> compress(offsets, targets).num_arcs
    4
    """
    if basename is None:
        with tempfile.TemporaryDirectory(prefix="webstrata-") as folder:
            return compress(offsets, targets, Path(folder) / "graph", progress=progress)
    total = max(len(offsets) - 1, 0)
    with (progress or Progress()).task("compressing the graph", total=total, unit="nodes") as task:
        return CompressedSize(*core.bv_compress(offsets, targets, basename, progress=task.advance))


def load(
    basename: str | PathLike[str], *, progress: Progress | None = None
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Offsets and targets of a whole BVGraph, in memory.

    Examples
    --------
    >>> import numpy as np
    >>> basename = getfixture("tmp_path") / "uk"
    >>> offsets = np.array([0, 2, 3], dtype=np.uint64)
    >>> _ = compress(offsets, np.array([0, 1, 0], dtype=np.uint32), basename)
    >>> load(basename)[1].tolist()
    [0, 1, 0]
    """
    with (progress or Progress()).task("reading the graph", unit="nodes") as task:
        return core.bv_load(basename, progress=task.advance)
