from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.web import Words

__all__ = [
    "ContentRules",
    "Contents",
    "close_pairs",
    "compare_texts",
    "sharing_pairs",
    "sign_texts",
]

@final
class Contents:
    def __new__(
        cls,
        words: Words,
        num_rows: int,
        max_length: int,
        rules: ContentRules | None = None,
        max_size: int = ...,
    ) -> Contents: ...
    @property
    def is_full(self) -> bool: ...
    def read(self, path: str | PathLike[str], pages: Sequence[tuple[int, int, int, str]]) -> list[int]: ...
    def parse(self, row: int, body: bytes, url: str, label: str | None, robots: str) -> None: ...
    def finish(self) -> dict[str, Any]: ...

@final
class ContentRules:
    def __new__(
        cls,
        *,
        kinds: dict[str, tuple[int, int, str]],
        words: dict[str, int],
        prefixes: Sequence[tuple[str, int]],
        suffixes: Sequence[tuple[str, int]],
        phrases: dict[str, int],
        pairs: Sequence[tuple[str, str, int]],
        harmless: str,
        visual: bool = False,
    ) -> ContentRules: ...
    def judge(self, names: str) -> tuple[int, int]: ...
    def find(self, body: bytes, label: str | None) -> tuple[str, list[int], bool]: ...

def close_pairs(
    simhashes: NDArray[np.uint64],
    k: int,
    blocks: Sequence[int],
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.int64]: ...
def compare_texts(
    words: Words,
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
    pairs: NDArray[np.uint32],
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def sharing_pairs(
    collections: Sequence[tuple[NDArray[np.uint64], NDArray[np.uint64]]],
    limits: tuple[int, int],
    sure: float,
    resemblance: float,
    first_new: int,
    budget: int,
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.int64]: ...
def sign_texts(
    words: Words,
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
    n: int,
    p: int,
    overlapping: bool,
    simhash: bool,
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint64]]: ...
