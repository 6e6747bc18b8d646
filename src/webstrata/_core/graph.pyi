from collections.abc import Callable
from os import PathLike

import numpy as np
from numpy.typing import NDArray

__all__ = ["bv_compress", "bv_load"]

def bv_compress(
    offsets: NDArray[np.uint64],
    targets: NDArray[np.uint32],
    basename: str | PathLike[str],
    progress: Callable[[int], object] | None = None,
) -> tuple[int, int, int, int]: ...
def bv_load(
    basename: str | PathLike[str], progress: Callable[[int], object] | None = None
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
