from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.graph import BvGraph

__all__ = ["NUM_FEATURES", "SimulatedCrawl"]

NUM_FEATURES: int

_U8 = NDArray[np.uint8]
_U32 = NDArray[np.uint32]
_F64 = NDArray[np.float64]

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
