"""What other pages call a page: the part `anchors`, made from `links` and `urls`.

``anchors.parquet`` has a row for each link with a text from one page to another: ``target`` and ``source``
(nodes), ``rel`` (as in `webstrata.store.links`) and ``text``. Rows are sorted by target, then by source, then
in the order of the page. A link to a duplicate or a redirect counts for the node that it stands for; links of
a page to itself say nothing new, and are left out.

Links are gone through once, and sorted on disk: memory is the same for any number of them, but for a mapped
file of four bytes for each target, and what is seen of the row keys of the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.progress import Progress
from webstrata.collection.sequences import check_node
from webstrata.collection.tables import SHOWN, Table
from webstrata.store.links import NO_NODE, NOFOLLOW, Links, write_target_nodes
from webstrata.store.parquet.rows import ParquetRows, write_rows
from webstrata.store.parquet.sorting import MEMORY, Sorter
from webstrata.store.urls import Urls
from webstrata.web.html import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part
    from webstrata.collection.progress import Task
    from webstrata.store.hiding import Hidden

ANCHORS = pa.schema([
    ("target", pa.uint32()),
    ("source", pa.uint32()),
    ("rel", pa.uint8()),
    ("text", pa.string()),
])  # fmt: skip
_SORTED = pa.schema([
    ("key", pa.uint64()),  # target, then source
    ("row", pa.int64()),
    ("rel", pa.uint8()),
    ("text", pa.string()),
])  # fmt: skip
_KINDS = pa.array([Kind.ANCHOR, Kind.AREA], pa.string())


@dataclass(frozen=True, slots=True)
class Anchor:
    """What one link calls the page that it leads to."""

    source: int
    text: str
    rel: int

    @property
    def is_followed(self) -> bool:
        """Whether neither the link nor its page asks not to follow it."""
        return not self.rel & NOFOLLOW


class Anchors(Table):
    """The anchor texts of a snapshot; ``anchors[node]`` are those of the links to a page, by source.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> columns = {"target": [1, 1], "source": [0, 2], "rel": [0, 1], "text": ["fish", "fishes"]}
    >>> _ = write_rows(folder / "anchors.parquet", ANCHORS, [pa.table(columns, schema=ANCHORS)])
    >>> anchors = Anchors(folder)
    >>> len(anchors), anchors[0], anchors[1][1]
    (2, [], Anchor(source=2, text='fishes', rel=1))
    """

    def __init__(self, folder: Path, part: Part | None = None, *, hidden: Hidden | None = None) -> None:
        self._part = part  # held, so that the files stay
        self._hidden = hidden
        self._rows = ParquetRows(folder / "anchors.parquet", "target")
        self.rows = self._rows
        """All of them as they are stored; without those of, and to, pages that are hidden from a user."""
        if hidden is not None:
            path, needs = folder / "anchors.parquet", ("target", "source")
            self.rows = ParquetRows(path, "target", keep=self._mark_shown, needs=needs)

    def _mark_shown(self, table: pa.Table) -> pa.Array | None:
        return self._hidden.without(table, "target", "source") if self._hidden else None

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, node: int) -> list[Anchor]:
        rows = self._rows.of(check_node(node)).select(["source", "text", "rel"]).to_pylist()
        if (hidden := self._hidden) and rows:
            rows = (
                [] if hidden.has_node(node) else [row for row in rows if not hidden.has_node(row["source"])]
            )
        return [Anchor(**row) for row in rows]

    def to_arrow(self) -> pa.Table:
        """One row per anchor: target and source node, rel and text."""
        return self._tabulate(list(self._rows.blocks()))

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first anchors, and how many there are."""
        first = [block.slice(0, number) for block in islice(self._rows.blocks(), 1)]
        return self._tabulate(first), len(self)

    def _tabulate(self, blocks: list[pa.Table]) -> pa.Table:
        table = pa.concat_tables([ANCHORS.empty_table(), *blocks])
        if not (hidden := self._hidden):
            return table
        return table.filter(hidden.without(table, "target", "source"))

    def __repr__(self) -> str:
        return f"<Anchors: {len(self)}>"


def build_anchors(snapshot: Snapshot, *, memory: int = MEMORY, progress: Progress | None = None) -> None:
    """Build the part `anchors` of a snapshot that has `links` and `urls`, sorting `memory` bytes at a time.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> build_anchors(snapshot)
    >>> snapshot.anchors[snapshot.urls.node("http://reef.example/corals")][0]
    Anchor(source=11, text='corals', rel=0)
    """
    progress = progress or Progress()
    with (
        snapshot.open_part("links") as part,
        snapshot.open_part("urls") as urls,
        snapshot.write_part("anchors", inputs=("links", "urls"), progress=progress) as build,
    ):
        links, path = Links(part.path, mapped=False), build.folder / "nodes"
        with progress.task("finding the nodes of targets", total=len(links.targets), unit="targets") as task:
            write_target_nodes(path, Urls(urls.path), links.scan_targets(), advance=task.advance)
        sorter = Sorter(build.folder, "anchors", _SORTED, memory=memory)
        try:
            with progress.task("gathering anchors", total=len(links), unit="links") as task:
                for table in _gather(links, _map(path), task):
                    sorter.add(table)
                build.count(anchors=write_rows(build.path / "anchors.parquet", ANCHORS, _order(sorter)))
        finally:
            sorter.remove()


def _map(path: Path) -> npt.NDArray[np.uint32]:
    """For each target the node it is or stands for, or `NO_NODE`; mapped, not read."""
    if path.stat().st_size == 0:
        return np.zeros(0, np.uint32)
    return np.memmap(path, "<u4", "r")


def _gather(links: Links, nodes: npt.NDArray[np.uint32], task: Task) -> Iterator[pa.Table]:
    """The anchor texts with their targets and places, in the order of the links."""
    start = 0
    for block in links.rows.blocks():
        ends, sources = nodes[block["target"].to_numpy()], block["source"].to_numpy()
        wanted = pc.and_(pc.is_in(block["kind"], value_set=_KINDS), pc.not_equal(block["anchor"], ""))
        kept = (ends != NO_NODE) & (ends != sources) & wanted.to_numpy()
        chosen = pa.array(kept)
        keys = ends[kept].astype(np.uint64) << np.uint64(32) | sources[kept]
        rows = start + np.flatnonzero(kept)
        yield pa.table(
            [keys, rows, block["rel"].filter(chosen), block["anchor"].filter(chosen)], schema=_SORTED
        )
        start += len(block)
        task.advance(len(block))


def _order(sorter: Sorter) -> Iterator[pa.Table]:
    """The rows of the part: those of one page for another, which a sorter mixes, in the order of the page."""
    held = _SORTED.empty_table()  # of the last key there may be more in the next table
    for table in sorter.tables():
        table = pa.concat_tables([held, table])
        keys = table["key"].to_numpy()
        table = table.take(pa.array(np.lexsort((table["row"].to_numpy(), keys))))
        whole = int(np.searchsorted(keys := np.sort(keys), keys[-1]))
        held = table.slice(whole).combine_chunks()
        yield _split(table.slice(0, whole))
    yield _split(held)


def _split(table: pa.Table) -> pa.Table:
    keys = table["key"].to_numpy()
    ends = [(keys >> np.uint64(32)).astype(np.uint32), keys.astype(np.uint32)]
    return pa.table([*ends, table["rel"], table["text"]], schema=ANCHORS)
