"""Rows to the files of a BVGraph (see `webstrata.graph.bvgraph`), piece by piece and on all cores.

A piece are successive nodes with `GraphSettings.piece` arcs (or as many nodes), compressed without
references to lists of another one. Where pieces begin depends on the graph and that number alone, neither on
how the rows came in nor on the cores: the same graph gives the same bytes. The files appear under their names
when they are complete, ``.properties`` last.
"""

from __future__ import annotations

import os
import tempfile
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, SettingError
from webstrata.graph.settings import GraphSettings

if TYPE_CHECKING:
    from concurrent.futures import Future
    from os import PathLike
    from types import TracebackType

    from numpy.typing import NDArray

EXTENSIONS = (".graph", ".offsets", ".ef", ".properties")
"""Of the files of a graph, the one without which there is none last."""


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
    parameters: GraphSettings | None = None,
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
    >>> compress(offsets, targets, parameters=GraphSettings(window=0)).graph_bits
    22
    """
    if basename is None:
        with tempfile.TemporaryDirectory(prefix="webstrata-") as folder:
            name = Path(folder) / "graph"
            return compress(offsets, targets, name, parameters=parameters, progress=progress)
    num_nodes = max(len(offsets) - 1, 0)
    with GraphWriter(basename, num_nodes, parameters=parameters, progress=progress) as writer:
        writer.append(offsets, targets)
        return writer.finish()


class GraphWriter:
    """Writes a BVGraph whose rows come in blocks, in the order of nodes.

    Parameters
    ----------
    basename
        Where the files are put, extensions appended.
    num_nodes
        How many nodes there will be; rows of the last ones that are not given are empty.
    parameters
        How lists are coded.
    workers
        Threads that compress; one per core where not given.
    progress
        Where it reports, in nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> basename = testing.scratch() / "uk"
    >>> with GraphWriter(basename, 3) as writer:
    ...     writer.append(np.array([0, 1], np.uint64), np.array([2], np.uint32))
    ...     writer.append(np.array([0, 1], np.uint64), np.array([0], np.uint32))
    ...     size = writer.finish()
    >>> size.num_nodes, Graph.open(basename).successors(1).tolist()
    (3, [0])
    """

    def __init__(
        self,
        basename: str | PathLike[str],
        num_nodes: int,
        *,
        parameters: GraphSettings | None = None,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        chosen = parameters or GraphSettings()
        self._basename, self._num_nodes = Path(basename), num_nodes
        self._progress = progress or Progress()
        self._parameters = core.BvParameters(
            chosen.window, chosen.max_references, chosen.min_interval, list(chosen.codes), chosen.together
        )
        # whole numbers of nodes and arcs stay below this
        self._piece = chosen.piece or 1 << 62
        self._workers = workers or len(os.sched_getaffinity(0))
        self._waiting: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]] = []
        self._arcs = self._nodes = 0  # of what waits
        self._begin = 0  # the first node that waits
        self._encoding: deque[tuple[int, Future[core.BvPiece]]] = deque()
        self._is_over = False

    def __enter__(self) -> Self:
        parent = self._basename.parent
        with explained(parent, "write"):
            self._folder = tempfile.TemporaryDirectory(prefix=f".{self._basename.name}.", dir=parent)
        try:
            self._joiner = core.BvJoiner(Path(self._folder.name) / self._basename.name, self._parameters)
        except ValueError as error:
            self._folder.cleanup()
            raise SettingError(f"these codes cannot be together in one file: {error}") from None
        self._pool = ThreadPoolExecutor(self._workers, "compress")
        self._task = self._progress.task("compressing the graph", total=self._num_nodes, unit="nodes")
        self._task.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._pool.shutdown(cancel_futures=True)
        self._task.__exit__(kind, error, trace)
        self._folder.cleanup()

    def append(self, offsets: NDArray[np.uint64], targets: NDArray[np.uint32]) -> None:
        """Take the rows of the next nodes; `offsets` begin at 0."""
        if len(offsets) < 2:
            if len(offsets) == 0 or len(targets):
                core.bv_encode(offsets, targets, 0, 0, self._parameters)  # which says what is wrong
            return
        if self._arcs + len(targets) < self._piece and self._nodes + len(offsets) <= self._piece:
            self._wait(offsets, targets)
            return
        start, last = 0, len(offsets) - 1
        if (
            int(offsets[0]) != 0
            or int(offsets[-1]) != len(targets)
            or bool(np.any(offsets[1:] < offsets[:-1]))
        ):
            core.bv_encode(offsets, targets, self._begin + self._nodes, self._num_nodes, self._parameters)
        while start < last:
            # up to the node with which the piece is full
            full = int(offsets[start]) + max(self._piece - self._arcs, 1)
            stop = min(int(np.searchsorted(offsets, np.uint64(full))), start + self._piece - self._nodes)
            stop = min(max(stop, start + 1), last)
            begin, end = int(offsets[start]), int(offsets[stop])
            self._wait(offsets[start : stop + 1] - offsets[start], targets[begin:end])
            if self._arcs >= self._piece or self._nodes >= self._piece:
                self._encode()
            start = stop

    def finish(self) -> CompressedSize:
        """Write what is left, and put the files in their places."""
        missing = self._num_nodes - self._begin - self._nodes
        if missing < 0:
            raise ValueError(
                f"num_nodes: expected at least the {self._num_nodes - missing} rows, got {-missing} fewer"
            )
        while missing > 0:
            some = min(missing, 1 << 20)
            self.append(np.zeros(some + 1, np.uint64), np.zeros(0, np.uint32))
            missing -= some
        if self._nodes:
            self._encode()
        while self._encoding:
            self._join()
        size = CompressedSize(*self._joiner.finish(True, lambda _: self._look()))
        self._look()
        made = Path(self._folder.name) / self._basename.name
        with explained(self._basename, "write"):
            _with_extension(self._basename, EXTENSIONS[-1]).unlink(missing_ok=True)
            for extension in EXTENSIONS:
                _with_extension(made, extension).replace(_with_extension(self._basename, extension))
        return size

    def _wait(self, offsets: NDArray[np.uint64], targets: NDArray[np.uint32]) -> None:
        self._waiting.append((offsets, targets))
        self._nodes += len(offsets) - 1
        self._arcs += len(targets)

    def _encode(self) -> None:
        """Begin to compress what waits, once there is room for it."""
        self._task.advance(0)
        offsets, targets = _joined(self._waiting)
        first, count = self._begin, self._nodes
        self._begin += self._nodes
        self._waiting, self._arcs, self._nodes = [], 0, 0
        while len(self._encoding) > self._workers:
            self._join()
        work = self._pool.submit(
            core.bv_encode, offsets, targets, first, self._num_nodes, self._parameters, lambda _: self._look()
        )
        self._encoding.append((count, work))

    def _join(self) -> None:
        count, work = self._encoding.popleft()
        self._joiner.append(work.result())
        self._task.advance(count)

    def _look(self) -> None:
        if self._is_over or self._progress.is_cancelled():
            raise Cancelled("compressing the graph was cancelled")


def _with_extension(basename: Path, extension: str) -> Path:
    return basename.with_name(basename.name + extension)


def _joined(
    blocks: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]],
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Rows one behind the other."""
    if len(blocks) == 1:
        return blocks[0]
    bases = np.cumsum([0, *(len(targets) for _, targets in blocks)])
    offsets = [rows[1:] + np.uint64(base) for base, (rows, _) in zip(bases.tolist(), blocks, strict=False)]
    return (
        np.concatenate([np.zeros(1, np.uint64), *offsets]),
        np.concatenate([targets for _, targets in blocks]),
    )
