"""Rows to an archive: coded chunk by chunk, the pieces put one behind the other.

Nodes are taken in chunks of `CHUNK`; no summary refers to one of another chunk. So chunks can be coded apart,
in any shards and on any machine, and the bytes are the same however they were split. What all chunks must
agree on (ranks of terms, frequencies of contexts) is added up before the first of them is coded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import tomli_w

from webstrata._core import summaries as core
from webstrata.collection.files import make_directory, open_writer
from webstrata.collection.progress import Progress
from webstrata.summaries.archive import FORMAT, Archive
from webstrata.summaries.code_names import to_core
from webstrata.summaries.contexts import ContextTally, Model, classify_terms, make_model, measure, no_tally
from webstrata.summaries.places import write_places
from webstrata.summaries.rows import SummaryRows, renumber, to_rows
from webstrata.summaries.settings import SummariesSettings
from webstrata.summaries.terms import TERMS, invert, rank_terms, write_order, write_terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    import numpy.typing as npt

CHUNK = 1 << 12
"""Nodes that are coded apart from others."""


@dataclass(frozen=True)
class Piece:
    """Summaries that are coded: their bytes, or words of bits, and where each of them ends."""

    data: npt.NDArray[np.uint8] | npt.NDArray[np.uint64]
    ends: npt.NDArray[np.uint64]
    num_postings: int


class Coder:
    """Codes chunks: `prepare` each, let it `learn` the sum of what was counted, then `encode` each."""

    def __init__(self, settings: SummariesSettings, classes: npt.NDArray[np.uint8]) -> None:
        self._settings, self._classes = settings, classes
        self.model: Model | None = None

    def prepare(self, rows: SummaryRows) -> tuple[npt.NDArray[np.uint8], ContextTally]:
        """References of the rows of a chunk, and what is counted of them; terms are ranks."""
        if self._settings.coding == "codes":
            return np.zeros(0, np.uint8), no_tally()
        return measure(rows, self._classes, window=self._settings.window, chain=self._settings.chain)

    def learn(self, tally: ContextTally) -> None:
        """Take the counts of all chunks."""
        if self._settings.coding == "contexts":
            self.model = make_model(tally, self._classes)

    def encode(self, rows: SummaryRows, distances: npt.NDArray[np.uint8]) -> Piece:
        """The summaries of a chunk."""
        if self.model is None:
            names = [to_core(name) for name in self._settings.codes]
            codes = core.Codes(names, self._settings.count_differences, len(self._classes))
            words, ends = codes.encode(rows)
            return Piece(words, ends, len(rows.terms))
        model = self.model
        contexts = core.Contexts(model.classes, model.sizes, model.flags, self._settings.chain)
        data, ends = contexts.encode(rows, distances)
        return Piece(data, ends, len(rows.terms))


class ArchiveWriter:
    """Puts pieces one behind the other in the files of an archive.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries.rows import make_rows
    >>> folder = testing.scratch()
    >>> settings = SummariesSettings(coding="codes")
    >>> coder = Coder(settings, np.zeros(3, np.uint8))
    >>> piece = coder.encode(make_rows([(7, {0: 2, 2: 1})]), np.zeros(0, np.uint8))
    >>> with open_writer(folder / "summaries.stream") as stream:
    ...     writer = ArchiveWriter(stream)
    ...     writer.append(piece)
    ...     writer.append(piece)
    ...     writer.end()
    >>> piece.ends.tolist(), [part.tolist() for part in writer.ends]
    ([21], [[21], [42]])
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._position = 0
        self._waiting = np.uint64(0)
        self.ends: list[npt.NDArray[np.uint64]] = []
        self.num_postings = 0

    def append(self, piece: Piece) -> None:
        """Put a piece behind the others."""
        if not len(piece.ends):
            return
        self.ends.append(piece.ends + np.uint64(self._position))
        self.num_postings += piece.num_postings
        if piece.data.dtype == np.uint8:
            self._stream.write(piece.data.tobytes())
        else:
            self._append_bits(piece.data, int(piece.ends[-1]))
        self._position += int(piece.ends[-1])

    def _append_bits(self, words: npt.NDArray[np.integer], bits: int) -> None:
        shift = self._position % 64
        words = words[: (bits + 63) // 64].astype(np.uint64)
        joined = np.zeros(len(words) + 1, np.uint64)
        joined[:-1] = words << np.uint64(shift)
        if shift:
            joined[1:] |= words >> np.uint64(64 - shift)
        joined[0] |= self._waiting
        whole = (shift + bits) // 64
        self._stream.write(joined[:whole].astype("<u8").tobytes())
        self._waiting = joined[whole]

    def end(self) -> None:
        """Write what is left of the last word; for codes."""
        if self._position % 64:
            self._stream.write(np.array([self._waiting], "<u8").tobytes())


def finish_archive(
    folder: Path,
    writer: ArchiveWriter,
    settings: SummariesSettings,
    *,
    missing: npt.NDArray[np.integer],
    order: npt.NDArray[np.uint32],
    model: Model | None,
    stemmer: str = "",
) -> None:
    """Write what an archive needs besides its stream and the texts of its terms.

    With `stemmer` it says what its words were stemmed by, so that words of a query can be.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> order, none = np.zeros(1, np.uint32), np.zeros(0, np.uint64)
    >>> with open_writer(folder / "summaries.stream") as stream:
    ...     writer = ArchiveWriter(stream)
    >>> settings = SummariesSettings(coding="codes")
    >>> finish_archive(folder, writer, settings, missing=none, order=order, model=None)
    >>> Archive(folder)
    <Archive of 0 summaries, 0 postings, codes>
    """
    ends = np.concatenate([np.zeros(0, np.uint64), *writer.ends])
    num_nodes = len(ends) + len(missing)
    write_places(folder / "summaries.places", ends)
    core.Set(missing.astype(np.uint64), num_nodes).write(folder / "missing.set")
    write_order(folder / "terms.order", order)
    facts: dict[str, object] = {
        "format": FORMAT,
        "coding": settings.coding,
        "num_nodes": num_nodes,
        "num_summaries": len(ends),
        "num_terms": len(order),
        "num_postings": writer.num_postings,
    }
    if stemmer:
        facts["stemmer"] = stemmer
    if model is not None:
        facts |= {"window": settings.window, "chain": settings.chain}
        model.write(folder / "model.zst")
    else:
        facts |= {"codes": list(settings.codes), "count_differences": settings.count_differences}
    with open_writer(folder / "archive.toml") as stream:
        stream.write(tomli_w.dumps(facts).encode())


def write_archive(
    folder: Path,
    rows: SummaryRows | Any,  # noqa: ANN401
    *,
    settings: SummariesSettings | None = None,
    texts: Sequence[str] | None = None,
    missing: Sequence[int] = (),
    num_terms: int | None = None,
    progress: Progress | None = None,
) -> Archive:
    """An archive of rows in memory, written and opened.

    Parameters
    ----------
    folder
        Where; it is made if it is not there.
    rows
        One row per node, as `SummaryRows` with arrays of any integer type, or as a SciPy sparse matrix of
        counts with one column per term; terms are any numbers from 0 on.
    settings
        How summaries are coded; nothing is left out of rows that are there already.
    texts
        What each term is, in the order of bytes.
    missing
        Nodes that have no summary; their rows must be empty.
    num_terms
        How many terms there are, where the last ones are in no row.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries.rows import make_rows
    >>> rows = make_rows([(7, {0: 2, 2: 1}), (0, {}), (3, {0: 3})])
    >>> archive = write_archive(testing.scratch(), rows, missing=[1])
    >>> archive.batch([0, 1, 2]).counts.tolist(), archive.has([0, 1, 2]).tolist()
    ([2, 1, 3], [True, False, True])
    """
    settings = settings or SummariesSettings()
    rows = to_rows(rows)
    make_directory(folder)
    least = int(rows.terms.max()) + 1 if len(rows.terms) else 0
    num_terms = max(least, num_terms or 0, len(texts or ()))
    df = np.bincount(rows.terms, minlength=num_terms)
    cf = np.bincount(rows.terms, rows.counts, minlength=num_terms).astype(np.uint64)
    order = rank_terms(df)
    gone = np.array(sorted(missing), np.int64)
    if rows.sizes[gone].any():
        raise ValueError("missing: expected nodes whose rows are empty")
    coder = Coder(settings, classify_terms(df[order], cf[order], rows.num_rows - len(gone)))
    ranks = invert(order)
    starts = range(0, rows.num_rows, CHUNK)
    progress = progress or Progress()

    def chunk(start: int) -> SummaryRows:
        piece = renumber(rows.cut(start, min(start + CHUNK, rows.num_rows)), ranks)
        return without(piece, gone[(gone >= start) & (gone < start + CHUNK)] - start)

    with progress.task("coding summaries", total=2 * rows.num_rows, unit="pages") as task:
        tally, references = no_tally(), []
        for start in starts:
            distances, counted = coder.prepare(chunk(start))
            tally += counted
            references.append(distances)
            task.advance(min(CHUNK, rows.num_rows - start))
        coder.learn(tally)
        with open_writer(folder / "summaries.stream") as stream:
            writer = ArchiveWriter(stream)
            for start, distances in zip(starts, references, strict=True):
                writer.append(coder.encode(chunk(start), distances))
                task.advance(min(CHUNK, rows.num_rows - start))
            if settings.coding == "codes":
                writer.end()
    columns = {"df": pa.array(df, pa.uint32()), "cf": pa.array(cf, pa.uint64())}
    if texts is not None:
        columns = {"term": pa.array(texts, pa.string())} | columns
    schema = TERMS if texts is not None else TERMS.remove(0)
    write_terms(folder / "terms.parquet", [pa.table(columns, schema=schema)])
    finish_archive(folder, writer, settings, missing=gone, order=order, model=coder.model)
    return Archive(folder)


def without(rows: SummaryRows, gone: npt.NDArray[np.integer]) -> SummaryRows:
    """The rows without some that are empty.

    Examples
    --------
    >>> from webstrata.summaries.rows import make_rows
    >>> without(make_rows([(7, {0: 2}), (0, {}), (3, {0: 3})]), np.array([1])).offsets.tolist()
    [0, 1, 2]
    """
    if not len(gone):
        return rows
    return rows._replace(lengths=np.delete(rows.lengths, gone), offsets=np.delete(rows.offsets, gone))
