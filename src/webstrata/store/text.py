"""The text of the pages, computed once and kept: the part `text`.

===================  ====================================================================================
``text.arrow``       a row a node: ``title``, ``headings`` (``level`` and ``text``), ``text``, ``main`` (where
                     sections of main content begin and end in the text). Arrow IPC with `BATCH` rows to a
                     record batch, each packed by itself (zstd), so that the text of a node is read without
                     the rest
``columns.parquet``  a row a node: ``words``, ``language``, ``charset``, ``simhash``
===================  ====================================================================================

The text is what a reader sees, a line for each block, white space collapsed (`webstrata.web.html`); words are
those of `webstrata.web.words`, the simhash is that of `webstrata.store.duplicates.near`. The language is the
one found in the text, or where it is too short to tell, what the page says of itself. All columns byte by
byte are in ``docs/formats/text.md``; `webstrata.store.contents` fills them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.collection.files import explained, open_writer
from webstrata.collection.sequences import find_place
from webstrata.collection.tables import SHOWN, Table
from webstrata.store.hiding import blank
from webstrata.store.parquet.rows import regroup
from webstrata.store.settings import LOW_SLOPE, MAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.parts import Part
    from webstrata.store.hiding import Hidden

BATCH = 64
"""Pages that are packed together."""
ROW_GROUP = 1 << 16
VERSION = 2
"""Of the columns of `TEXT` and of the rules of main content; what another version has is not reused."""

TEXT = pa.schema([
    ("title", pa.string()),
    ("headings", pa.list_(pa.struct([("level", pa.uint8()), ("text", pa.string())]))),
    ("text", pa.string()),
    ("main", pa.list_(pa.uint32())),
    ("fallback", pa.bool_()),
], metadata={"main": MAIN})  # fmt: skip
COLUMNS = pa.schema([
    ("words", pa.uint32()),
    ("language", pa.string()),
    ("charset", pa.string()),
    ("simhash", pa.uint64()),
])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page says to a reader."""

    title: str
    headings: list[Heading]
    text: str
    words: int
    """How many there are in `text`."""
    language: str | None
    """A code of ISO 639-1, None where it cannot be told."""
    charset: str | None
    """The name in the Encoding standard; None where the page could not be read."""
    simhash: int
    main: str
    """Of `text` the sections that are main content, a line each; found as `Text.main_method` says."""
    fallback: bool
    """Whether no main content was found, so that `main` is the whole text."""


def cut_main(text: str, places: Sequence[int]) -> str:
    r"""The sections of a text, a line each, given where each begins and ends in bytes of UTF-8.

    Examples
    --------
    >>> cut_main("Menü\nA story.\nLegal", [6, 14])
    'A story.'
    """
    data = text.encode()
    pairs = zip(places[::2], places[1::2], strict=True)
    return "\n".join(data[begin:end].decode(errors="replace") for begin, end in pairs)


def write_text(
    folder: Path,
    batches: Iterable[pa.RecordBatch],
    columns: pa.Table | Iterable[pa.Table],
    *,
    compression: Literal["zstd"] | None = "zstd",
    main: str = MAIN,
) -> None:
    """Write the text of pages in batches of `BATCH` rows, and their columns, so that `Text` opens them.

    `main` is how main content was found.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> row = {"title": "A", "headings": [{"level": 1, "text": "A"}], "text": "A b c"}
    >>> columns = {"words": 3, "language": None, "charset": "UTF-8", "simhash": 7}
    >>> batch = pa.RecordBatch.from_pylist([row], schema=TEXT)
    >>> write_text(folder, [batch], pa.Table.from_pylist([columns], schema=COLUMNS))
    >>> Text(folder)[0].headings
    [Heading(level=1, text='A')]
    """
    options = pa.ipc.IpcWriteOptions(compression=compression)
    metadata = {"main": main, "main_version": str(VERSION)}
    with (
        open_writer(folder / "text.arrow") as stream,
        pa.ipc.new_file(stream, TEXT.with_metadata(metadata), options=options) as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)
    tables = [columns] if isinstance(columns, pa.Table) else columns
    with (
        open_writer(folder / "columns.parquet") as stream,
        pq.ParquetWriter(stream, COLUMNS, compression="zstd") as rows,
    ):
        for table in regroup(tables, ROW_GROUP):
            rows.write_table(table, row_group_size=ROW_GROUP)


class Text(Table):
    """The text of the pages of a snapshot; ``text[node]`` reads one, `scan` all of them in order.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> rows = [{"title": "", "headings": [], "text": text} for text in ("one two", "three")]
    >>> columns = {"words": [2, 1], "language": ["en", None], "charset": ["UTF-8"] * 2, "simhash": [1, 2]}
    >>> write_text(folder, [pa.RecordBatch.from_pylist(rows, schema=TEXT)], pa.table(columns, schema=COLUMNS))
    >>> text = Text(folder)
    >>> len(text), text[1].text, text[0].language
    (2, 'three', 'en')
    >>> [batch["text"].to_pylist() for batch in text.scan("text")]
    [['one two', 'three']]
    >>> text.columns("words")["words"].to_pylist()
    [2, 1]
    """

    def __init__(self, folder: Path, part: Part | None = None, *, hidden: Hidden | None = None) -> None:
        self._part = part  # held, so that the files stay
        self._hidden = hidden
        self._path = folder / "text.arrow"
        with explained(self._path, "read"):
            self._source = pa.memory_map(str(self._path))
            # a batch of 64 pages is small: handing it to threads takes longer than unpacking it
            self._file = pa.ipc.open_file(self._source, options=pa.ipc.IpcReadOptions(use_threads=False))
        with explained(folder / "columns.parquet", "read"):
            self._columns = pq.ParquetFile(folder / "columns.parquet", memory_map=True)
        self._last: tuple[int, pa.RecordBatch] | None = None
        self._last_group: tuple[int, pa.Table] | None = None

    def __len__(self) -> int:
        return int(self._columns.metadata.num_rows)

    @property
    def main_method(self) -> str:
        """How main content was found: a method of `webstrata.store.main_content`."""
        named: bytes = (self._file.schema.metadata or {}).get(b"main", LOW_SLOPE.encode())
        return named.decode()

    @property
    def main_version(self) -> int:
        """The version of that method; 1 in parts of 0.1.0."""
        return int((self._file.schema.metadata or {}).get(b"main_version", b"1"))

    def columns(self, *names: str) -> pa.Table:
        """The columns named of `words`, `language`, `charset`, `simhash`, or all; the row is the node."""
        return self._show_columns(self._columns.read(list(names) or None), 0)

    def take(self, nodes: npt.NDArray[np.int64]) -> pa.Array:
        """The texts of nodes, which are sorted."""
        found = [
            self._show(self._file.get_batch(place), place)["text"].take(rows).cast(pa.large_string())
            for place, rows in _split(nodes, BATCH)
        ]
        return pa.concat_arrays(found) if found else pa.array([], pa.large_string())

    def rows(self, nodes: npt.NDArray[np.int64]) -> pa.Table:
        """The columns of `TEXT` of nodes, which are sorted."""
        found = [TEXT.empty_table()]
        for place, rows in _split(nodes, BATCH):
            batch = self._batch(place).take(rows)
            found.append(pa.Table.from_batches([batch.replace_schema_metadata(None)]))
        return pa.concat_tables(found, promote_options="default")  # a part of 0.1.0 may lack columns

    def column_rows(self, nodes: npt.NDArray[np.int64]) -> pa.Table:
        """The columns of `COLUMNS` of nodes, which are sorted."""
        found = [self._group(group).take(rows) for group, rows in _split(nodes, ROW_GROUP)]
        return pa.concat_tables([COLUMNS.empty_table(), *found])

    def scan(self, *names: str, start: int = 0) -> Iterator[pa.RecordBatch]:
        """The columns named of `TEXT`, or all of them, in batches from that of `start` on."""
        fields = [TEXT.get_field_index(name) for name in names] if names else None
        reader = pa.ipc.open_file(
            pa.memory_map(str(self._path)), options=pa.ipc.IpcReadOptions(included_fields=fields)
        )
        for place in range(start // BATCH, reader.num_record_batches):
            yield self._show(reader.get_batch(place), place)

    @overload
    def __getitem__(self, node: int) -> PageText: ...
    @overload
    def __getitem__(self, node: slice) -> list[PageText]: ...
    def __getitem__(self, node: int | slice) -> PageText | list[PageText]:
        if isinstance(node, slice):
            return [self[place] for place in range(*node.indices(len(self)))]
        node = find_place(node, len(self))
        row = self.row(node)
        headings = [Heading(**heading) for heading in row.pop("headings")]
        main = cut_main(row["text"], row.pop("main", None) or [])
        fallback = bool(row.pop("fallback", None))  # null, or absent, in parts of 0.1.0
        return PageText(headings=headings, main=main, fallback=fallback, **row, **self.column_row(node))

    def to_arrow(self) -> pa.Table:
        """All nodes with title, headings, text, words and language."""
        return self._tabulate(np.arange(len(self)))

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first nodes, and how many there are."""
        return self._tabulate(np.arange(min(number, len(self)))), len(self)

    def _tabulate(self, nodes: npt.NDArray[np.int64]) -> pa.Table:
        table, columns = self.rows(nodes), self.column_rows(nodes)
        for name in columns.column_names:
            table = table.append_column(name, columns[name])
        return table.add_column(0, "node", pa.array(nodes, pa.uint32()))

    def row(self, node: int) -> dict[str, Any]:
        """Title, headings, text and places of main content of a node as plain data."""
        if not 0 <= node < len(self):
            raise IndexError(f"node: expected 0 to {len(self) - 1}, got {node}")
        place, row = divmod(node, BATCH)
        found: dict[str, Any] = self._batch(place).slice(row, 1).to_pylist()[0]
        return {"main": [], "fallback": False} | found  # a part of 0.1.0 may lack these

    def _batch(self, place: int) -> pa.RecordBatch:
        last = self._last  # another thread may put another batch there
        if last is None or last[0] != place:  # neighbours are asked for one after the other
            last = self._last = place, self._file.get_batch(place)
        return self._show(last[1], place)

    def _show(self, batch: pa.RecordBatch, place: int) -> pa.RecordBatch:
        """A batch without the texts of hidden pages."""
        if not self._hidden:
            return batch
        hidden = self._hidden.between(place * BATCH, place * BATCH + len(batch))
        none = {"title": "", "headings": [], "text": "", "main": [], "fallback": False}
        table = blank(pa.Table.from_batches([batch]), hidden, **none)
        [shown] = table.combine_chunks().to_batches()
        return shown

    def _show_columns(self, table: pa.Table, start: int) -> pa.Table:
        if not self._hidden:
            return table
        return blank(table, self._hidden.between(start, start + len(table)), words=0, simhash=0)

    def column_row(self, node: int) -> dict[str, Any]:
        """The columns of a node as plain data."""
        group, row = divmod(node, ROW_GROUP)
        found: dict[str, Any] = self._group(group).slice(row, 1).to_pylist()[0]
        return found

    def _group(self, group: int) -> pa.Table:
        last = self._last_group
        if last is None or last[0] != group:
            last = self._last_group = group, self._columns.read_row_group(group).combine_chunks()
        return self._show_columns(last[1], group * ROW_GROUP)

    def __repr__(self) -> str:
        return f"<Text: {len(self)}>"


def _split(nodes: npt.NDArray[np.int64], size: int) -> Iterator[tuple[int, pa.Array]]:
    """The blocks of `size` rows that sorted nodes are in, and their rows there."""
    for place in np.unique(nodes // size).tolist():
        begin, end = np.searchsorted(nodes, [place * size, (place + 1) * size])
        yield place, pa.array(nodes[begin:end] - place * size)
