"""Where summaries end in a stream: ``summaries.places``, an Elias–Fano sequence (SUM, section 2).

n ends e₀ ≤ e₁ ≤ … in bits or bytes of the stream, the last of them being U. With l = ⌊log₂(U / n)⌋, or 0
where that is negative, each is cut into its l low bits and the rest. One behind the other:

=============  ============================================================================================
U              8 bytes, little-endian
inventory      for each i = 1024, 2048, … below n the place of the i-th one among the high parts, 8 bytes
high parts     n + ⌊U / 2ˡ⌋ bits, that at ⌊eᵢ / 2ˡ⌋ + i is 1 for each i; filled up to whole bytes
low parts      l bits for each i, the lowest first; filled up to whole bytes
=============  ============================================================================================

In bytes the lowest bit comes first. A pointer takes l + 1 + U / (2ˡ n) bits, which is at most 2 + log₂ of the
mean size of a summary, and 1/16 of a bit for the inventory; U and what is filled up are 10 bytes in all. How
many ends there are is said elsewhere, in ``archive.toml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.files import open_writer

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

INVENTORY = 1 << 10
"""Ones that an entry of the inventory stands for; the core knows it, too."""
_AT_ONCE = 1 << 20
"""Numbers that are packed together; a multiple of 8, so that each such block ends with a byte."""


def low_bits(last: int, count: int) -> int:
    """How many bits of each number are kept as they are.

    Examples
    --------
    >>> low_bits(1000, 10), low_bits(7, 8), low_bits(0, 0)
    (6, 0, 0)
    """
    return max((last // count).bit_length() - 1, 0) if count else 0


def write_places(path: Path, ends: npt.NDArray[np.uint64]) -> None:
    r"""Write where summaries end, in ascending order.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "summaries.places"
    >>> write_places(path, np.array([5, 9, 9], np.uint64))
    >>> path.read_bytes()  # U = 9, high parts 2, 4 and 4, low bits 1, 1 and 1
    b'\t\x00\x00\x00\x00\x00\x00\x00d\x07'
    """
    last = int(ends[-1]) if len(ends) else 0
    width = low_bits(last, len(ends))
    with open_writer(path) as stream:
        stream.write(last.to_bytes(8, "little"))
        if not len(ends):
            return
        ones = (ends >> np.uint64(width)) + np.arange(len(ends), dtype=np.uint64)
        stream.write(ones[INVENTORY::INVENTORY].astype("<u8").tobytes())
        high = np.zeros(len(ends) + (last >> width), bool)
        high[ones.astype(np.int64)] = True
        stream.write(np.packbits(high, bitorder="little").tobytes())
        for start in range(0, len(ends) if width else 0, _AT_ONCE):
            block = ends[start : start + _AT_ONCE].astype("<u8").view(np.uint8).reshape(-1, 8)
            spread = np.unpackbits(block, axis=1, bitorder="little", count=width)
            stream.write(np.packbits(spread, bitorder="little").tobytes())
