"""Orthonormal vectors that many new ones are made orthogonal to at once, in memory or on disk.

A basis is cut across its vectors into **tiles** of some thousand rows, each tile a matrix of its own: what a
pass reads of a tile is one piece of memory, or of the file. Vectors come in blocks Z of s, and a pass over
the tiles V_t does for each of them

    Z_t ← Z_t − A V_t,   then   A' ← A' + Z_t V_tᵀ   and   G ← G + Z_t Z_tᵀ

with matrices instead of vectors: the whole basis is read once for s vectors, not 2 s times, and what is left
is bound by arithmetic. Tiles go to threads, and sums are made in the order of tiles: the result is the same
whatever the number of threads.

On disk, a basis is the file ``basis``: numbers of 64 bits, little-endian, of tile after tile, and within a
tile of vector after vector.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from webstrata.collection.files import explained

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    Matrix = npt.NDArray[np.float64]

_Part = TypeVar("_Part")

WIDTH = 1 << 14
"""Rows of a tile, at most."""
FILE = "basis"
_ROUNDING = 1e-9
"""How far from 1 the length of a stored vector may be."""


class Basis:
    """Up to `most` vectors of `length` numbers each.

    Parameters
    ----------
    length, most
        How long vectors are, and how many there may be.
    folder
        Where they are kept on disk; in memory where not given.
    workers
        Threads.

    Examples
    --------
    >>> basis = Basis(4, 3)
    >>> basis.append(np.eye(4)[:2])
    >>> left = np.array([[3.0, 4.0, 2.0, 0.0]])
    >>> basis.dots(left).tolist()
    [[3.0, 4.0]]
    >>> again, gram = basis.subtract(left, np.array([[3.0, 4.0]]))
    >>> left.tolist(), again.tolist(), gram.tolist()
    ([[0.0, 0.0, 2.0, 0.0]], [[0.0, 0.0]], [[4.0]])
    >>> basis.combine(np.array([[2.0, 1.0]])).tolist()
    [[2.0, 1.0, 0.0, 0.0]]
    """

    def __init__(self, length: int, most: int, *, folder: Path | None = None, workers: int = 1) -> None:
        num_tiles = max(1, -(-length // WIDTH))
        self.length, self.most, self.size = length, most, 0
        self.width = -(-length // num_tiles)
        self.workers = workers
        shape = (num_tiles, most, self.width)
        self._tiles: Matrix
        if folder is None:
            self._tiles = np.empty(shape)
        else:
            self._tiles = open_tiles(folder, shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all vectors that there may be."""
        return self._tiles.nbytes

    def append(self, block: Matrix) -> None:
        """Take vectors in, as rows that are orthonormal."""
        count = len(block)
        for tile, (begin, end) in enumerate(self._ranges()):
            self._tiles[tile, self.size : self.size + count, : end - begin] = block[:, begin:end]
            self._tiles[tile, self.size : self.size + count, end - begin :] = 0
        self.size += count

    def vector(self, number: int) -> Matrix:
        """One of the vectors."""
        return np.ascontiguousarray(self._tiles[:, number]).reshape(-1)[: self.length]

    def dots(self, block: Matrix) -> Matrix:
        """Z Vᵀ: a row for each vector of the block."""

        def part(tile: int, begin: int, end: int) -> Matrix:
            product: Matrix = block[:, begin:end] @ self._tiles[tile, : self.size, : end - begin].T
            return product

        total: Matrix = np.sum(self._map(part), axis=0)
        return total

    def subtract(self, block: Matrix, factors: Matrix) -> tuple[Matrix, Matrix]:
        """Take A V from the block, in place; then its products with the basis, and with itself."""

        def part(tile: int, begin: int, end: int) -> tuple[Matrix, Matrix]:
            vectors = self._tiles[tile, : self.size, : end - begin]
            piece = block[:, begin:end] - factors @ vectors
            block[:, begin:end] = piece
            return piece @ vectors.T, piece @ piece.T

        parts = self._map(part)
        return np.sum([one for one, _ in parts], axis=0), np.sum([two for _, two in parts], axis=0)

    def combine(self, factors: npt.NDArray[np.float64]) -> Matrix:
        """F V: sums of the first vectors, a row for each row of factors."""
        count = factors.shape[1]
        combined = np.empty((len(factors), self.length))
        for tile, (begin, end) in enumerate(self._ranges()):
            combined[:, begin:end] = factors @ self._tiles[tile, :count, : end - begin]
        return combined

    def turn(self, factors: Matrix) -> None:
        """Keep F V of all vectors but the last, and the last one behind them."""
        count = len(factors)
        for tile in self._tiles:
            tile[:count] = factors @ tile[: self.size - 1]
            tile[count] = tile[self.size - 1]
        self.size = count + 1

    def save(self, folder: Path, start: int) -> None:
        """Write the vectors from `start` on to the file in that folder; what is on disk is only synced."""
        tiles = self._tiles
        if not isinstance(tiles, np.memmap):
            tiles = open_tiles(folder, tiles.shape)
            for tile in range(len(tiles)):
                tiles[tile, start : self.size] = self._tiles[tile, start : self.size]
        with explained(folder / FILE, "sync"):
            tiles.flush()

    def load(self, folder: Path, size: int) -> bool:
        """Take the first vectors from the file in that folder; false where they are not there."""
        path = folder / FILE
        if not path.is_file() or path.stat().st_size != self._tiles.nbytes:
            return False
        if not isinstance(self._tiles, np.memmap):
            stored = open_tiles(folder, self._tiles.shape)
            for tile in range(len(stored)):
                self._tiles[tile, :size] = stored[tile, :size]
        self.size = size
        return all(abs(np.linalg.norm(self.vector(place)) - 1) < _ROUNDING for place in (0, size - 1))

    def _ranges(self) -> list[tuple[int, int]]:
        return [
            (begin, min(begin + self.width, self.length))
            for begin in range(0, self.width * len(self._tiles), self.width)
        ]

    def _map(self, part: Callable[[int, int, int], _Part]) -> list[_Part]:
        """What a function says of each tile, in their order."""
        jobs = [(tile, begin, end) for tile, (begin, end) in enumerate(self._ranges())]
        if self.workers < 2 or len(jobs) < 2:
            return [part(*job) for job in jobs]
        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(lambda job: part(*job), jobs))


def open_tiles(folder: Path, shape: tuple[int, ...]) -> np.memmap[tuple[int, ...], np.dtype[np.float64]]:
    """The file of a basis, mapped; it is made if it is not there, with all the space that it takes.

    Examples
    --------
    >>> from webstrata import testing
    >>> open_tiles(testing.scratch(), (2, 3, 4)).shape
    (2, 3, 4)
    """
    path = folder / FILE
    size = 8 * int(np.prod(shape))
    with explained(path, "write"):
        if not path.is_file() or path.stat().st_size != size:
            with path.open("wb") as file:
                # all of it now: a mapped file that finds the disk full ends the process
                os.posix_fallocate(file.fileno(), 0, size)
        return np.memmap(path, "<f8", "r+", shape=shape)
