"""NumPy files (``.npy``), read with limits: nothing is allocated before the header is compared with the file.

``numpy.load`` believes the shape in the header: a header of 128 bytes can ask for petabytes, and a shape that
does not fit the content is a ``ValueError``, ``MemoryError`` or ``OverflowError``, depending on the numbers.
`load_array` raises `FormatError` with the path instead.
"""

from __future__ import annotations

import io
import math
import warnings
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

_MAX_HEADER = 10_000
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def load_array(path: Path, *, mapped: bool = False) -> npt.NDArray[Any]:
    """The array of numbers in a ``.npy`` file, or `FormatError`.

    Parameters
    ----------
    path
        The file.
    mapped
        Map the file into memory for reading instead of loading it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as name:
    ...     path = Path(name) / "a.npy"
    ...     np.save(path, np.array([1, 2, 3]))
    ...     load_array(path)
    array([1, 2, 3])
    """
    with explained(path, "read"), path.open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        try:
            shape, fortran, kind = _read_header(stream, size)
        except ValueError as error:
            raise FormatError(
                f"{path}: this is not an array of numbers in NumPy's format ({error}); restore or rebuild it"
            ) from error
        if mapped and all(shape):
            order = "F" if fortran else "C"
            found: npt.NDArray[Any] = np.memmap(path, kind, "r", stream.tell(), shape, order)  # type: ignore[call-overload]
            return found
        return _read_content(stream, shape, kind, fortran=fortran)


def parse_array(content: bytes) -> npt.NDArray[Any]:
    r"""The array of numbers in the content of a ``.npy`` file; ``ValueError`` where it is none.

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> np.save(stream, np.array([1.5, 2.5]))
    >>> parse_array(stream.getvalue()).tolist()
    [1.5, 2.5]
    >>> header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }".ljust(117) + b"\n"
    >>> parse_array(b"\x93NUMPY\x01\x00\x76\x00" + header)
    Traceback (most recent call last):
    ValueError: its header tells of 799999999999992 bytes, and 0 follow
    """
    stream = io.BytesIO(content)
    shape, fortran, kind = _read_header(stream, len(content))
    return _read_content(stream, shape, kind, fortran=fortran)


def _read_header(stream: BinaryIO, size: int) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type, if they fit the bytes that follow."""
    try:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"version {version[0]}.{version[1]} is not known")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about headers of Python 2
            shape, fortran, kind = _HEADERS[version](stream, max_header_size=_MAX_HEADER)
    except ValueError as error:
        raise ValueError(str(error).partition("\n")[0]) from error
    except Exception as error:  # the header is parsed as a Python literal, which fails in many ways
        raise ValueError(f"its header cannot be read, {type(error).__name__}") from error
    if kind.kind not in "biuf":
        raise ValueError(f"it holds {kind}, and numbers were expected")
    if any(each < 0 for each in shape):
        raise ValueError(f"its header has the shape {shape}")
    wanted, there = math.prod(shape) * kind.itemsize, size - stream.tell()
    if wanted != there:
        raise ValueError(f"its header tells of {wanted} bytes, and {there} follow")
    return shape, fortran, kind


def _read_content(
    stream: BinaryIO, shape: tuple[int, ...], kind: np.dtype[Any], *, fortran: bool
) -> npt.NDArray[Any]:
    found = np.empty(math.prod(shape), kind)
    if stream.readinto(found.view(np.uint8).data) != found.nbytes:  # type: ignore[attr-defined]
        raise ValueError("it is shorter than it was a moment ago")
    return found.reshape(shape, order="F" if fortran else "C")
