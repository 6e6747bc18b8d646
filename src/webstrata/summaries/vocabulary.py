"""Vocabularies merged in bounded memory: what terms there are, and what each run's terms are called in all.

A run has some pages counted, with a vocabulary of its own (``vocabulary.arrow``: ``term``, ``df``, ``cf`` in
the order of bytes). The distinct words of many pages do not fit into memory, so vocabularies stay in files
and are merged a window at a time: of each run the next terms are looked at, up to the smallest of their last
ones all terms are complete, and what was the same term is added up. Terms in too few pages are dropped; the
others are numbered as they come, and for each run is written which number each of its terms has.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.files import explained, open_writer
from webstrata.summaries.rows import DROPPED
from webstrata.summaries.terms import TERMS, write_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    import numpy.typing as npt

FILE = "vocabulary.arrow"
RUN = pa.schema([("term", pa.large_string()), ("df", pa.uint32()), ("cf", pa.uint64())])
_BATCH = 1 << 16
_BYTES = 160
"""What a term takes while it is merged, roughly: its text some times, numbers, sorting."""


def write_vocabulary(
    folder: Path,
    ends: npt.NDArray[np.int64],
    texts: npt.NDArray[np.uint8],
    df: npt.NDArray[np.uint32],
    cf: npt.NDArray[np.uint64],
) -> None:
    """Write the vocabulary of a run: its terms in order, as the core gives them.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> text = np.frombuffer(b"fishswim", np.uint8)
    >>> write_vocabulary(folder, np.array([0, 4, 8]), text, np.array([3, 1], "u4"), np.array([5, 1], "u8"))
    >>> read_vocabulary(folder)["term"].to_pylist()
    ['fish', 'swim']
    """
    terms = pa.LargeStringArray.from_buffers(len(df), pa.py_buffer(ends), pa.py_buffer(texts))
    table = pa.table([terms, pa.array(df), pa.array(cf)], schema=RUN)
    with open_writer(folder / FILE) as stream, pa.ipc.new_file(stream, RUN) as writer:
        writer.write_table(table, max_chunksize=_BATCH)


def read_vocabulary(folder: Path) -> pa.Table:
    """The vocabulary of a run, mapped.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> text = np.frombuffer(b"eelfish", np.uint8)
    >>> write_vocabulary(folder, np.array([0, 3, 7]), text, np.array([1, 2], "u4"), np.array([1, 3], "u8"))
    >>> read_vocabulary(folder).to_pydict()
    {'term': ['eel', 'fish'], 'df': [1, 2], 'cf': [1, 3]}
    """
    with explained(folder / FILE, "read"):
        return pa.ipc.open_file(pa.memory_map(str(folder / FILE))).read_all()


@dataclass
class _Run:
    table: pa.Table
    numbers: BinaryIO
    place: int = 0

    def window(self, size: int) -> pa.Table:
        return self.table.slice(self.place, size)

    @property
    def is_left(self) -> bool:
        return self.place < len(self.table)


def merge_vocabularies(
    folders: Sequence[Path],
    folder: Path,
    *,
    min_df: int,
    memory: int,
    advance: Callable[[int], object] = lambda _: None,
) -> tuple[int, int]:
    """Merge the vocabularies of runs; how many terms are kept, and how many there were.

    Parameters
    ----------
    folders
        Of the runs.
    folder
        Where ``terms.parquet`` is written, and for the n-th run ``numbers-<n>.u32``: the number of each of
        its terms, or `DROPPED`.
    min_df
        Pages that a term must be in.
    memory
        About how many bytes the merge may take.
    advance
        Called with terms of runs that were merged.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> for name, text in (("a", b"finfish"), ("b", b"eelfish")):
    ...     (folder / name).mkdir()
    ...     ends, ones = np.array([0, 3, 7]), np.ones(2, np.uint32)
    ...     write_vocabulary(folder / name, ends, np.frombuffer(text, np.uint8), ones, ones.astype("u8"))
    >>> merge_vocabularies([folder / "a", folder / "b"], folder, min_df=2, memory=1 << 24)
    (1, 3)
    >>> (np.fromfile(folder / "numbers-1.u32", np.uint32) == DROPPED).tolist()
    [True, False]
    """
    counts = [0, 0]
    with ExitStack() as stack:
        runs = [
            _Run(read_vocabulary(path), stack.enter_context(open_writer(folder / f"numbers-{nth}.u32")))
            for nth, path in enumerate(folders)
        ]

        def tables() -> Iterator[pa.Table]:
            while left := [run for run in runs if run.is_left]:
                window = max(memory // (_BYTES * len(left)), 16)
                before = sum(run.place for run in runs)
                table, seen = _merge_window(left, window, counts[0], min_df)
                counts[0] += len(table)
                counts[1] += seen
                advance(sum(run.place for run in runs) - before)
                yield table

        write_terms(folder / "terms.parquet", tables())
    return counts[0], counts[1]


def _merge_window(runs: list[_Run], window: int, first: int, min_df: int) -> tuple[pa.Table, int]:
    """The next terms that are kept, and how many there were; the runs go on behind them."""
    tables = [run.window(window) for run in runs]
    # a run that ends in its window has no more terms below anything
    open_ends = [
        table["term"][-1].as_py()
        for run, table in zip(runs, tables, strict=True)
        if run.place + len(table) < len(run.table)
    ]
    if open_ends:
        bound = pa.scalar(min(open_ends, key=str.encode), pa.large_string())
        tables = [
            table.slice(0, pc.sum(pc.less_equal(table["term"], bound)).as_py() or 0) for table in tables
        ]
    joined = pa.concat_tables(tables).combine_chunks()
    encoded = joined["term"].combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    places, texts = encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary
    df, cf = (
        np.bincount(places, joined[name].to_numpy(), minlength=len(texts)).astype(np.uint64)
        for name in ("df", "cf")
    )
    order = pc.sort_indices(texts).to_numpy()
    kept = order[df[order] >= min_df]
    numbers = np.full(len(texts), DROPPED, np.uint32)
    numbers[kept] = np.arange(first, first + len(kept), dtype=np.uint32)
    start = 0
    for run, table in zip(runs, tables, strict=True):
        run.numbers.write(numbers[places[start : start + len(table)]].astype("<u4").tobytes())
        start += len(table)
        run.place += len(table)
    columns = [texts.take(pa.array(kept)).cast(pa.string()), df[kept].astype(np.uint32), cf[kept]]
    return pa.table(columns, schema=TERMS), len(texts)
