"""From shards to the parts `text` and `links`, in little memory.

A shard has the contents of some thousand nodes. Texts are put one behind the other. Links name their targets
by places in a sorted list of row keys, and each shard has its own list: the lists are merged on disk, where
every key gets its place among all, and the places go back to their shards. A few MiB are held at a time.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webstrata.collection.files import open_writer
from webstrata.store.equivalence import number_groups
from webstrata.store.links import LINKS, TARGETS, write_links
from webstrata.store.parquet.sorting import MEMORY, Queue, Sorter
from webstrata.store.settings import MAIN
from webstrata.store.text import Text, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


_ROWS = 1 << 16
_KEYS = pa.schema([("row_key", pa.large_string()), ("place", pa.int64())])
_PLACES = pa.schema([("place", pa.int64()), ("number", pa.uint32())])


class Merged(NamedTuple):
    """How much there is."""

    links: int
    targets: int


def merge_text(folder: Path, shards: Sequence[Path], *, main: str = MAIN) -> None:
    """Write the texts and columns of shards one behind the other; all but the last have whole batches.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.text import COLUMNS, TEXT
    >>> folders = [testing.scratch() / name for name in ("0", "1", "text")]
    >>> for folder in folders:
    ...     folder.mkdir()
    ...     row = {"title": folder.name, "headings": [], "text": ""}
    ...     batch = pa.RecordBatch.from_pylist([row], schema=TEXT)
    ...     columns = {"words": 0, "language": None, "charset": None, "simhash": 0}
    ...     write_text(folder, [batch], pa.Table.from_pylist([columns], schema=COLUMNS))
    >>> merge_text(folders[2], folders[:2])
    >>> Text(folders[2])[0].title, len(Text(folders[2]))
    ('0', 2)
    """
    columns = (Text(shard).columns() for shard in shards)
    write_text(folder, _iter_batches(shards), columns, main=main)


def _iter_batches(shards: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    for shard in shards:
        # read and not mapped: what was seen of a mapped file counts as memory
        with pa.OSFile(str(shard / "text.arrow")) as source:
            reader = pa.ipc.open_file(source)
            for place in range(reader.num_record_batches):
                yield reader.get_batch(place)


class LinkShard:
    """The links of a shard being written, piece by piece, with the row keys that they lead to.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> columns = {"source": [0], "target": [0], "kind": ["anchor"], "rel": [0], "anchor": [""]}
    >>> with LinkShard(folder) as shard:
    ...     for key in ("org,a)/", "org,b)/"):
    ...         shard.add(pa.table(columns, schema=LINKS), pa.array([key], pa.large_string()))
    >>> pq.read_table(folder / "links.parquet")["target"].to_pylist()
    [0, 1]
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._links = self._open("links.parquet", LINKS)
        self._targets = self._open("targets.parquet", pa.schema([("row_key", pa.large_string())]))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, links: pa.Table, targets: pa.Array) -> None:
        """Add links, whose targets are places in the row keys `targets`."""
        places = pa.array(links["target"].to_numpy() + np.uint32(self._count))
        self._links.write_table(links.set_column(1, LINKS.field("target"), places))
        self._targets.write_table(pa.table({"row_key": targets}))
        self._count += len(targets)

    def _open(self, name: str, schema: pa.Schema) -> pq.ParquetWriter:
        stream = self._stack.enter_context(open_writer(self._folder / name))
        # read once, when the shards are joined
        writer = pq.ParquetWriter(
            stream, schema, compression="none", use_dictionary=False, write_statistics=False
        )
        return self._stack.enter_context(writer)


def _scan(path: Path) -> Iterator[pa.Table]:
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group)


def merge_links(folder: Path, shards: Sequence[Path], scratch: Path, *, memory: int = MEMORY) -> Merged:
    """Write the links of shards with one list of targets for all of them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.links import Links
    >>> folder = testing.scratch()
    >>> columns = {"source": [0], "target": [0], "kind": ["anchor"], "rel": [0], "anchor": [""]}
    >>> for key in ("org,b)/", "org,a)/"):
    ...     (folder / key[4]).mkdir()
    ...     pq.write_table(pa.table(columns, schema=LINKS), folder / key[4] / "links.parquet")
    ...     pq.write_table(pa.table({"row_key": [key]}), folder / key[4] / "targets.parquet")
    >>> merge_links(folder, [folder / "b", folder / "a"], folder)
    Merged(links=2, targets=2)
    >>> Links(folder).targets.to_pylist(), Links(folder).rows.table("target")["target"].to_pylist()
    (['org,a)/', 'org,b)/'], [1, 0])
    """
    keys = Sorter(scratch, "keys", _KEYS, memory=memory)
    for number, shard in enumerate(shards):
        start = number << 32
        for table in _scan(shard / "targets.parquet"):
            own = np.arange(start, start + len(table))
            keys.add(pa.table([pc.cast(table["row_key"], pa.large_string()), own], schema=_KEYS))
            start += len(table)
    places = Sorter(scratch, "places", _PLACES, memory=memory)
    targets = _Targets()

    def renumber() -> Iterator[pa.Table]:
        waiting = Queue(places.tables(), _PLACES)
        for number, shard in enumerate(shards):
            numbers = waiting.take_until(((number + 1) << 32) - 1)["number"].to_numpy()
            for table in _scan(shard / "links.parquet"):
                column = pa.array(numbers[table["target"].to_numpy()])
                yield table.cast(LINKS).set_column(1, LINKS.field("target"), column)

    try:
        num_links = write_links(folder, targets.number(keys, places), renumber())
    finally:
        keys.remove()
        places.remove()
    return Merged(num_links, targets.count)


class _Targets:
    """Numbers for sorted keys, equal ones with the same."""

    def __init__(self) -> None:
        self.count = 0

    def number(self, keys: Sorter, places: Sorter) -> Iterator[pa.Table]:
        """Each key once; who asked for it is told its number."""
        last = None
        for table in keys.tables():
            names = table["row_key"].combine_chunks()
            group = number_groups(names)
            is_first = np.diff(group, prepend=-1) > 0
            if names[0].as_py() == last:
                is_first[0] = False
                group = group - 1
            numbers = (group + self.count).astype(np.uint32)
            places.add(pa.table([table["place"], numbers], schema=_PLACES))
            found = pa.table([names.filter(pa.array(is_first))], schema=TARGETS)
            self.count += len(found)
            last = names[len(names) - 1].as_py()
            yield found
