from collections.abc import Callable, Sequence
from os import PathLike
from typing import final

from typing_extensions import Buffer

__all__ = [
    "BLOCK_SIZE",
    "Writer",
    "block_sum",
    "crash_point",
    "digest_blocks",
    "digest_files",
    "rename",
    "set_faults",
    "sync_path",
    "verify_files",
]

BLOCK_SIZE: int

@final
class Writer:
    def __new__(cls, path: str | PathLike[str], *, append: bool = False) -> Writer: ...
    def write(self, data: Buffer) -> int: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...
    @property
    def position(self) -> int: ...

def block_sum(data: bytes) -> int: ...
def crash_point(name: str) -> None: ...
def digest_blocks(
    paths: Sequence[str | PathLike[str]],
    *,
    workers: int = 0,
    progress: Callable[[int], object] | None = None,
) -> list[tuple[str, int, list[int]]]: ...
def digest_files(
    paths: Sequence[str | PathLike[str]],
    *,
    workers: int = 0,
    progress: Callable[[int], object] | None = None,
) -> list[str]: ...
def rename(source: str | PathLike[str], target: str | PathLike[str]) -> None: ...
def set_faults(plan: str) -> None: ...
def sync_path(path: str | PathLike[str]) -> None: ...
def verify_files(
    files: Sequence[tuple[str | PathLike[str], int, Sequence[int]]],
    *,
    limit: int | None = None,
    known: int = 0,
    workers: int = 0,
    progress: Callable[[int], object] | None = None,
) -> tuple[int, list[tuple[int, str]]]: ...
