"""The terms of an archive: texts, in how many pages each is and how often, and their order by frequency.

The number of a term is its place in the order of bytes, so terms with a common prefix have numbers in a row.
Its rank is its place by decreasing number of pages, terms in as many pages by their numbers; summaries are
coded by ranks, and readers see numbers.

=================  =======================================================================================
``terms.parquet``  a row a term in the order of numbers: ``term``, ``df`` (pages), ``cf`` (occurrences), in
                   row groups of 65 536; without ``term`` where nobody said what the terms are
``terms.order``    the number of each rank, in ⌈log₂ n⌉ bits, lowest bits first
=================  =======================================================================================
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webstrata.collection.files import explained, open_writer
from webstrata.errors import FormatError
from webstrata.store.parquet.rows import regroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    import numpy.typing as npt

ROW_GROUP = 1 << 16
TERMS = pa.schema([("term", pa.string()), ("df", pa.uint32()), ("cf", pa.uint64())])
_AT_ONCE = 1 << 20
"""Numbers that are packed together; a multiple of 8, so that each such block ends with a byte."""


def rank_terms(df: npt.NDArray[np.integer]) -> npt.NDArray[np.uint32]:
    """The number of each rank: terms by decreasing number of pages, those in as many by their numbers.

    Examples
    --------
    >>> rank_terms(np.array([2, 9, 2, 5])).tolist()
    [1, 3, 0, 2]
    """
    return np.argsort(-df.astype(np.int64), kind="stable").astype(np.uint32)


def invert(order: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The rank of each number.

    Examples
    --------
    >>> invert(np.array([1, 3, 0, 2], np.uint32)).tolist()
    [2, 0, 3, 1]
    """
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return ranks


def write_order(path: Path, order: npt.NDArray[np.uint32]) -> None:
    r"""Write the number of each rank, each in as many bits as the largest one takes.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "terms.order"
    >>> write_order(path, np.array([2, 0, 1], np.uint32))
    >>> path.read_bytes()
    b'\x12'
    """
    bits = _width(len(order))
    with open_writer(path) as stream:
        for start in range(0, len(order), _AT_ONCE):
            block = order[start : start + _AT_ONCE].astype("<u4")
            spread = np.unpackbits(block.view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")
            stream.write(np.packbits(spread[:, :bits], bitorder="little").tobytes())


def read_order(path: Path, num_terms: int) -> npt.NDArray[np.uint32]:
    """The number of each rank, or `FormatError` where they are not numbers from 0 on, each once.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "terms.order"
    >>> write_order(path, np.array([2, 0, 1], np.uint32))
    >>> path.stat().st_size, read_order(path, 3).tolist()
    (1, [2, 0, 1])
    """
    bits = _width(num_terms)
    with explained(path, "read"):
        data = np.fromfile(path, np.uint8)
    if len(data) == (bits * num_terms + 7) // 8:
        order = np.empty(num_terms, np.uint32)
        for start in range(0, num_terms, _AT_ONCE):
            count = min(_AT_ONCE, num_terms - start)
            block = data[bits * start // 8 : (bits * (start + count) + 7) // 8]
            spread = np.zeros((count, 32), np.uint8)
            unpacked = np.unpackbits(block, count=bits * count, bitorder="little")
            spread[:, :bits] = unpacked.reshape(count, bits)
            order[start : start + count] = np.packbits(spread, axis=1, bitorder="little").view("<u4")[:, 0]
        if not num_terms or (order.max() < num_terms and np.bincount(order, minlength=num_terms).max() == 1):
            return order
    raise FormatError(
        f"{path}: this is no order of {num_terms} terms; the file is damaged or of another archive, "
        "build the part again"
    )


def _width(num_terms: int) -> int:
    return max(num_terms - 1, 1).bit_length()


def write_terms(path: Path, tables: Iterable[pa.Table]) -> int:
    """Write tables of `TERMS`, sorted by term and one behind the other; how many terms there are.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "terms.parquet"
    >>> write_terms(path, [pa.table({"term": ["fish", "swim"], "df": [3, 1], "cf": [5, 1]}, schema=TERMS)])
    2
    """
    total = 0
    writer: pq.ParquetWriter | None = None
    with open_writer(path) as stream:
        for table in regroup(tables, ROW_GROUP):
            writer = writer or _open_parquet(stream, table.schema)
            writer.write_table(table, row_group_size=ROW_GROUP)
            total += len(table)
        (writer or _open_parquet(stream, TERMS)).close()
    return total


def _open_parquet(stream: BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    packed = {"df": "DELTA_BINARY_PACKED", "cf": "DELTA_BINARY_PACKED", "term": "DELTA_BYTE_ARRAY"}
    encodings = {name: encoding for name, encoding in packed.items() if name in schema.names}
    return pq.ParquetWriter(
        stream, schema, compression="zstd", use_dictionary=False, column_encoding=encodings
    )


class Terms:
    """The terms of an archive; a term is found by its text or by its number.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> table = pa.table(
    ...     {"term": ["fin", "fish", "swim"], "df": [2, 3, 1], "cf": [2, 5, 1]}, schema=TERMS
    ... )
    >>> _ = write_terms(folder / "terms.parquet", [table])
    >>> write_order(folder / "terms.order", rank_terms(table["df"].to_numpy()))
    >>> terms = Terms(folder, 3)
    >>> terms[1], terms.find("swim"), terms.find("shark"), terms.order.tolist()
    ('fish', 2, None, [1, 0, 2])
    >>> list(terms.starting_with("fi")), "fish" in terms
    ([(0, 'fin'), (1, 'fish')], True)
    """

    def __init__(self, folder: Path, num_terms: int) -> None:
        self._folder, self._num_terms = folder, num_terms
        self._last: tuple[int, pa.Array] | None = None

    def __len__(self) -> int:
        return self._num_terms

    @cached_property
    def order(self) -> npt.NDArray[np.uint32]:
        """The number of each rank."""
        return read_order(self._folder / "terms.order", self._num_terms)

    @cached_property
    def df(self) -> npt.NDArray[np.uint32]:
        """In how many pages each term is, by number."""
        return self._column("df").astype(np.uint32)

    @cached_property
    def cf(self) -> npt.NDArray[np.uint64]:
        """How often each term comes in all pages, by number."""
        return self._column("cf").astype(np.uint64)

    def _column(self, name: str) -> npt.NDArray[np.integer]:
        found: npt.NDArray[np.integer] = self._read(name).to_numpy()
        return found

    def _read(self, name: str, group: int | None = None) -> pa.ChunkedArray:
        """A column, or a row group of it, as the schema says it is."""
        with self._understood():
            if group is None:
                found = self._file.read([name])[name]
            else:
                found = self._file.read_row_group(group, [name])[name]
            found.validate(full=True)
            expected = self._num_terms
            if group is not None:
                expected = min(expected - group * ROW_GROUP, ROW_GROUP)
            if found.type != TERMS.field(name).type or found.null_count or len(found) != expected:
                raise pa.ArrowInvalid(f"{len(found)} of {found.type} in {name}, expected {expected}")
        return found

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Say in a sentence what Arrow does not understand: files of strangers, not disks that fail."""
        path = self._folder / "terms.parquet"
        with explained(path, "read"):
            try:
                yield
            except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                why = str(error).splitlines()[0] if str(error) else type(error).__name__
                raise FormatError(
                    f"{path}: these are no terms that can be read ({why}); build the part again"
                ) from error

    @cached_property
    def _file(self) -> pq.ParquetFile:
        path = self._folder / "terms.parquet"
        with self._understood():
            found = pq.ParquetFile(path, memory_map=True)
        if found.metadata.num_rows != self._num_terms:
            raise FormatError(
                f"{path}: it has {found.metadata.num_rows} terms, and the archive {self._num_terms}; "
                "the files belong to different archives"
            )
        return found

    @property
    def have_texts(self) -> bool:
        """Whether it is known what the terms are."""
        return "term" in self._file.schema_arrow.names

    @cached_property
    def _lasts(self) -> list[str]:
        """The last term of each row group."""
        place = self._file.schema_arrow.names.index("term")
        groups = (self._file.metadata.row_group(group) for group in range(self._file.num_row_groups))
        with self._understood():
            statistics = [group.column(place).statistics for group in groups]
            lasts: list[str] = [each.max for each in statistics if each is not None and each.has_min_max]
            if len(lasts) != len(statistics) or not all(isinstance(last, str) for last in lasts):
                raise pa.ArrowInvalid("it does not say which term is the last of each group")
        return lasts

    def _group(self, group: int) -> pa.Array:
        if self._last is None or self._last[0] != group:
            self._last = group, self._read("term", group).combine_chunks()
        return self._last[1]

    def texts(self, numbers: Iterable[int] | None = None) -> list[str]:
        """The texts of numbers, or of all terms in their order."""
        if numbers is None:
            found: list[str] = self._read("term").to_pylist()
            return found
        return [self[number] for number in numbers]

    def text_column(self) -> pa.ChunkedArray:
        """All texts, as Arrow has them."""
        return self._read("term")

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < self._num_terms:
            raise IndexError(f"number: expected 0 to {self._num_terms - 1}, got {number}")
        group, row = divmod(number, ROW_GROUP)
        return str(self._group(group)[row])

    def _bisect(self, text: str) -> int:
        """How many terms are smaller."""
        wanted = text.encode()
        for group, last in enumerate(self._lasts):
            if wanted <= last.encode():
                smaller = pc.less(self._group(group), pa.scalar(text)).true_count
                return group * ROW_GROUP + int(smaller)
        return self._num_terms

    def find(self, text: str) -> int | None:
        """The number of a term, None where it is none."""
        place = self._bisect(text)
        return place if place < self._num_terms and self[place] == text else None

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.find(text) is not None

    def starting_with(self, prefix: str) -> Iterator[tuple[int, str]]:
        """Numbers and texts of the terms with a prefix, in their order."""
        for number in range(self._bisect(prefix), self._num_terms):
            if not (text := self[number]).startswith(prefix):
                return
            yield number, text

    def __repr__(self) -> str:
        return f"<Terms: {self._num_terms}>"
