"""How many threads NumPy's BLAS takes.

OpenBLAS, which NumPy's wheels bring, starts all its threads for a matrix of a hundred rows, and lets them
wait for each other in a loop: where other programs want the processor, that takes ten times longer than one
thread alone. So many small matrices are diagonalized by one thread.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS take one thread within the block; where it is another BLAS than OpenBLAS, nothing changes.

    Examples
    --------
    >>> with one_thread():
    ...     int(np.linalg.matrix_rank(np.eye(3)))
    3
    """
    library = _find()
    if library is None:
        yield
        return
    get, put = library
    before = get()
    put(1)
    try:
        yield
    finally:
        put(before)


@cache
def _find() -> tuple[Any, Any] | None:
    """The two functions of the library that NumPy has loaded, by the names its wheels give them."""
    folder = Path(np.__file__).parent.parent / "numpy.libs"
    for path in folder.glob("libscipy_openblas*"):
        library = ctypes.CDLL(str(path))  # it is loaded already: this is the same one
        for end in ("64_", ""):
            get = getattr(library, f"scipy_openblas_get_num_threads{end}", None)
            put = getattr(library, f"scipy_openblas_set_num_threads{end}", None)
            if get is not None and put is not None:
                return get, put
    return None
