"""The part `graph`: the pages of a snapshot and the links between them, forward and transposed.

==========================  =============================================================================
``forward.*``               a BVGraph (see `bvgraph`): the successors of each node
``transpose.*``             the same with all arcs turned round: its predecessors
``forward.multiplicities``  if wanted: how many links each arc stands for, in the order of the successors,
                            numbers of 32 bits, little-endian; ``transpose.multiplicities`` likewise
``hosts.*``                 the graph of hosts, with weights and names (see `hosts`)
``domains.*``               the graph of registered domains
``folded.arrow``            if duplicates are folded: which, and onto which node (see `fold`)
==========================  =============================================================================

Arcs are those of `webstrata.store.links.iter_arcs`: links of the kinds that are followed, resolved to the
nodes that their targets are or stand for, each once. With ``frontier`` the targets that were not captured are
nodes too, numbered after the last page in row-key order. With ``fold`` duplicates are contracted onto one.

Memory is bounded by a setting. The nodes of all targets are found first, block by block; then shards gather
the arcs of some million links each into a sorted run, and runs that are done are found again by a build that
was interrupted; then runs are merged and compressed, and turned round and sorted once more meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from webstrata._core import graph as core
from webstrata.collection import shards
from webstrata.collection.files import make_directory, open_writer, remove_tree
from webstrata.collection.progress import Progress, Task
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import UsageError
from webstrata.graph.arc_sort import ArcSorter, to_keys, write_run
from webstrata.graph.arcs import write_sorted
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.fold import find_representatives, read_folded, write_folded
from webstrata.graph.hosts import build_named
from webstrata.graph.settings import GraphSettings
from webstrata.store.links import Links, frontier_keys, iter_arcs, write_target_nodes
from webstrata.store.parquet.rows import ROW_GROUP
from webstrata.store.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.collection import Snapshot
    from webstrata.collection.build import Build
    from webstrata.collection.parts import Part
    from webstrata.graph.view import Graph

FORWARD, TRANSPOSE = "forward", "transpose"
MULTIPLICITIES = ".multiplicities"


class StoredGraph(BVGraph):
    """The graph of a snapshot, mapped; `transpose` opens the one that is stored beside it.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> storm = snapshot.urls.node("http://news.example/storm")
    >>> [snapshot.urls[int(node)] for node in snapshot.graph.transpose().successors(storm)]
    ['http://garden.example/tomatoes', 'http://news.example/', 'http://reef.example/storm']
    """

    def __init__(
        self,
        folder: Path,
        part: Part | None = None,
        *,
        name: str = FORWARD,
        urls: Callable[[], list[str]] | None = None,
    ) -> None:
        super().__init__(folder / name)
        self._part = part  # held, so that the files stay
        self._folder, self._name, self._urls = folder, name, urls

    def node_attributes(self) -> dict[str, list[str]]:
        """The URL and the host of each node, where the graph is that of a snapshot."""
        if self._urls is None:
            return {}
        urls = self._urls()
        return {"url": urls, "host": [urlsplit(url).hostname or "" for url in urls]}

    def multiplicities(self) -> npt.NDArray[np.uint32] | None:
        """How many links each arc stands for, beside the targets of `rows`; None if they were not kept.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.graph.settings import GraphSettings
        >>> pages = {"http://a.org/": "<a href=/b>B</a> <a href=/b>again</a>", "http://a.org/b": "<p>B"}
        >>> snapshot = testing.snapshot_of(pages, parts=())
        >>> build_graph(snapshot, GraphSettings(multiplicity=True))
        >>> snapshot.graph.multiplicities().tolist()
        [2]
        """
        path = self._folder / f"{self._name}{MULTIPLICITIES}"
        if not path.exists():
            return None
        return np.memmap(path, "<u4", "r") if self.num_arcs else np.zeros(0, np.uint32)

    def folded(self) -> pa.Table:
        """The nodes that were folded and their representatives: ``node``, ``representative``, by node.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.graph.settings import GraphSettings
        >>> snapshot = testing.snapshot()
        >>> build_graph(snapshot, GraphSettings(fold="exact"))
        >>> snapshot.graph.folded().to_pydict()
        {'node': [4], 'representative': [3]}
        """
        return read_folded(self._folder)

    def transpose(self) -> Graph:
        """The transposed graph.

        Examples
        --------
        >>> from webstrata import testing
        >>> graph = testing.snapshot().graph
        >>> graph.transpose().transpose().successors(0).tolist() == graph.successors(0).tolist()
        True
        """
        other = TRANSPOSE if self._name == FORWARD else FORWARD
        return StoredGraph(self._folder, self._part, name=other, urls=self._urls)


def build_graph(
    snapshot: Snapshot,
    settings: GraphSettings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Build the part `graph` of a snapshot that has its links.

    Parameters
    ----------
    snapshot
        With the parts `links` and `urls`.
    settings
        What becomes an arc, how lists are coded, and in how much memory; as the files say where not given.
    workers
        Processes that gather arcs, threads that sort and compress; as ``[resources]`` says where not given.
    progress
        Where the build reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {"http://a.example/": "<a href=/b>B</a>", "http://a.example/b": "<a href=/>A</a>"}
    >>> snapshot = testing.snapshot_of(pages, parts=())
    >>> build_graph(snapshot)
    >>> snapshot.graph.num_arcs, snapshot.graph.successors(0).tolist()
    (2, [1])
    """
    settings = settings or snapshot.settings(GraphSettings)
    workers = workers or snapshot.settings(ResourcesSettings).num_workers
    progress = progress or Progress()
    with snapshot.write_part(
        "graph", settings=settings, inputs=("links", "urls"), progress=progress
    ) as build:
        representatives = _fold(snapshot, settings, progress)
        runs, num_nodes = _gather_arcs(snapshot, build, settings, workers, representatives)
        # what a build that was interrupted has left there is of no use
        folder = build.folder / "sorting"
        remove_tree(folder)
        make_directory(folder)
        with ArcSorter(
            folder,
            num_nodes=num_nodes,
            memory=settings.memory,
            workers=workers,
            counted=settings.multiplicity,
        ) as sorter:
            for path in runs:
                sorter.add_run(path, num_nodes=num_nodes)
            forward = write_sorted(
                sorter,
                build.path / FORWARD,
                transpose=build.path / TRANSPOSE,
                multiplicities=build.path / f"{FORWARD}{MULTIPLICITIES}" if settings.multiplicity else None,
                turned_multiplicities=(
                    build.path / f"{TRANSPOSE}{MULTIPLICITIES}" if settings.multiplicity else None
                ),
                folder=folder,
                parameters=settings,
                memory=settings.memory,
                workers=workers,
                progress=progress,
            )
        remove_tree(folder)
        if settings.hosts:
            graph = BVGraph(build.path / FORWARD)
            keys = _row_keys(snapshot, frontier=settings.frontier)
            build_named(build.path, graph, keys, parameters=settings, workers=workers, progress=progress)
        counts = {"folded": write_folded(build.path, representatives)} if representatives is not None else {}
        build.count(nodes=forward.num_nodes, arcs=forward.num_arcs, bits=forward.graph_bits, **counts)


def _fold(snapshot: Snapshot, settings: GraphSettings, progress: Progress) -> npt.NDArray[np.uint32] | None:
    """For each page the node that stands for it, or None where every page stands for itself."""
    if settings.fold == "none":
        return None
    if "pages" not in snapshot.parts:
        raise UsageError(
            f"{snapshot.path}: fold = {settings.fold!r} compares pages, and this snapshot has links alone; "
            f"use fold = 'none'"
        )
    with progress.task("comparing pages", unit="links") as task:
        return find_representatives(snapshot, settings.fold, advance=task.advance)


def _gather_arcs(
    snapshot: Snapshot,
    build: Build,
    settings: GraphSettings,
    workers: int,
    representatives: npt.NDArray[np.uint32] | None,
) -> tuple[list[Path], int]:
    """Sorted runs of the arcs of a snapshot, a shard each, and the number of nodes."""
    with snapshot.open_part("links") as part, snapshot.open_part("urls") as urls_part:
        links, urls = Links(part.path), Urls(urls_part.path)
        places = _Places(str(part.path), str(urls_part.path), frontier=settings.frontier)
        [resolved] = shards.run(
            build,
            _resolve,
            [shards.Shard("targets", places, len(links.targets))],
            title="finding the nodes of targets",
            unit="targets",
        )
        folds = ""
        if representatives is not None:
            folds = str(build.folder / "representatives")
            with open_writer(Path(folds)) as stream:
                stream.write(representatives.astype("<u4").data.cast("B"))
        # each process has its share of the memory: 8 bytes a link, as much to sort into, and what it reads
        size = max(settings.memory // (32 * workers) // ROW_GROUP, 1)
        work = [
            shards.Shard(
                f"arcs-{start:08}",
                _Groups(
                    str(part.path),
                    str(resolved.path / "nodes"),
                    start,
                    min(start + size, links.rows.num_blocks),
                    nofollow=settings.nofollow,
                    self_loops=settings.self_loops,
                    once=not settings.multiplicity,
                    folds=folds,
                ),
                min(size * ROW_GROUP, len(links) - start * ROW_GROUP),
            )
            for start in range(0, links.rows.num_blocks, size)
        ]
        done = shards.run(build, _sort_arcs, work, workers=workers, title="gathering arcs", unit="links")
    return [shard.path / "run" for shard in done], len(urls) + resolved.counts["frontier"]


@dataclass(frozen=True)
class _Places:
    """Where links and URLs are, and whether targets that were not captured are nodes."""

    links: str
    urls: str
    frontier: bool


@dataclass(frozen=True)
class _Groups:
    """The work of a shard: the arcs of some row groups of the links."""

    links: str
    nodes: str
    start: int
    stop: int
    nofollow: bool
    self_loops: bool
    once: bool
    folds: str
    """A file of representatives, or "" where nothing is folded."""


def _resolve(item: _Places, folder: Path, task: Task) -> Mapping[str, int]:
    links, urls = Links(Path(item.links)), Urls(Path(item.urls))
    found = write_target_nodes(
        folder / "nodes", urls, links.targets, frontier=item.frontier, advance=task.advance
    )
    return {"frontier": found}


def _sort_arcs(item: _Groups, folder: Path, task: Task) -> Mapping[str, int]:
    links = Links(Path(item.links))
    targets = np.memmap(item.nodes, "<u4", "r") if len(links.targets) else np.zeros(0, np.uint32)
    folds = np.memmap(item.folds, "<u4", "r") if item.folds and Path(item.folds).stat().st_size else None
    blocks = []
    for group in range(item.start, item.stop):
        for sources, ends in iter_arcs(
            links,
            targets,
            groups=range(group, group + 1),
            nofollow=item.nofollow,
            self_loops=item.self_loops,
        ):
            if folds is not None:
                sources, ends = folds[sources], _take(folds, ends)
                if not item.self_loops:
                    kept = sources != ends
                    sources, ends = sources[kept], ends[kept]
            keys = np.empty(len(sources), np.uint64)
            to_keys(sources, ends, keys)
            blocks.append(keys)
        task.advance(min(ROW_GROUP, len(links) - group * ROW_GROUP))
    joined = np.concatenate(blocks)
    blocks.clear()
    kept = core.sort_keys(joined, np.empty_like(joined), item.once)
    write_run(folder / "run", joined[:kept])
    return {"arcs": kept}


def _take(folds: npt.NDArray[np.uint32], nodes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The representatives of nodes; those of the frontier stand for themselves."""
    found = nodes.copy()
    is_page = nodes < len(folds)
    found[is_page] = folds[nodes[is_page]]
    return found


def _row_keys(snapshot: Snapshot, *, frontier: bool) -> list[pa.ChunkedArray]:
    """The row keys of the pages, and behind them those of the frontier."""
    part = snapshot.open_part("urls")
    keys = Urls(part.path, part).key_column
    return [keys, frontier_keys(snapshot)] if frontier else [keys]
