from collections.abc import Callable, Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.web import Words

__all__ = [
    "MAX_WINDOW",
    "NUM_FLAGS",
    "NUM_TABLES",
    "Codes",
    "Contexts",
    "Counter",
    "Places",
    "Set",
    "choose_references",
    "code_costs",
    "stemmers",
    "tally_contexts",
]

MAX_WINDOW: int
NUM_FLAGS: int
NUM_TABLES: int

_U8 = NDArray[np.uint8]
_U32 = NDArray[np.uint32]
_U64 = NDArray[np.uint64]
_Rows = tuple[_U32, _U64, _U32, _U32]
_Progress = Callable[[int], object]

@final
class Counter:
    def __new__(cls, words: Words, stemmer: str | None, stop_words: Sequence[str]) -> Counter: ...
    @property
    def num_terms(self) -> int: ...
    def add(self, offsets: NDArray[np.int64], data: _U8) -> None: ...
    def finish(self) -> tuple[tuple[NDArray[np.int64], _U8, _U32, _U64], _Rows]: ...

@final
class Places:
    def __new__(cls, path: str | PathLike[str], count: int) -> Places: ...
    def __len__(self) -> int: ...
    def get(self, ordinal: int) -> tuple[int, int] | None: ...

@final
class Set:
    def __new__(cls, numbers: _U64, end: int) -> Set: ...
    @staticmethod
    def open(path: str | PathLike[str]) -> Set: ...
    def write(self, path: str | PathLike[str]) -> None: ...
    def __len__(self) -> int: ...
    def rank(self, numbers: _U64) -> _U64: ...
    def select(self, ranks: _U64) -> _U64: ...
    def contains(self, numbers: _U64) -> NDArray[np.bool_]: ...

@final
class Codes:
    def __new__(cls, codes: Sequence[str], differences: bool, num_terms: int) -> Codes: ...
    def encode(self, rows: _Rows, progress: _Progress | None = None) -> tuple[_U64, _U64]: ...
    def decode(
        self,
        stream: _U32,
        places: Places,
        ordinals: _U64,
        order: _U32,
        progress: _Progress | None = None,
    ) -> _Rows: ...

@final
class Contexts:
    def __new__(
        cls, classes: _U8, sizes: NDArray[np.uint16], flags: NDArray[np.uint16], chain: int
    ) -> Contexts: ...
    def encode(self, rows: _Rows, distances: _U8, progress: _Progress | None = None) -> tuple[_U8, _U64]: ...
    def decode(
        self,
        stream: _U8,
        places: Places,
        ordinals: _U64,
        order: _U32,
        progress: _Progress | None = None,
    ) -> _Rows: ...

def choose_references(rows: _Rows, window: int, chain: int, classes: _U8) -> _U8: ...
def code_costs(numbers: _U64, counts: _U64) -> list[tuple[str, int]]: ...
def stemmers() -> list[str]: ...
def tally_contexts(
    rows: _Rows, distances: _U8, classes: _U8, progress: _Progress | None = None
) -> tuple[_U64, _U64]: ...
