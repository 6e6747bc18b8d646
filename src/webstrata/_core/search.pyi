from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.web import Words

__all__ = ["K1", "LENGTHS", "Analyzer", "B", "Reader", "Writer"]

K1: float
B: float
LENGTHS: list[int]

_Clause = tuple[Any, ...]
_Weights = tuple[float, float]
_Version = tuple[int, Sequence[Sequence[str]]]
_Statistics = tuple[int, Sequence[int], Mapping[str, int]]

@final
class Analyzer:
    def __new__(cls, words: Words, stemmer: str | None) -> Analyzer: ...
    def terms(self, text: str) -> list[str]: ...
    def places(self, text: str, terms: Sequence[str]) -> list[tuple[int, int, int]]: ...

@final
class Writer:
    def __new__(
        cls,
        folder: str | PathLike[str],
        fields: Sequence[tuple[str, str]],
        analyzer: Analyzer,
        sharing: tuple[float, float] | None = None,
    ) -> Writer: ...
    def add(self, pages: Sequence[Sequence[_Version]]) -> int: ...
    def finish(self) -> None: ...

@final
class Reader:
    def __new__(cls, folder: str | PathLike[str], segments: Sequence[str]) -> Reader: ...
    @property
    def num_documents(self) -> int: ...
    def num_words(self) -> list[int]: ...
    def listed_documents(self, segment: int) -> NDArray[np.uint32]: ...
    def frequency(self, term: str) -> int: ...
    def search(
        self,
        clause: _Clause,
        weights: Sequence[_Weights],
        limit: int,
        labels: NDArray[np.uint64],
        mask: int,
        factors: tuple[NDArray[np.float32], float] | None = None,
        statistics: _Statistics | None = None,
    ) -> tuple[NDArray[np.uint32], NDArray[np.float32], NDArray[np.float32]]: ...
    def score(
        self, clause: _Clause, weights: Sequence[_Weights], documents: NDArray[np.uint32]
    ) -> NDArray[np.float32]: ...
    def count(
        self,
        clause: _Clause,
        weights: Sequence[_Weights],
        labels: NDArray[np.uint64],
        masks: Sequence[int],
    ) -> list[int]: ...
    def postings(self, field: int, term: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
    def positions(self, field: int, term: str) -> NDArray[np.uint32]: ...
    def length_codes(self, field: int) -> NDArray[np.uint8]: ...
    def terms(self, field: int, prefix: str, limit: int) -> dict[str, int]: ...
