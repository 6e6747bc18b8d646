from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Filter"]

# ---- filters

@final
class Filter:
    def __new__(cls, program: str) -> Filter: ...
    @property
    def has_external(self) -> bool: ...
    def admits_many(
        self,
        urls: Sequence[str],
        sources: Sequence[str | None],
        depths: Sequence[int],
        responses: Sequence[tuple[int, str, bytes, bytes, bool, str | None] | None],
        oracle: Callable[[int, list[int]], Sequence[bool]],
    ) -> NDArray[np.bool_]: ...

# ---- frontier

# ---- run
