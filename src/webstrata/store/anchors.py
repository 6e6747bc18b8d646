"""What other pages call a page: the part `anchors`, made from `links` and `urls`.

``anchors.parquet`` has a row for each link with a text from one page to another: ``target`` and ``source``
(nodes), ``rel`` (as in `webstrata.store.links`) and ``text``. Rows are sorted by target, then by source, then
in the order of the page. A link to a duplicate or a redirect counts for the node that it stands for; links of
a page to itself say nothing new, and are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webstrata.collection import shards
from webstrata.collection.files import open_writer
from webstrata.collection.progress import Progress, Task
from webstrata.store.links import NO_NODE, NOFOLLOW, Links, write_target_nodes
from webstrata.store.rows import Rows, write_rows
from webstrata.store.urls import Urls
from webstrata.web.html import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

RENEW = "webstrata store {collection} {snapshot} --parts anchors"
SHARD_LINKS = 1 << 21
"""Links to the targets of a shard, unless one target alone has more; about 200 bytes each are held."""

ANCHORS = pa.schema([
    ("target", pa.uint32()),
    ("source", pa.uint32()),
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


class Anchors:
    """The anchor texts of a snapshot; ``anchors[node]`` are those of the links to a page, by source.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> columns = {"target": [1, 1], "source": [0, 2], "rel": [0, 1], "text": ["fish", "fishes"]}
    >>> _ = write_rows(folder / "anchors.parquet", ANCHORS, [pa.table(columns, schema=ANCHORS)])
    >>> anchors = Anchors(folder)
    >>> len(anchors), anchors[0], anchors[1][1]
    (2, [], Anchor(source=2, text='fishes', rel=1))
    """

    def __init__(self, folder: Path, part: Part | None = None) -> None:
        self._part = part  # held, so that the files stay
        self.rows = Rows(folder / "anchors.parquet", "target")

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, node: int) -> list[Anchor]:
        rows = self.rows.of(node).select(["source", "text", "rel"]).to_pylist()
        return [Anchor(**row) for row in rows]

    def __repr__(self) -> str:
        return f"<Anchors: {len(self)}>"


def build_anchors(
    snapshot: Snapshot, *, workers: int = 1, renew: str = RENEW, progress: Progress | None = None
) -> None:
    """Build the part `anchors` of a snapshot that has `links` and `urls`.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.store.links import LINKS, write_links
    >>> from webstrata.store.urls import write_urls
    >>> snapshot = ws.create(getfixture("tmp_path") / "uk").add("2026-06")
    >>> with snapshot.build("urls") as build:
    ...     none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    ...     write_urls(build.path, pa.array(["org,a)/", "org,b)/"]), none)
    >>> columns = {"source": [0], "target": [0], "kind": ["anchor"], "rel": [0], "anchor": ["B"]}
    >>> with snapshot.build("links") as build:
    ...     _ = write_links(build.path, pa.array(["org,b)/"]), [pa.table(columns, schema=LINKS)])
    >>> build_anchors(snapshot)
    >>> snapshot.anchors[1]
    [Anchor(source=0, text='B', rel=0)]
    """
    progress = progress or Progress()
    with (
        snapshot.open_part("links") as part,
        snapshot.build("anchors", inputs=("links", "urls"), renew=renew, progress=progress) as build,
    ):
        links = Links(part.path)
        path = build.folder / "nodes"
        with (
            snapshot.open_part("urls") as urls_part,
            progress.task("finding the nodes of targets", total=len(links.targets), unit="targets") as task,
        ):
            urls = Urls(urls_part.path)
            write_target_nodes(path, urls, links.targets, advance=task.advance)
        sizes = _count(links, _map(path), len(urls))
        work = [
            shards.Shard(f"{place:06}", _Targets(str(part.path), str(path), start, stop), size)
            for place, (start, stop, size) in enumerate(_split(sizes))
        ]
        done = shards.run(build, _gather, work, workers=workers, title="gathering anchors", unit="links")
        tables = (pq.read_table(shard.path / "anchors.parquet", schema=ANCHORS) for shard in done)
        build.count(anchors=write_rows(build.path / "anchors.parquet", ANCHORS, tables))


@dataclass(frozen=True)
class _Targets:
    """The work of a shard: the links to a range of nodes."""

    links: str
    nodes: str
    start: int
    stop: int


def _map(path: Path) -> npt.NDArray[np.uint32]:
    """For each target the node it is or stands for, or `NO_NODE`; mapped, not read."""
    if path.stat().st_size == 0:
        return np.zeros(0, np.uint32)
    return np.memmap(path, "<u4", "r")


def _count(links: Links, nodes: npt.NDArray[np.uint32], num_nodes: int) -> npt.NDArray[np.uint32]:
    """How many links lead to each node."""
    sizes = np.zeros(num_nodes, np.uint32)
    for block in links.rows.blocks("target"):
        ends = nodes[block["target"].to_numpy()]
        found, counts = np.unique(ends[ends != NO_NODE], return_counts=True)
        sizes[found] += counts.astype(np.uint32)
    return sizes


def _split(sizes: npt.NDArray[np.uint32]) -> list[tuple[int, int, int]]:
    """Ranges of nodes with about `SHARD_LINKS` links to each, and how many."""
    before = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    cuts = [0]
    while cuts[-1] < len(sizes):
        after = int(np.searchsorted(before, before[cuts[-1]] + SHARD_LINKS, "right")) - 1
        cuts.append(max(after, cuts[-1] + 1))
    return [(start, stop, int(before[stop] - before[start])) for start, stop in pairwise(cuts)]


def _gather(item: _Targets, folder: Path, task: Task) -> Mapping[str, int]:
    """Write the anchor texts of a range of nodes, sorted."""
    links, nodes = Links(Path(item.links)), _map(Path(item.nodes))
    found = [ANCHORS.empty_table()]
    for group, block in enumerate(links.rows.blocks("source", "target")):
        ends = nodes[block["target"].to_numpy()]
        inside = (ends >= item.start) & (ends < item.stop)
        task.advance(int(inside.sum()))
        rows = np.flatnonzero(inside & (ends != block["source"].to_numpy()))
        if len(rows):
            rest = links.rows.block(group, "kind", "rel", "anchor").take(rows)
            wanted = pc.and_(pc.is_in(rest["kind"], value_set=_KINDS), pc.not_equal(rest["anchor"], ""))
            table = pa.table(
                {
                    "target": ends[rows].astype(np.uint32),
                    "source": block["source"].take(rows),
                    "rel": rest["rel"],
                    "text": rest["anchor"],
                },
                schema=ANCHORS,
            )
            found.append(table.filter(wanted))
    table = pa.concat_tables(found)
    # links come by source, and a sort that keeps the order of equals leaves them so within a target
    table = table.take(np.argsort(table["target"].to_numpy(), kind="stable"))
    with open_writer(folder / "anchors.parquet") as stream:
        pq.write_table(table, stream, compression="zstd")
    return {"anchors": len(table)}
