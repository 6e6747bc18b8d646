"""The coding `contexts`: what each number of a summary is expected to be, by what is known when it is read.

A summary may be coded against one of the few before it, its reference: which of its terms it has too, which
other terms, what counts. Each number has a context (the term, the count in the reference, the place of the
gap …; ``rust/src/summaries/contexts.rs`` says which), and each context the frequencies with which its symbols
came in the whole archive: the model. Numbers are coded by asymmetric numeral systems in as many bits as these
frequencies promise. Two passes: `measure` chooses references and counts symbols, piece by piece, the counts
are added up, `make_model` rounds them to frequencies out of 1024, and the pieces are encoded.

A term has a class in one byte: in the high four bits ⌊log₂(N / df)⌋, up to 15, in the low four bits
⌊2.5 log₂(cf / df)⌋, up to 15: how rare it is, and its usual count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from webstrata._core import summaries as core
from webstrata.collection.files import explained, open_writer
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.summaries.rows import SummaryRows

TOTAL = 1024
"""Frequencies of a context add up to this."""
NUM_SYMBOLS = 16


@dataclass
class ContextTally:
    """How often symbols came: 16 in each table, no and yes at each choice."""

    symbols: npt.NDArray[np.uint64]
    flags: npt.NDArray[np.uint64]

    def __add__(self, other: ContextTally) -> ContextTally:
        return ContextTally(self.symbols + other.symbols, self.flags + other.flags)


def no_tally() -> ContextTally:
    """A tally of nothing.

    Examples
    --------
    >>> int(no_tally().symbols.sum())
    0
    """
    return ContextTally(
        np.zeros(core.NUM_TABLES * NUM_SYMBOLS, np.uint64), np.zeros(2 * core.NUM_FLAGS, np.uint64)
    )


def classify_terms(
    df: npt.NDArray[np.integer], cf: npt.NDArray[np.integer], num_summaries: int
) -> npt.NDArray[np.uint8]:
    """The class of each term.

    Examples
    --------
    >>> classify_terms(np.array([100, 25]), np.array([200, 25]), 100).tolist()
    [2, 32]
    """
    df = np.maximum(df.astype(np.float64), 1)
    rare = np.clip(np.floor(np.log2(max(num_summaries, 1) / df)), 0, 15)
    usual = np.clip(np.floor(2.5 * np.log2(np.maximum(cf / df, 1))), 0, 15)
    found: npt.NDArray[np.uint8] = (16 * rare + usual).astype(np.uint8)
    return found


def measure(
    rows: SummaryRows, classes: npt.NDArray[np.uint8], *, window: int, chain: int
) -> tuple[npt.NDArray[np.uint8], ContextTally]:
    """For each row how far back its reference is (0 for none), and what symbols the rows are.

    Examples
    --------
    >>> from webstrata.summaries.rows import make_rows
    >>> rows = make_rows([(40, {term: 2 for term in range(20)})] * 3)
    >>> measure(rows, np.full(20, 3 << 4, np.uint8), window=8, chain=3)[0].tolist()
    [0, 1, 1]
    """
    distances = core.choose_references(rows, window, chain, classes)
    return distances, ContextTally(*core.tally_contexts(rows, distances, classes))


@dataclass(frozen=True)
class Model:
    """The frequencies of each context, and the classes of terms."""

    classes: npt.NDArray[np.uint8]
    sizes: npt.NDArray[np.uint16]
    """Of symbols in tables, `NUM_SYMBOLS` a table."""
    flags: npt.NDArray[np.uint16]
    """Of yes at choices."""

    def write(self, path: Path) -> None:
        """Write the model: its three arrays one behind the other, packed with zstd."""
        data = b"".join((self.sizes.astype("<u2").tobytes(), self.flags.astype("<u2").tobytes()))
        data += self.classes.tobytes()
        with open_writer(path) as stream:
            stream.write(pa.Codec("zstd", 19).compress(data, asbytes=True))

    @classmethod
    def read(cls, path: Path, num_terms: int) -> Model:
        """The model of an archive with so many terms, or `FormatError`."""
        with explained(path, "read"):
            packed = path.read_bytes()
        tables, flags = core.NUM_TABLES * NUM_SYMBOLS, core.NUM_FLAGS
        try:
            size = 2 * (tables + flags) + num_terms
            data = pa.Codec("zstd").decompress(packed, size, asbytes=True)
            numbers = np.frombuffer(data, "<u2", tables + flags).astype(np.uint16)
            classes = np.frombuffer(data, np.uint8, num_terms, 2 * (tables + flags))
            core.Contexts(classes, numbers[:tables], numbers[tables:], 0)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise FormatError(
                f"{path}: this is no model of an archive of {num_terms} terms ({error}); build the part again"
            ) from error
        return cls(classes, numbers[:tables], numbers[tables:])


def make_model(tally: ContextTally, classes: npt.NDArray[np.uint8]) -> Model:
    """Counts rounded to frequencies: each symbol that came has 1 at least, and each table `TOTAL` in all.

    Examples
    --------
    >>> tally = no_tally()
    >>> tally.symbols[:3] = 1, 0, 10_000_000
    >>> make_model(tally, np.zeros(1, np.uint8)).sizes[:4].tolist()
    [1, 0, 1023, 0]
    """
    counts = tally.symbols.reshape(-1, NUM_SYMBOLS).astype(np.float64)
    counts[counts.sum(1) == 0, 0] = 1  # a context that never came
    shares = counts * (TOTAL / counts.sum(1, keepdims=True))
    sizes = np.where(counts > 0, np.maximum(np.floor(shares), 1), 0)
    # what is missing or too much goes to the largest, which feels it least
    rows, largest = np.arange(len(sizes)), np.argmax(counts, 1)
    sizes[rows, largest] += TOTAL - sizes.sum(1)
    choices = tally.flags.reshape(-1, 2).astype(np.float64)
    flags = np.round(TOTAL * (choices[:, 1] + 0.5) / (choices.sum(1) + 1))
    return Model(classes, sizes.astype(np.uint16).reshape(-1), np.clip(flags, 1, TOTAL - 1).astype(np.uint16))
