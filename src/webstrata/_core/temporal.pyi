from collections.abc import Callable, Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.graph import BvGraph

__all__ = ["Labels", "find_runs"]

_Rows = tuple[NDArray[np.uint64], NDArray[np.uint32]]
_Labelled = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint64]]
_Progress = Callable[[int], object] | None

@final
class Labels:
    def __new__(
        cls,
        graph: BvGraph,
        path: str | PathLike[str],
        mapped: bool,
        sections: Sequence[tuple[int, int]],
        low_bits: int,
        books: tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint64]],
        sources: NDArray[np.uint32] | None = None,
        bounds: NDArray[np.uint64] | None = None,
    ) -> Labels: ...
    def batch(self, nodes: NDArray[np.uint32], progress: _Progress = None) -> _Labelled: ...
    def walk(self, nodes: NDArray[np.uint32]) -> tuple[int, int, int]: ...
    def rows(self, start: int, end: int, progress: _Progress = None) -> _Labelled: ...
    def batch_kept(
        self, nodes: NDArray[np.uint32], terms: Sequence[tuple[int, int, int]], progress: _Progress = None
    ) -> _Rows: ...
    def rows_kept(
        self, start: int, end: int, terms: Sequence[tuple[int, int, int]], progress: _Progress = None
    ) -> _Rows: ...

def find_runs(
    graph: BvGraph,
    bounds: NDArray[np.uint64],
    start: int,
    end: int,
    before: int,
    labels: NDArray[np.uint64],
    progress: _Progress = None,
) -> tuple[
    NDArray[np.uint32],
    NDArray[np.uint64],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint8],
    NDArray[np.uint64],
]: ...
