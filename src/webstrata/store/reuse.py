"""What is known of pages already, taken over without reading their records.

An earlier snapshot, or the same one before captures were added to it, has the text and the links of a page
that has the same URL and the same digest now. Both tables of pages have the same order: they are gone through
once, beside each other, and what is taken comes in whole batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core import __version__
from webstrata.errors import WebstrataError
from webstrata.store.links import LINKS, TARGETS, Links
from webstrata.store.pages import Pages
from webstrata.store.parquet.rows import take
from webstrata.store.parquet.sorting import Queue
from webstrata.store.settings import LOW_SLOPE, MAIN
from webstrata.store.text import VERSION, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

_ROWS = 1 << 16
_PAGES = pa.schema([("row_key", pa.large_string()), ("content_digest", pa.string()), ("node", pa.int32())])


@dataclass(frozen=True)
class Earlier:
    """The pages of a snapshot with their texts and links, held so that they stay; a context manager."""

    pages: Part
    text: Part
    links: Part

    def __enter__(self) -> Earlier:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for part in (self.pages, self.text, self.links):
            part.close()


def open_earlier(snapshot: Snapshot, *, main: str = MAIN, parsers: Sequence[str] = ()) -> Earlier | None:
    """What a snapshot has, where it is whole, of this version, and made with the same main and parsers.

    Examples
    --------
    >>> from webstrata import testing
    >>> open_earlier(testing.snapshot()) is None, open_earlier(testing.empty().add("2026-06")) is None
    (False, True)
    """
    parts: list[Part] = []
    try:
        parts.extend(snapshot.open_part(name) for name in ("pages", "text", "links"))
    except WebstrataError:
        pass  # it has none of them, or is being changed: then everything is parsed
    else:
        pages, text, links = parts
        made_from = {part.record.inputs.get(f"{snapshot.date}/pages") for part in (text, links)}
        if (
            {text.record.version, links.record.version} == {__version__}
            and made_from == {pages.record.checksum}
            and text.record.settings.get("main", LOW_SLOPE) == main
            and text.record.settings.get("parsers", []) == list(parsers)
            and Text(text.path).main_version == VERSION
        ):
            return Earlier(pages, text, links)
    for part in parts:
        part.close()
    return None


def find_earlier(snapshot: Snapshot, *, main: str = MAIN, parsers: Sequence[str] = ()) -> Earlier | None:
    """What the last snapshot before has of which there is something to take over.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> [find_earlier(snapshot) is None for snapshot in collection]  # none is before the first
    [True, False, False]
    """
    labels = [label for label in snapshot.collection.dates if label < snapshot.date]
    found = (
        open_earlier(snapshot.collection[label], main=main, parsers=parsers) for label in reversed(labels)
    )
    return next((earlier for earlier in found if earlier is not None), None)


def match(pages: Path, earlier: Path | None) -> npt.NDArray[np.int32]:
    """For each node that of an earlier table of pages, if there is one, with its URL and digest, or -1.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.pages import write_pages
    >>> folder = testing.scratch()
    >>> for name, urls in (("a", ["http://a/", "http://b/"]), ("b", ["http://b/", "http://c/"])):
    ...     (folder / name).mkdir()
    ...     table = pa.table({"row_key": urls, "content_digest": urls})
    ...     write_pages(folder / name / "pages.parquet", table)
    >>> match(folder / "b", folder / "a").tolist()
    [1, -1]
    """
    taken = np.full(len(Pages(pages)), -1, np.int32)
    if earlier is None:
        return taken
    waiting = Queue(_scan_pages(earlier), _PAGES)
    for table in _scan_pages(pages):
        found = waiting.take_until(table["row_key"][len(table) - 1].as_py())
        if not len(found):
            continue
        places = pc.index_in(table["row_key"], value_set=found["row_key"])
        is_same = pc.equal(table["content_digest"], found["content_digest"].take(places))
        rows = table["node"].filter(is_same).to_numpy()
        taken[rows] = found["node"].take(places).filter(is_same).to_numpy()
    return taken


def _scan_pages(pages: Path) -> Iterator[pa.Table]:
    """Key, digest and number of every node, in order."""
    opened = Pages(pages)
    for start in range(0, len(opened), _ROWS):
        table = opened.between(start, min(start + _ROWS, len(opened)), "row_key", "content_digest")
        nodes = pa.array(np.arange(start, start + len(table), dtype=np.int32))
        columns = [pc.cast(table["row_key"], pa.large_string()), table["content_digest"], nodes]
        yield pa.table(columns, schema=_PAGES)


# ---- rows of a shard


class Taken:
    """What a shard takes over: for each of its rows the node that has it, or -1.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.text import COLUMNS, TEXT, write_text
    >>> folder = testing.scratch()
    >>> rows = [{"title": name, "headings": [], "text": name} for name in "abc"]
    >>> columns = {"words": [1, 2, 3], "language": ["en"] * 3, "charset": [None] * 3, "simhash": [0] * 3}
    >>> columns = pa.table(columns, schema=COLUMNS)
    >>> write_text(folder, [pa.RecordBatch.from_pylist(rows, schema=TEXT)], columns)
    >>> taken = Taken(np.array([0, -1, 1], np.int32), folder, folder)
    >>> new = pa.RecordBatch.from_pylist([{"title": "new", "headings": [], "text": "new"}] * 3, schema=TEXT)
    >>> [batch["text"].to_pylist() for batch in taken.complete_text([new])]
    [['a', 'new', 'b']]
    >>> taken.complete_columns(columns)["words"].to_pylist()
    [1, 2, 2]
    """

    def __init__(self, nodes: npt.NDArray[np.int32], text: Path, links: Path) -> None:
        self.nodes = nodes
        self.rows = np.flatnonzero(nodes >= 0)
        self._text, self._links = text, links

    def __len__(self) -> int:
        return len(self.rows)

    def complete_text(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches of a shard, with what is taken in place of the rows that are empty."""
        if not len(self):
            yield from batches
            return
        text, start = Text(self._text), 0
        for batch in batches:
            yield _replace(batch, self.nodes[start : start + len(batch)], text.rows)
            start += len(batch)

    def complete_columns(self, columns: pa.Table) -> pa.Table:
        """The columns of a shard in the same way."""
        if not len(self):
            return columns
        [batch] = columns.combine_chunks().to_batches()
        return pa.Table.from_batches([_replace(batch, self.nodes, Text(self._text).column_rows)])

    def complete_links(self, links: pa.Table, targets: pa.Array, start: int) -> tuple[pa.Table, pa.Array]:
        """The links of a shard whose first node is `start`, and the row keys that they lead to by place."""
        if not len(self):
            return links, targets
        earlier = Links(self._links)
        nodes = self.nodes[self.rows]  # sorted, since both have one order
        pieces = [LINKS.empty_table()]
        for table in earlier.rows.between(int(nodes[0]), int(nodes[-1])):
            sources = table["source"].to_numpy()
            places = np.minimum(np.searchsorted(nodes, sources), len(nodes) - 1)
            kept = nodes[places] == sources
            own = (start + self.rows[places[kept]]).astype(np.uint32)
            pieces.append(table.filter(pa.array(kept)).set_column(0, LINKS.field("source"), pa.array(own)))
        found = pa.concat_tables(pieces)
        asked, places = np.unique(found["target"].to_numpy(), return_inverse=True)
        keys = take(earlier.targets, asked.astype(np.int64)).cast(TARGETS.field(0).type)
        column = pa.array((places + len(targets)).astype(np.uint32))
        both = pa.concat_tables([links, found.set_column(1, LINKS.field("target"), column)])
        by_source = np.argsort(both["source"].to_numpy(), kind="stable")
        return both.take(pa.array(by_source)), pa.concat_arrays([targets, keys])


def _replace(
    batch: pa.RecordBatch,
    nodes: npt.NDArray[np.int32],
    read: Callable[[npt.NDArray[np.int64]], pa.Table],
) -> pa.RecordBatch:
    """The rows of a batch, those that have a node from elsewhere read there."""
    rows = np.flatnonzero(nodes >= 0)
    if not len(rows):
        return batch
    places = np.arange(len(batch))
    places[rows] = len(batch) + np.arange(len(rows))
    known = read(nodes[rows].astype(np.int64)).replace_schema_metadata(None)
    both = pa.concat_tables([pa.Table.from_batches([batch]), known])
    [found] = both.take(pa.array(places)).combine_chunks().to_batches()
    return found
