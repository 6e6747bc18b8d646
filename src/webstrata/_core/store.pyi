from collections.abc import Callable, Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.web import Words
from webstrata.store.cdxj import Line
from webstrata.store.warc import Capture

__all__ = [
    "ContentRules",
    "WarcFiles",
    "cdxj_line",
    "close_pairs",
    "compare_texts",
    "sharing_pairs",
    "sign_texts",
    "surts",
    "train_dictionary",
]

@final
class ContentRules:
    def __new__(
        cls,
        *,
        kinds: dict[str, str],
        noise: dict[str, int],
        closes: dict[str, Sequence[str]],
        words: dict[str, int],
        prefixes: Sequence[tuple[str, int]],
        phrases: dict[str, int],
        main: Sequence[tuple[str, str]],
        roles: set[str],
    ) -> ContentRules: ...
    def read_tree(
        self, page: str
    ) -> tuple[list[int], list[str], list[int], list[int], list[int], list[str], list[int]]: ...

@final
class WarcFiles:
    def __new__(
        cls,
        folder: str | PathLike[str],
        prefix: str,
        max_bytes: int,
        compression: str,
        level: int,
        dictionary: bytes | None,
        fields: Sequence[tuple[str, str]],
    ) -> WarcFiles: ...
    def write(self, capture: Capture) -> tuple[str, int, int]: ...
    def resume(self, name: str, length: int) -> None: ...
    def position(self) -> tuple[str, int] | None: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...

def cdxj_line(line: Line) -> bytes: ...
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
def surts(urls: Sequence[str]) -> list[str]: ...
def train_dictionary(samples: Sequence[bytes], size: int) -> bytes: ...
