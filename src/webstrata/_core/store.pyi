from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.web import Words
from webstrata.store.cdxj import Line
from webstrata.store.warc import Capture

__all__ = [
    "AnswerBatch",
    "AnswerReader",
    "ContentRules",
    "Contents",
    "Surveyor",
    "WarcFiles",
    "cdxj_line",
    "clean_head",
    "close_pairs",
    "compare_texts",
    "read_records",
    "sharing_pairs",
    "sign_texts",
    "surts",
    "train_dictionary",
    "verify_record",
]

@final
class Contents:
    def __new__(
        cls, words: Words, num_rows: int, max_length: int, rules: ContentRules | None = None
    ) -> Contents: ...
    def read(self, path: str | PathLike[str], pages: Sequence[tuple[int, int, int, str]]) -> list[int]: ...
    def parse(self, row: int, body: bytes, url: str, label: str | None, robots: str) -> None: ...
    def finish(self) -> dict[str, Any]: ...

@final
class AnswerReader:
    def __new__(cls, path: str | PathLike[str], workers: int) -> AnswerReader: ...
    def read(self, start: int) -> AnswerBatch: ...

@final
class AnswerBatch:
    @property
    def num_records(self) -> int: ...
    @property
    def next(self) -> int: ...
    @property
    def is_end(self) -> bool: ...
    @property
    def is_odd(self) -> bool: ...
    def plain(self) -> list[tuple[bytes, bytes | None, str, int, int | None, int] | None]: ...
    def lines(self, places: Sequence[int], filename: str, label: str) -> tuple[bytes, int]: ...
    def facts(self, place: int) -> dict[str, Any] | None: ...
    def records(self, place: int) -> list[tuple[str, list[tuple[str, str]], bytes, int, bool]]: ...

@final
class Surveyor:
    def __new__(cls, path: str | PathLike[str], workers: int) -> Surveyor: ...
    def read(
        self, start: int
    ) -> tuple[
        list[tuple[int, int]],
        int,
        int,
        list[tuple[int, str, str, str, str, str, str]],
        int,
        bool,
        bool,
    ]: ...

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
    ) -> ContentRules: ...
    def judge(self, names: str) -> tuple[int, int]: ...
    def find(self, body: bytes, label: str | None) -> tuple[str, list[int], bool]: ...

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
    def write_record(
        self, headers: Sequence[tuple[str, str]], block: bytes, date: int
    ) -> tuple[str, int, int]: ...
    def copy(self, batch: AnswerBatch, places: Sequence[int], label: str) -> tuple[bytes, int]: ...
    def resume(self, name: str, length: int) -> None: ...
    def position(self) -> tuple[str, int] | None: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...

def cdxj_line(line: Line) -> bytes: ...
def clean_head(head: bytes, length: int | None, decoded: bool) -> bytes: ...
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
def read_records(
    window: bytes, start: int, is_last: bool, kinds: Sequence[str], blocks: bool
) -> tuple[list[tuple[str, tuple[tuple[str, str], ...], bytes, int]], int, int | None, bool]: ...
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
def verify_record(
    headers: Sequence[tuple[str, str]], block: bytes
) -> tuple[int, int, list[tuple[str, str, str]]]: ...
