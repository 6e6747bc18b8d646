"""The links of the pages as they were parsed: the part `links`, and the arcs that come of them.

===================  ====================================================================================
``links.parquet``    a row a link: ``source`` (node), ``target`` (row of ``targets.arrow``), ``kind``,
                     ``rel``, ``anchor`` (its text). Sorted by source, and within one in the order of the page
``targets.arrow``    ``row_key``, sorted by bytes, of every URL that a link leads to; mapped when opened
===================  ====================================================================================

``kind`` is one of `webstrata.web.html.Kind`, links to images, scripts and the like left out; ``rel`` has a
bit each for ``nofollow`` (1), ``ugc`` (2), ``sponsored`` (4), and 8 where the page as a whole asks for
``nofollow``. Links that have no normal form are counted and not kept. A same-document reference (``#top``, or
an empty one) is navigation within the page, and not a link.

**Arcs** (`arcs`) are links of a kind that is followed (`FOLLOWED`: all but ``canonical``, which says where
the page itself belongs), taken to the nodes that their targets are or stand for, each once. What was not
captured is dropped, or with ``frontier`` numbered behind the last node in row-key order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.files import explained, open_writer
from webstrata.collection.sequences import check_node
from webstrata.collection.tables import SHOWN, Table
from webstrata.store.key_columns import from_row_keys
from webstrata.store.parquet.rows import ParquetRows, regroup, take, write_rows
from webstrata.store.takedowns import HIDDEN
from webstrata.store.urls import Urls
from webstrata.web.html import Kind
from webstrata.web.row_key import from_row_key, row_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part
    from webstrata.store.hiding import Hidden

FOLLOWED = (
    Kind.ANCHOR, Kind.AREA, Kind.FRAME, Kind.IFRAME, Kind.REFRESH, Kind.NEXT, Kind.PREV, Kind.ALTERNATE,
    Kind.AMP, Kind.LINK,
)  # fmt: skip
"""Kinds that become arcs."""
NOFOLLOW = 1 | 8
"""Bits of ``rel`` that ask not to follow: the link's own, and the page's for all its links."""
PAGE_NOFOLLOW = 8
NO_NODE = 0xFFFFFFFF
"""The number of no node where numbers have 32 bits."""
TARGET_BLOCK = 1 << 18
"""Targets that are resolved at a time."""

LINKS = pa.schema([
    ("source", pa.uint32()),
    ("target", pa.uint32()),
    ("kind", pa.string()),
    ("rel", pa.uint8()),
    ("anchor", pa.string()),
])  # fmt: skip


TARGETS = pa.schema([("row_key", pa.large_string())])
_BATCH = 1 << 16
"""Targets that are written at a time."""


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A link of a page."""

    url: str
    kind: Kind
    rel: int
    anchor: str


def write_links(folder: Path, targets: pa.Array | Iterable[pa.Table], tables: Iterable[pa.Table]) -> int:
    """Write links, whose targets are places in a sorted array of row keys, so that `Links` opens them.

    The array may come in tables one behind the other; they are written before the first link is asked for.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> table = pa.table(
    ...     {"source": [0], "target": [1], "kind": ["anchor"], "rel": [0], "anchor": ["B"]}, schema=LINKS)
    >>> write_links(folder, pa.array(["org,a)/", "org,b)/"]), [table])
    1
    >>> Links(folder)[0][0].url
    'http://b.org/'
    """
    keys = targets
    if isinstance(targets, pa.Array | pa.ChunkedArray):
        keys = [pa.table({"row_key": targets.cast(pa.large_string())})]
    with (
        open_writer(folder / "targets.arrow") as stream,
        pa.ipc.new_file(stream, TARGETS) as writer,
    ):
        for table in regroup(keys, _BATCH):
            writer.write_table(table.combine_chunks())
    return write_rows(folder / "links.parquet", LINKS, tables)


class Links(Table):
    """The links of the pages of a snapshot; ``links[node]`` are those of one page, in its order.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> table = pa.table(
    ...     {"source": [0, 2], "target": [0, 0], "kind": ["area", "next"], "rel": [1, 0], "anchor": [""] * 2},
    ...     schema=LINKS)
    >>> _ = write_links(folder, pa.array(["org,a)/"]), [table])
    >>> links = Links(folder)
    >>> len(links), links[1], links[2]
    (2, [], [StoredLink(url='http://a.org/', kind=<Kind.NEXT: 'next'>, rel=0, anchor='')])
    """

    def __init__(
        self, folder: Path, part: Part | None = None, *, mapped: bool = True, hidden: Hidden | None = None
    ) -> None:
        self._part = part  # held, so that the files stay
        self._hidden = hidden
        self._rows = ParquetRows(folder / "links.parquet", "source", mapped=mapped)
        self.rows = self._rows
        """All of them as they are stored; without those of, and to, pages that are hidden from a user."""
        if hidden is not None:
            self.rows = ParquetRows(
                folder / "links.parquet",
                "source",
                mapped=mapped,
                keep=self._mark_shown,
                needs=("source", "target"),
            )
        self._targets_path = path = folder / "targets.arrow"
        with explained(path, "read"):
            self._targets = pa.ipc.open_file(pa.memory_map(str(path))).read_all()

    @property
    def targets(self) -> pa.ChunkedArray:
        """The row keys of all targets, sorted; links have their places. One key stands for hidden ones."""
        if not self._hidden:
            return self._targets["row_key"]
        return pa.chunked_array([self._show_targets(chunk) for chunk in self._targets["row_key"].chunks])

    def _show_targets(self, keys: pa.Array) -> pa.Array:
        if not (hidden := self._hidden):
            return keys
        gone = [hidden.has_url(url) for url in from_row_keys(keys).to_pylist()]
        return pc.if_else(pa.array(gone, pa.bool_()), pa.scalar(row_key(HIDDEN), keys.type), keys)

    def _mark_shown(self, table: pa.Table) -> pa.Array | None:
        if not (hidden := self._hidden):
            return None
        targets, places = np.unique(table["target"].to_numpy(), return_inverse=True)
        urls = from_row_keys(take(self._targets["row_key"], targets)).to_pylist()
        gone = np.array([hidden.has_url(url) for url in urls], bool)[places]
        return pc.and_(hidden.without(table, "source"), pa.array(~gone))

    def scan_targets(self) -> Iterator[pa.Array]:
        """The same in pieces, read and not mapped."""
        with explained(self._targets_path, "read"), pa.OSFile(str(self._targets_path)) as source:
            reader = pa.ipc.open_file(source)
            for place in range(reader.num_record_batches):
                yield self._show_targets(reader.get_batch(place)["row_key"])

    def target_keys(self, rows: pa.Table) -> list[str]:
        """The row keys that some links lead to."""
        keys: list[str] = take(self._targets["row_key"], rows["target"].to_numpy()).to_pylist()
        return keys

    @cached_property
    def followed(self) -> pa.Array:
        """The kinds that become arcs, as Arrow compares them."""
        return pa.array(list(FOLLOWED), pa.string())

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, node: int) -> list[StoredLink]:
        found = self._rows.of(check_node(node))
        keys = self.target_keys(found)
        rest = found.select(["kind", "rel", "anchor"]).to_pylist()
        links = [
            StoredLink(from_row_key(key), Kind(row["kind"]), row["rel"], row["anchor"])
            for key, row in zip(keys, rest, strict=True)
        ]
        if not (hidden := self._hidden):
            return links
        return [] if hidden.has_node(node) else [link for link in links if not hidden.has_url(link.url)]

    def to_arrow(self) -> pa.Table:
        """One row per link: source node, URL that it leads to, kind, rel and anchor."""
        return self._tabulate(list(self._rows.blocks()))

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first links, and how many there are."""
        return self._tabulate([block.slice(0, number) for block in islice(self._rows.blocks(), 1)]), len(self)

    def _tabulate(self, blocks: list[pa.Table]) -> pa.Table:
        table = pa.concat_tables([LINKS.empty_table(), *blocks])
        keys = take(self._targets["row_key"], table["target"].to_numpy())
        place = table.column_names.index("target")
        table = table.set_column(place, "url", from_row_keys(keys))
        if not (hidden := self._hidden):
            return table
        table = table.filter(hidden.without(table, "source"))
        return table.filter(
            pa.array([not hidden.has_url(url) for url in table["url"].to_pylist()], pa.bool_())
        )

    def __repr__(self) -> str:
        return f"<Links: {len(self)}>"


class Arcs(NamedTuple):
    """Arcs between nodes, sorted by source and target, each once."""

    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]


def arcs(
    snapshot: Snapshot, *, frontier: bool = False, nofollow: bool = True, self_loops: bool = True
) -> Arcs:
    """The arcs of a snapshot, through redirects and duplicates, in memory: 24 bytes a link; see `iter_arcs`.

    Parameters
    ----------
    snapshot
        With the parts `links` and `urls`.
    frontier
        Whether links to what was not captured count; `frontier_keys` has their targets in the order of nodes.
    nofollow
        Whether links count that their page asks not to follow.
    self_loops
        Whether links of a page to itself count.

    Examples
    --------
    >>> from webstrata import testing
    >>> home = "<a href=/b>B</a> <a href=/c>not captured</a>"
    >>> snapshot = testing.snapshot_of({"http://a.example/": home, "http://a.example/b": "<p>B"})
    >>> [column.tolist() for column in arcs(snapshot)]
    [[0], [1]]
    >>> [column.tolist() for column in arcs(snapshot, frontier=True)]
    [[0, 0], [1, 2]]
    """
    part = snapshot.open_part("links")
    links = Links(part.path, part)
    nodes = target_nodes(snapshot, links, frontier=frontier)
    # sorted as one number; those of a source that is cut by the end of a block are joined below
    found = [
        np.unique(sources.astype(np.uint64) << np.uint64(32) | ends.astype(np.uint64))
        for sources, ends in iter_arcs(links, nodes, nofollow=nofollow, self_loops=self_loops)
    ]
    pairs = np.unique(np.concatenate([np.empty(0, np.uint64), *found]))
    return Arcs((pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32))


def iter_arcs(
    links: Links,
    nodes: npt.NDArray[np.integer[Any]],
    *,
    groups: range | None = None,
    nofollow: bool = True,
    self_loops: bool = True,
) -> Iterator[Arcs]:
    """The arcs of links, a row group at a time, by source and not yet once each.

    Parameters
    ----------
    links
        The links.
    nodes
        For each target the node it is or stands for; -1, or `NO_NODE` of 32 bits, for none.
    groups
        Which row groups of the links; all where not given.
    nofollow, self_loops
        As of `arcs`.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> table = pa.table(
    ...     {"source": [0, 0], "target": [0, 1], "kind": ["anchor"] * 2, "rel": [0, 0], "anchor": [""] * 2},
    ...     schema=LINKS)
    >>> _ = write_links(folder, pa.array(["org,a)/", "org,b)/"]), [table])
    >>> [block.targets.tolist() for block in iter_arcs(Links(folder), np.array([7, -1]))]
    [[7]]
    """
    for group in range(links.rows.num_blocks) if groups is None else groups:
        block = links.rows.block(group, "source", "target", "kind", "rel")
        kept: npt.NDArray[np.bool_] = pc.is_in(block["kind"], value_set=links.followed).to_numpy()
        if not nofollow:
            kept = kept & (_to_numpy(block["rel"]) & NOFOLLOW == 0)
        sources, ends = _to_numpy(block["source"])[kept], nodes[_to_numpy(block["target"])[kept]]
        kept = (ends >= 0) & (ends != NO_NODE)
        if not self_loops:
            kept &= ends != sources
        yield Arcs(sources[kept].astype(np.uint32), ends[kept].astype(np.uint32))


def write_target_nodes(
    path: Path,
    urls: Urls,
    targets: pa.Array | Iterable[pa.Array],
    *,
    frontier: bool = False,
    advance: Callable[[int], object],
) -> int:
    """Write for each target the node it is or stands for, a block at a time; how many are of the frontier.

    The file has numbers of 32 bits, little-endian, `NO_NODE` for none. `advance` is told how many were done.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.urls import write_urls
    >>> folder = testing.scratch()
    >>> none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    >>> write_urls(folder, pa.array(["org,b)/"]), none)
    >>> targets = pa.array(["org,a)/", "org,b)/", "org,c)/"], pa.large_string())
    >>> write_target_nodes(folder / "nodes", Urls(folder), targets, frontier=True, advance=print)
    3
    2
    >>> np.fromfile(folder / "nodes", "<u4").tolist()
    [1, 0, 2]
    """
    outside = 0
    blocks = targets
    if isinstance(targets, pa.Array | pa.ChunkedArray):
        blocks = (targets.slice(start, TARGET_BLOCK) for start in range(0, len(targets), TARGET_BLOCK))
    with open_writer(path) as stream:
        for block in blocks:
            nodes, known = urls.resolve(block)
            if frontier:
                unknown = np.flatnonzero(~known)
                nodes[unknown] = len(urls) + outside + np.arange(len(unknown))
                outside += len(unknown)
            stream.write(nodes.astype("<u4").data.cast("B"))
            advance(len(nodes))
    return outside


def frontier_keys(snapshot: Snapshot) -> pa.ChunkedArray:
    """The row keys of the targets that were not captured, sorted: node `len(urls)` is the first of them.

    Examples
    --------
    >>> from webstrata import testing
    >>> frontier_keys(testing.snapshot()).to_pylist()
    ['example,kitchen)/bread']
    """
    with snapshot.open_part("links") as part, snapshot.open_part("urls") as urls:
        keys = Links(part.path).targets
        return keys.filter(pa.array(~Urls(urls.path).resolve(keys).known))


def target_nodes(snapshot: Snapshot, links: Links, *, frontier: bool = False) -> npt.NDArray[np.int64]:
    """For each row of ``targets.arrow`` the node it is or stands for, -1 for none.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.urls import write_urls
    >>> snapshot = testing.empty().add("2026-06")
    >>> with snapshot.write_part("urls") as build:
    ...     none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    ...     write_urls(build.path, pa.array(["org,b)/"]), none)
    >>> folder = testing.scratch()
    >>> _ = write_links(folder, pa.array(["org,a)/", "org,b)/"]), [])
    >>> target_nodes(snapshot, Links(folder)).tolist()
    [-1, 0]
    """
    with snapshot.open_part("urls") as part:
        urls = Urls(part.path)
        nodes, known = urls.resolve(links.targets)
        if frontier:
            outside = ~known
            nodes[outside] = len(urls) + np.arange(int(outside.sum()))
    return nodes


def _to_numpy(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] = column.to_numpy()
    return found
