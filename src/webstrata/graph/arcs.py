"""From arcs to the files of a BVGraph and back, in blocks: whole graphs never are in memory at once."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.graph.arc_sort import MEMORY, ArcSorter, RowBlock
from webstrata.graph.compress import CompressedSize, GraphWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    import numpy.typing as npt

    from webstrata.graph.settings import GraphSettings
    from webstrata.graph.view import Graph

    ArcBlock = tuple[npt.NDArray[Any], npt.NDArray[Any]]

BLOCK = 1 << 18
"""Nodes of a block when arcs of a graph are gone through."""


def build_bvgraph(
    arcs: Iterable[ArcBlock],
    basename: str | PathLike[str],
    *,
    num_nodes: int | None = None,
    transpose: str | PathLike[str] | None = None,
    parameters: GraphSettings | None = None,
    memory: int = MEMORY,
    workers: int | None = None,
    by_source: bool = False,
    progress: Progress | None = None,
) -> CompressedSize:
    """Write a BVGraph of arcs that come in blocks and in any order, each once, and say what it takes.

    Parameters
    ----------
    arcs
        Blocks of arcs: sources and targets, two arrays of whole numbers.
    basename
        Where the files are put, extensions appended.
    num_nodes
        How many nodes there are; one more than the largest number where not given.
    transpose
        Where the graph with all arcs turned round is put, if it is wanted.
    parameters
        How lists are coded.
    memory
        Bytes in which arcs are sorted; what does not fit goes to files beside `basename`, 8 bytes an arc.
    workers
        Threads; one per core where not given.
    by_source
        Whether arcs of one source come in the order of their targets; see `ArcSorter`.
    progress
        Where it reports.

    Examples
    --------
    >>> import numpy as np
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> basename = testing.scratch() / "uk"
    >>> blocks = [(np.array([2, 0]), np.array([1, 2])), (np.array([2]), np.array([1]))]
    >>> build_bvgraph(blocks, basename).num_arcs
    2
    >>> Graph.open(basename).successors(2).tolist()
    [1]
    """
    progress = progress or Progress()
    with (
        _folder_beside(basename) as folder,
        ArcSorter(
            Path(folder), num_nodes=num_nodes, memory=memory, workers=workers, by_source=by_source
        ) as sorter,
    ):
        with progress.task("sorting arcs", unit="arcs") as task:
            for sources, targets in arcs:
                sorter.add(sources, targets)
                task.advance(len(sources))
        return write_sorted(
            sorter,
            basename,
            transpose=transpose,
            folder=Path(folder),
            parameters=parameters,
            memory=memory,
            workers=workers,
            progress=progress,
        )


def write_transpose(
    graph: Graph,
    basename: str | PathLike[str],
    *,
    parameters: GraphSettings | None = None,
    memory: int = MEMORY,
    workers: int | None = None,
    progress: Progress | None = None,
) -> CompressedSize:
    """Write the graph with all arcs turned round, and say what it takes; parameters as of `build_bvgraph`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> basename = testing.scratch() / "uk-t"
    >>> write_transpose(Graph.from_arcs([(0, 2), (1, 2)]), basename).num_nodes
    3
    >>> Graph.open(basename).successors(2).tolist()
    [0, 1]
    """
    return build_bvgraph(
        ((targets, sources) for sources, targets in iter_arcs(graph)),
        basename,
        num_nodes=graph.num_nodes,
        parameters=parameters,
        memory=memory,
        workers=workers,
        by_source=True,
        progress=progress,
    )


def iter_arcs(
    graph: Graph, size: int = BLOCK
) -> Iterator[tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]]:
    """The arcs of a graph in order, in blocks: sources and targets.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> for sources, targets in iter_arcs(Graph.from_arcs([(0, 1), (2, 0)]), size=2):
    ...     print(sources, targets)
    [0] [1]
    [2] [0]
    """
    for first, (offsets, targets) in graph.iter_blocks(size):
        yield RowBlock(first, offsets, targets, targets[:0]).sources(), targets


def write_sorted(
    sorter: ArcSorter,
    basename: str | PathLike[str],
    *,
    folder: Path,
    transpose: str | PathLike[str] | None = None,
    multiplicities: Path | None = None,
    turned_multiplicities: Path | None = None,
    parameters: GraphSettings | None = None,
    memory: int = MEMORY,
    workers: int | None = None,
    progress: Progress | None = None,
) -> CompressedSize:
    """Write the arcs of a sorter, and turned round if wanted; see `build_bvgraph`.

    A sorter that counts writes how often each arc was there to `multiplicities`, and in the order of the
    transpose to `turned_multiplicities`: numbers of 4 bytes, or of 8 in NumPy's format to a file ``.npy``.

    Examples
    --------
    >>> import numpy as np
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with ArcSorter(folder, num_nodes=2) as sorter:
    ...     sorter.add(np.array([0, 0]), np.array([1, 1]))
    ...     write_sorted(sorter, folder / "uk", folder=folder, transpose=folder / "uk-t").num_arcs
    1
    """
    num_nodes = sorter.num_nodes
    # while the first graph is written, arcs are sorted for the second, and both need room
    half = memory if transpose is None else max(memory // 2, 16 << 20)
    turned = ArcSorter(
        _made(folder / "turned"),
        num_nodes=num_nodes,
        memory=half,
        workers=workers,
        counted=turned_multiplicities is not None,
        by_source=True,
    )
    with turned:
        with (
            GraphWriter(
                basename, num_nodes, parameters=parameters, workers=workers, progress=progress
            ) as writer,
            _Numbers(multiplicities) as counts,
        ):
            for block in sorter.rows():
                writer.append(block.offsets, block.targets)
                counts.write(block.counts)
                if turned_multiplicities is not None:  # each as often as it was there
                    turned.add(
                        np.repeat(block.targets, block.counts), np.repeat(block.sources(), block.counts)
                    )
                elif transpose is not None:
                    turned.add(block.targets, block.sources())
            size = writer.finish()
        if transpose is not None:
            with (
                GraphWriter(
                    transpose, num_nodes, parameters=parameters, workers=workers, progress=progress
                ) as writer,
                _Numbers(turned_multiplicities) as counts,
            ):
                for block in turned.rows():
                    writer.append(block.offsets, block.targets)
                    counts.write(block.counts)
                writer.finish()
    return size


class _Numbers:
    """A file of numbers that come in blocks, or none: of 32 bits, or in NumPy's format and of 64."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._length = path, 0
        self._is_npy = path is not None and path.suffix == ".npy"

    def __enter__(self) -> _Numbers:
        if self._path is not None:
            with explained(self._path, "write"):
                self._stream = self._path.open("wb")
                self._write_header()
        return self

    def write(self, numbers: npt.NDArray[np.uint32]) -> None:
        if self._path is not None:
            self._length += len(numbers)
            with explained(self._path, "write"):
                self._stream.write(numbers.astype("<u8" if self._is_npy else "<u4", copy=False).data)

    def __exit__(self, *_: object) -> None:
        if self._path is not None:
            with explained(self._path, "write"), self._stream:
                self._stream.seek(0)
                self._write_header()

    def _write_header(self) -> None:
        """How many there are is known at the end; NumPy leaves room for any number."""
        if self._is_npy:
            header = {"descr": "<u8", "fortran_order": False, "shape": (self._length,)}
            np.lib.format.write_array_header_1_0(self._stream, header)


def _made(folder: Path) -> Path:
    with explained(folder, "write"):
        folder.mkdir(exist_ok=True)
    return folder


def _folder_beside(basename: str | PathLike[str]) -> tempfile.TemporaryDirectory[str]:
    path = Path(basename)
    with explained(path.parent, "write"):
        return tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent)
