"""A web graph release to a snapshot: the parts `urls`, `graph` and `release`, and no pages.

Memory is bounded by ``[graph] memory``, as in all builds of graphs; beyond it are 4 bytes per vertex, mapped.
Names are sorted outside of memory into row-key order, which is not that of the release (see `names`); the
file of nodes by vertex then renames the arcs, which are sorted and compressed in both directions. Ranks are
sorted by name and put at their nodes. All is written beside the snapshot's parts and becomes parts in the
end: a release that is refused leaves nothing.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.collection.files import explained, make_directory, open_writer, remove_tree, rename
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.collection.snapshot_dates import check_date
from webstrata.collection.tables import FactsTable
from webstrata.errors import ExistsError, FormatError, UsageError, WebstrataError
from webstrata.graph.arc_sort import ArcSorter
from webstrata.graph.arcs import iter_arcs, write_sorted
from webstrata.graph.build import FORWARD, TRANSPOSE
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.interchange.common_crawl import iter_vertices
from webstrata.graph.interchange.text import LineReader, PairParser
from webstrata.graph.releases.files import Release, find_release
from webstrata.graph.releases.names import to_row_keys
from webstrata.graph.releases.ranks import COLUMNS, NODES, ReleaseFacts, sort_ranks, write_facts
from webstrata.graph.settings import GraphSettings
from webstrata.store.ingest.run import discard_empty
from webstrata.store.parquet.sorting import Sorter, frugal
from webstrata.store.selection import OTHERS
from webstrata.store.urls import NODES as KEYS
from webstrata.store.urls import Urls, write_url_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot

    Nodes = npt.NDArray[np.uint32]

PARTS = ("urls", "graph", "release")
"""What is made of a release, in this order."""
LACKS = "a web graph release, of which this snapshot was made, has hosts and links and no pages"
_LACKING = ("warc", "captures", "pages", "text", "links", "anchors", "signatures", "summaries")
_NAMES = pa.schema([("key", pa.large_string()), ("vertex", pa.uint32())])
_HOSTS = pa.schema([("num_hosts", pa.int64())])
_GROUP = 1 << 18
MAX_VERTICES = 1 << 32


@dataclass(frozen=True, kw_only=True, repr=False)
class ReleaseResult(FactsTable):
    """What came of a release."""

    name: str
    level: str
    form: str
    """What its arcs were read from."""
    files: int
    nodes: int
    arcs: int
    """Each once."""
    repeated: int
    """Arcs that were there again."""
    ranked: int
    """Nodes with published ranks."""
    bits: int
    """Of the graph, forward."""
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def ingest_release(
    collection: Collection,
    label: str,
    path: str | PathLike[str],
    *,
    again: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ReleaseResult:
    r"""Make the hosts or domains of a web graph release, and the links between them, those of a snapshot.

    Parameters
    ----------
    collection, label
        The snapshot; it is created if needed, and removed again if the release is refused.
    path
        The folder of the release, or what the names of its files begin with.
    again
        Replace the release that the snapshot has.
    workers
        Threads that sort and compress; as ``[resources]`` says where not given.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder, cc = testing.scratch(), testing.empty()
    >>> _ = (folder / "cc-host-vertices.txt").write_text("0\torg.a\n1\torg.a-b\n2\torg.a.www\n")
    >>> _ = (folder / "cc-host-edges.txt").write_text("0\t1\n2\t0\n2\t1\n")
    >>> ingest_release(cc, "2026-04", folder).arcs
    3
    >>> list(cc["2026-04"].urls), cc["2026-04"].graph.successors(1).tolist()
    (['http://a.org/', 'http://www.a.org/', 'http://a-b.org/'], [0, 2])
    """
    check_date(label)
    release = find_release(path)  # what cannot be read is reported before a snapshot is made for it
    is_new = label not in collection
    if not is_new:
        _check_free(collection[label], again=again)
    snapshot = collection.add(label)
    options = {"webgraph": str(path), "again": True}
    try:
        return _ingest(
            snapshot,
            release,
            workers=workers or snapshot.settings(ResourcesSettings).num_workers,
            renew=Action("ingest", str(collection.path), label, options=options).template,
            progress=progress or Progress(),
        )
    except (WebstrataError, KeyboardInterrupt):
        if is_new:
            discard_empty(snapshot)
        raise


def refuse_level(snapshot: Snapshot, level: str) -> None:
    """Raise `UsageError` where a snapshot has no graph of hosts or domains, because these are its nodes.

    Examples
    --------
    >>> from webstrata import testing
    >>> refuse_level(testing.snapshot(), "host")
    """
    if level != "page" and "release" in snapshot.parts:
        raise UsageError(
            f"{snapshot.path}: it has no graph of {level}s beside its graph, since its nodes are the hosts "
            "or domains of a web graph release; use the level 'page'"
        )


def _check_free(snapshot: Snapshot, *, again: bool) -> None:
    names = {record.name for record in snapshot.parts}
    if {"warc", "pages", "links"} & names:
        raise ExistsError(f"{snapshot.path}: this snapshot has pages; choose another one for the release")
    if "graph" in names and not again:
        raise ExistsError(
            f"{snapshot.path}: this snapshot has a graph already; choose another one, or replace it with "
            "--again"
        )


def _ingest(
    snapshot: Snapshot, release: Release, *, workers: int, renew: str, progress: Progress
) -> ReleaseResult:
    started = time.monotonic()
    settings = snapshot.settings(GraphSettings)
    scratch = snapshot.working_folder("ingest")
    with snapshot.parts.writing(progress), frugal():
        remove_tree(scratch)  # of one that was killed
        make_directory(scratch)
        try:
            work = _Work(release, scratch, settings, workers, progress)
            work.read_names()
            work.read_arcs()
            work.read_ranks()
            _keep(snapshot, work, renew, progress)
        finally:
            remove_tree(scratch)
    return ReleaseResult(
        name=release.name,
        level=release.level,
        form=release.form,
        files=len(work.facts.files),
        nodes=work.num_nodes,
        arcs=work.num_arcs,
        repeated=work.num_read - work.num_arcs,
        ranked=work.num_ranked,
        bits=work.num_bits,
        seconds=time.monotonic() - started,
    )


def _keep(snapshot: Snapshot, work: _Work, renew: str, progress: Progress) -> None:
    """Make parts of what was written; from here on it is a matter of names and checksums."""
    counts = {
        "urls": {"nodes": work.num_nodes, "others": 0},
        "graph": {"nodes": work.num_nodes, "arcs": work.num_arcs, "bits": work.num_bits},
        "release": {"nodes": work.num_nodes, "ranked": work.num_ranked},
    }
    for name in PARTS:
        inputs = () if name == "urls" else ("urls",)
        with snapshot.write_part(name, inputs=inputs, renew=renew, progress=progress) as build:
            for path in sorted(work.folders[name].iterdir()):
                rename(path, build.path / path.name)
            build.count(**counts[name])
            build.lacks |= dict.fromkeys(_LACKING, LACKS) if name == "urls" else {}


class _Work:
    """Reads a release into folders that become parts."""

    def __init__(
        self, release: Release, scratch: Path, settings: GraphSettings, workers: int, progress: Progress
    ) -> None:
        self.release, self.scratch, self.settings = release, scratch, settings
        self.workers, self.progress = workers, progress
        self.folders = {name: make_directory(scratch / f"part-{name}") for name in PARTS}
        read = [*release.vertices, *release.edges, *release.ranks]
        if release.graph is not None:
            read += [release.graph.with_name(release.graph.name + end) for end in (".graph", ".properties")]
        with explained(release.vertices[0].parent, "read"):
            files = {path.name: path.stat().st_size for path in read}
        self.facts = ReleaseFacts(release.name, release.level, release.form, files)
        self.num_nodes = self.num_arcs = self.num_read = self.num_bits = self.num_ranked = 0

    # ---- names

    def read_names(self) -> None:
        """Write the part `urls`, and for each vertex its node."""
        sorter = Sorter(self.scratch, "names", _NAMES, memory=self.settings.memory // 8)
        with_hosts = False
        hosts = self.scratch / "num-hosts"
        with (
            self.progress.task("reading vertices", unit="vertices") as task,
            open_writer(hosts) as stream,
        ):
            for block in iter_vertices(self.release.vertices):
                end = block.first + len(block.names)
                if end > MAX_VERTICES:
                    raise FormatError(f"{block.path}: more than {MAX_VERTICES} vertices, which is the limit")
                keys = to_row_keys(block.names, block.path, block.line)
                sorter.add(pa.table([keys, np.arange(block.first, end, dtype=np.uint32)], schema=_NAMES))
                if block.num_hosts is not None:
                    with_hosts = True
                    stream.write(block.num_hosts.astype("<i8").data)
                task.advance(len(block.names))
                self.num_nodes = end
        if self.num_nodes == 0:
            raise FormatError(f"{self.release.vertices[0]}: it has no vertices; fetch it again")
        if with_hosts and hosts.stat().st_size != 8 * self.num_nodes:
            raise FormatError(
                f"{self.release.vertices[0]}: some vertices have a number of hosts and some do not; fetch it "
                "again"
            )
        self.nodes = _make_numbers(self.scratch / "nodes", self.num_nodes)
        write_url_tables(self.folders["urls"], self._number(sorter), [], OTHERS)
        sorter.remove()
        self._hosts = np.memmap(hosts, "<i8", "r") if with_hosts else None

    def _number(self, sorter: Sorter) -> Iterator[pa.Table]:
        """The sorted keys; the nodes of vertices are written meanwhile."""
        last, node = None, 0
        with self.progress.task("numbering nodes", total=self.num_nodes, unit="nodes") as task:
            for table in sorter.tables():
                keys = table["key"].combine_chunks()
                same = np.zeros(len(keys), bool)
                same[0] = keys[0].as_py() == last
                same[1:] = pc.equal(keys.slice(1), keys.slice(0, len(keys) - 1)).to_numpy(
                    zero_copy_only=False
                )
                if same.any():
                    name = keys[int(same.argmax())].as_py().partition(")")[0].replace(",", ".")
                    raise FormatError(
                        f"{self.release.vertices[0].parent}: two vertices of {self.release.name} are called "
                        f"{name}; fetch the vertices again"
                    )
                self.nodes[table["vertex"].to_numpy()] = np.arange(node, node + len(keys), dtype=np.uint32)
                last, node = keys[len(keys) - 1].as_py(), node + len(keys)
                task.advance(len(keys))
                yield pa.table([keys], schema=KEYS)

    # ---- arcs

    def read_arcs(self) -> None:
        """Write the part `graph`."""
        settings, folder = self.settings, make_directory(self.scratch / "sorting")
        with ArcSorter(
            folder, num_nodes=self.num_nodes, memory=settings.memory, workers=self.workers
        ) as sorter:
            with self.progress.task("reading arcs", unit="arcs") as task:
                for sources, targets in self._arcs():
                    sorter.add(self.nodes[sources], self.nodes[targets])
                    task.advance(len(sources))
            self.num_read = sorter.num_arcs
            size = write_sorted(
                sorter,
                self.folders["graph"] / FORWARD,
                transpose=self.folders["graph"] / TRANSPOSE,
                folder=folder,
                parameters=settings,
                memory=settings.memory,
                workers=self.workers,
                progress=self.progress,
            )
        self.num_arcs, self.num_bits = size.num_arcs, size.graph_bits

    def _arcs(self) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        """The arcs between vertices."""
        release = self.release
        if release.graph is not None:
            graph = BVGraph(release.graph, progress=self.progress)
            if graph.num_nodes != self.num_nodes:
                raise FormatError(
                    f"{release.graph}.graph: it has {graph.num_nodes} nodes, and there are {self.num_nodes} "
                    "vertices; the files belong to different releases"
                )
            for sources, targets in iter_arcs(graph):
                yield (targets, sources) if release.is_transposed else (sources, targets)
            return
        for path in release.edges:
            reader = LineReader(path)
            parser = PairParser(path, bound=self.num_nodes, comments=False)
            for line, text in reader.chunks():
                yield parser.parse(line, text)

    # ---- ranks

    def read_ranks(self) -> None:
        """Write the part `release`."""
        folder = self.folders["release"]
        write_facts(folder, self.facts)
        schema = pa.schema(list(COLUMNS.items()) if self.release.ranks else [])
        if self._hosts is not None:
            schema = schema.append(_HOSTS.field(0))
            by_node = _make_numbers(self.scratch / "hosts-by-node", self.num_nodes, "<i8")
            by_node[self.nodes] = self._hosts
        with explained(folder / NODES, "write"), pq.ParquetWriter(folder / NODES, schema) as writer:
            start = 0
            for table in self._ranks() if self.release.ranks else ():
                end = start + len(table)
                if self._hosts is not None:
                    table = table.append_column(_HOSTS.field(0), pa.array(by_node[start:end]))
                writer.write_table(table, row_group_size=_GROUP)
                start = end
            while self._hosts is not None and start < self.num_nodes:  # without ranks
                end = min(start + _GROUP, self.num_nodes)
                writer.write_table(pa.table([pa.array(by_node[start:end])], schema=_HOSTS))
                start = end

    def _ranks(self) -> Iterator[pa.Table]:
        keys = Urls(self.folders["urls"]).key_column
        with self.progress.task("reading ranks", total=self.num_nodes, unit="nodes") as task:
            for table in sort_ranks(
                self.release.ranks[0], keys, self.scratch, task, memory=self.settings.memory // 8
            ):
                self.num_ranked += len(table) - min(table[name].null_count for name in COLUMNS)
                yield table


def _make_numbers(path: Path, count: int, kind: str = "<u4") -> npt.NDArray[Any]:
    """Numbers in a file, written in full: a disk that is full refuses now, and not in a mapping."""
    size = count * np.dtype(kind).itemsize
    with open_writer(path) as stream:
        for start in range(0, size, 1 << 24):
            stream.write(bytes(min(1 << 24, size - start)))
    return np.memmap(path, kind, "r+")
