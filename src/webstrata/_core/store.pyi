from collections.abc import Sequence
from os import PathLike
from typing import final

from webstrata.store.cdxj import Line
from webstrata.store.warc import Capture

__all__ = ["WarcFiles", "cdxj_line", "surts", "train_dictionary"]

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
def surts(urls: Sequence[str]) -> list[str]: ...
def train_dictionary(samples: Sequence[bytes], size: int) -> bytes: ...
