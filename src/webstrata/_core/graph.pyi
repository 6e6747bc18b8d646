from collections.abc import Callable, Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BvGraph",
    "BvJoiner",
    "BvParameters",
    "BvPiece",
    "breadth_first_order",
    "bv_encode",
    "bv_write_ef",
    "count_balls",
    "join_nodes",
    "keys_to_rows",
    "layered_labels",
    "read_arc_labels",
    "read_label_offsets",
    "sort_keys",
    "strong_components",
]

def bv_encode(
    offsets: NDArray[np.uint64],
    targets: NDArray[np.uint32],
    first: int,
    num_nodes: int,
    parameters: BvParameters,
    progress: Callable[[int], object] | None = None,
) -> BvPiece: ...
def bv_write_ef(
    basename: str | PathLike[str],
    path: str | PathLike[str],
    num_nodes: int,
    progress: Callable[[int], object] | None = None,
) -> None: ...
def keys_to_rows(
    keys: NDArray[np.uint64], first: int, end: int, with_counts: bool
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]: ...
def read_arc_labels(
    data: NDArray[np.uint8], start: int, count: int, kind: str, width: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], int]: ...
def read_label_offsets(data: NDArray[np.uint8], num_nodes: int) -> NDArray[np.uint64]: ...
def sort_keys(
    keys: NDArray[np.uint64], scratch: NDArray[np.uint64], once: bool, by_source: bool = False
) -> int: ...

@final
class BvJoiner:
    def __new__(cls, basename: str | PathLike[str], parameters: BvParameters) -> BvJoiner: ...
    def append(self, piece: BvPiece) -> None: ...
    def finish(
        self, with_ef: bool, progress: Callable[[int], object] | None = None
    ) -> tuple[int, int, int, int]: ...

@final
class BvParameters:
    def __new__(
        cls, window: int, max_references: int, min_interval: int, codes: list[str], together: int
    ) -> BvParameters: ...

@final
class BvPiece: ...

@final
class BvGraph:
    def __new__(
        cls,
        basename: str | PathLike[str],
        mapped: bool = True,
        progress: Callable[[int], object] | None = None,
    ) -> BvGraph: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_arcs(self) -> int: ...
    @property
    def window(self) -> int: ...
    def successors(self, node: int) -> NDArray[np.uint32]: ...
    def outdegree(self, node: int) -> int: ...
    def outdegrees(
        self, nodes: NDArray[np.uint32], progress: Callable[[int], object] | None = None
    ) -> NDArray[np.uint32]: ...
    def batch_successors(
        self, nodes: NDArray[np.uint32], progress: Callable[[int], object] | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
    def walk(self, nodes: NDArray[np.uint32]) -> tuple[int, int]: ...
    def places(self, start: int, end: int) -> NDArray[np.uint64]: ...
    def rows(
        self, start: int, end: int, progress: Callable[[int], object] | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...

def count_balls(
    lists: tuple[NDArray[np.uint64], NDArray[np.uint32]] | BvGraph,
    transpose: tuple[NDArray[np.uint64], NDArray[np.uint32]] | BvGraph,
    log_registers: int,
    seed: int,
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float32]]: ...
def strong_components(
    lists: tuple[NDArray[np.uint64], NDArray[np.uint32]] | BvGraph,
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.uint32]: ...
def join_nodes(
    parents: NDArray[np.uint32], rows: tuple[NDArray[np.uint64], NDArray[np.uint32]], first: int
) -> None: ...
def breadth_first_order(
    lists: tuple[NDArray[np.uint64], NDArray[np.uint32]] | BvGraph,
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.uint32]: ...
def layered_labels(
    lists: tuple[NDArray[np.uint64], NDArray[np.uint32]] | BvGraph,
    gammas: Sequence[float],
    seed: int,
    folder: str | PathLike[str],
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.uint32]: ...
