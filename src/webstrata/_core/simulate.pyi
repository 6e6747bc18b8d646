from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.graph import BvGraph

__all__ = ["NUM_FEATURES", "InvitroServer", "InvitroWeb", "SimulatedCrawl"]

NUM_FEATURES: int

_U8 = NDArray[np.uint8]
_U32 = NDArray[np.uint32]
_F64 = NDArray[np.float64]

@final
class InvitroServer:
    @property
    def port(self) -> int: ...
    @property
    def authority(self) -> str | None: ...
    def counters(self) -> dict[str, int]: ...
    def mark_restart(self) -> None: ...
    def flush_log(self) -> None: ...
    def stop(self) -> None: ...

@final
class InvitroWeb:
    def __new__(
        cls,
        spec: Sequence[tuple[str, float]],
        seed: int,
        vocabularies: Sequence[tuple[Sequence[str], Sequence[str]]],
        theme: Sequence[bytes],
        events: Sequence[tuple[tuple[str, str], int, int, Sequence[int]]],
    ) -> InvitroWeb: ...
    @property
    def num_slots(self) -> int: ...
    @property
    def num_pages(self) -> int: ...
    def hosts(self, month: int) -> dict[str, list[Any]]: ...
    def host_name(self, slot: int, month: int) -> str: ...
    def find_host(self, name: str, month: int) -> tuple[int, bool, int, str] | None: ...
    def graph(
        self, month: int, view: str, progress: Callable[[int], object] | None = None
    ) -> dict[str, Any]: ...
    def graphs(self, month: int, progress: Callable[[int], object] | None = None) -> list[dict[str, Any]]: ...
    def survey(self, month: int, progress: Callable[[int], object] | None = None) -> dict[str, Any]: ...
    def links(self, url: str, month: int) -> list[tuple[str, str, bool]]: ...
    def facts(self, url: str, month: int) -> dict[str, Any] | None: ...
    def events(self, month: int) -> list[tuple[str, int, int, list[str], list[str]]]: ...
    @staticmethod
    def num_queries() -> int: ...
    def query(self, rank: int) -> str: ...
    def fetch(
        self, url: str, month: int, *, user_agent: str = "", accept_encoding: str = "", attempt: int = 1
    ) -> tuple[int, bytes, bytes] | None: ...
    def serve(
        self,
        *,
        month: int,
        address: str,
        port: int,
        origins: bool,
        workers: int,
        log: str | PathLike[str] | None,
        log_header: str,
        append_log: bool,
        urls: Sequence[str] | None = None,
        rows: tuple[NDArray[np.uint64], NDArray[np.uint32]] | None = None,
        archive: tuple[str | PathLike[str], Sequence[tuple[bytes, int, int, int, int]]] | None = None,
    ) -> InvitroServer: ...

@final
class SimulatedCrawl:
    def __new__(
        cls,
        policy: str,
        hosts: _U32,
        num_hosts: int,
        limits: tuple[int, int, int, float, int],
        *,
        numbers: _F64 | None = None,
        parameter: float = 0.0,
        share: float = 0.0,
        weights: Sequence[float] | None = None,
        clock: tuple[_U32, _F64, _F64, _F64, int] | None = None,
        answers: tuple[_U8 | None, _U8 | None, Sequence[float], tuple[float, float] | None] | None = None,
    ) -> SimulatedCrawl: ...
    def begin(self, seeds: _U32) -> None: ...
    def run(
        self,
        lists: tuple[NDArray[np.uint64], _U32] | BvGraph,
        scores: _F64,
        until: int,
        progress: Callable[[int], object] | None = None,
        arcs: NDArray[np.float32] | None = None,
    ) -> tuple[_U32, _F64]: ...
    def next(self) -> tuple[int, float, float] | None: ...
    def offer(self, node: int, links: _U32, keys: _F64) -> None: ...
    def set_keys(self, keys: _F64) -> None: ...
    @property
    def requests(self) -> list[int]: ...
    @property
    def weights(self) -> list[float] | None: ...
