from collections.abc import Sequence
from os import PathLike
from typing import Any, final

from webstrata._core.web import WordTable
from webstrata.store.cdxj import Line
from webstrata.store.warc import Capture

__all__ = [
    "AnswerReader",
    "Contents",
    "WarcFiles",
    "cdxj_line",
    "read_records",
    "surts",
    "train_dictionary",
]

@final
class Contents:
    def __new__(cls, words: WordTable, num_rows: int, max_length: int) -> Contents: ...
    def read(self, path: str | PathLike[str], pages: Sequence[tuple[int, int, int, str]]) -> list[int]: ...
    def parse(self, row: int, body: bytes, url: str, label: str | None, robots: str) -> None: ...
    def put(
        self,
        row: int,
        title: str,
        text: str,
        headings: Sequence[tuple[int, str]],
        links: Sequence[tuple[str, int, int, str]],
    ) -> None: ...
    def finish(self) -> dict[str, Any]: ...

@final
class AnswerReader:
    def __new__(cls, path: str | PathLike[str], workers: int) -> AnswerReader: ...
    def read(
        self, start: int
    ) -> tuple[
        list[tuple[dict[str, Any] | None, list[tuple[str, list[tuple[str, str]], bytes | None, int]]]],
        int,
        int,
        bool,
        bool,
    ]: ...

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
    def copy(self, path: str | PathLike[str], offset: int, length: int, date: int) -> tuple[str, int]: ...
    def resume(self, name: str, length: int) -> None: ...
    def position(self) -> tuple[str, int] | None: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...

def cdxj_line(line: Line) -> bytes: ...
def read_records(
    window: bytes, start: int, is_last: bool, kinds: Sequence[str], blocks: bool
) -> tuple[list[tuple[str, tuple[tuple[str, str], ...], bytes, int]], int, int | None, bool]: ...
def surts(urls: Sequence[str]) -> list[str]: ...
def train_dictionary(samples: Sequence[bytes], size: int) -> bytes: ...
