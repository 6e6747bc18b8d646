"""Published graphs with times on their arcs to snapshots and their union.

LAW publishes unions of snapshots as arc-labelled graphs (see `webstrata.graph.arc_labelled`): a label is a
mask of snapshots, or a list of their numbers. Such a graph has labels of arcs alone: a node is in a snapshot
if an arc from or to it is. Nodes that no arc has in any snapshot are in none.

Every snapshot becomes one of the collection, with the parts `urls` and `graph`, and their union is built as
of any other snapshots: everything that asks a union works. URLs are those of ``BASENAME.urls`` (or
``.urls.gz``), a line for each node; where there is no such file, node 12 is
``http://nodes.invalid/0000000012``.

In memory are 20 bytes per node, beside what builds of graphs take.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.action import Action
from webstrata.collection.files import make_directory, remove_tree, rename
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.collection.snapshot_dates import check_date
from webstrata.collection.tables import FactsTable
from webstrata.errors import ExistsError, FormatError, MissingError, UrlError, UsageError
from webstrata.graph.arc_labelled import ArcLabelledGraph
from webstrata.graph.arcs import BLOCK, build_bvgraph, iter_arcs
from webstrata.graph.build import FORWARD, TRANSPOSE
from webstrata.graph.interchange.text import LineReader
from webstrata.graph.settings import GraphSettings
from webstrata.store.selection import OTHERS
from webstrata.store.urls import NODES, write_url_tables
from webstrata.temporal.build import build_union
from webstrata.temporal.labels import write_labels
from webstrata.web.row_key import row_keys
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot

    Masks = npt.NDArray[np.uint64]

LACKS = "an arc-labelled graph, of which this snapshot was made, has URLs and links and no pages"
_LACKING = ("warc", "captures", "pages", "text", "links", "anchors", "signatures", "summaries")


@dataclass(frozen=True, kw_only=True, repr=False)
class ArcLabelsResult(FactsTable):
    """What came of an arc-labelled graph."""

    snapshots: tuple[str, ...]
    nodes: int
    arcs: int
    instances: int
    """Arcs of all snapshots together."""
    label_bits: int
    """Of the labels as published."""
    without_snapshot: int
    """Nodes without arcs, which are in no snapshot."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"snapshots": list(self.snapshots)}


def label_nodes(graph: ArcLabelledGraph, num_snapshots: int) -> Masks:
    """A mask for each node: the snapshots that have an arc from it or to it.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph.arc_labelled import write_arc_labels
    >>> path = write_arc_labels(testing.scratch() / "uk", [(0, 1, 1), (0, 2, 2)])
    >>> label_nodes(ArcLabelledGraph(path), 2).tolist()
    [3, 1, 2]
    """
    found = np.zeros(graph.num_nodes, np.uint64)
    masks = graph.iter_masks(num_snapshots)
    for (sources, targets), (_, labels) in zip(iter_arcs(graph.graph, BLOCK), masks, strict=True):
        np.bitwise_or.at(found, sources, labels)
        np.bitwise_or.at(found, targets, labels)
    return found


def convert_labels(
    graph: ArcLabelledGraph,
    destination: Path,
    num_snapshots: int,
    *,
    coding: str = "runs",
    progress: Progress | None = None,
) -> None:
    """Write the labels of a published graph as ours, to `destination` plus ``.labels``.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph.arc_labelled import write_arc_labels
    >>> from webstrata.temporal.labels import LabelledGraph
    >>> path = write_arc_labels(testing.scratch() / "uk", [(0, 1, 1), (0, 2, 2)])
    >>> graph = ArcLabelledGraph(path)
    >>> ours = testing.scratch() / "ours"
    >>> convert_labels(graph, ours, 2)
    >>> LabelledGraph.open(graph.graph_path, ours, snapshots=["2006-06", "2006-07"]).labels(0).tolist()
    [1, 2]
    """
    masks = [labels for _, labels in graph.iter_masks(num_snapshots)]
    write_labels(
        graph.graph_path,
        destination,
        node_labels=label_nodes(graph, num_snapshots),
        arc_labels=np.concatenate([np.zeros(0, np.uint64), *masks]),
        num_snapshots=num_snapshots,
        coding=coding,
        progress=progress,
    )


def ingest_arc_labels(
    collection: Collection,
    basename: str | PathLike[str],
    *,
    at: Sequence[str],
    urls: str | PathLike[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ArcLabelsResult:
    """Make the snapshots of an arc-labelled graph those of a collection, and build their union.

    Parameters
    ----------
    collection
        Where they go; it must not have snapshots of these dates.
    basename
        Of the labelled graph.
    at
        The dates of its snapshots, the oldest first: that of bit 0.
    urls
        A file of URLs, a line for each node; default: ``BASENAME.urls`` where it is there.
    workers
        Threads that sort and compress; as ``[resources]`` says where not given.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph.arc_labelled import write_arc_labels
    >>> path = write_arc_labels(testing.scratch() / "uk", [(0, 1, 1), (0, 2, 2)])
    >>> uk = testing.empty()
    >>> result = ingest_arc_labels(uk, path, at=["2006-06", "2006-07"])
    >>> result.nodes, result.arcs, uk.dates
    (3, 2, ['2006-06', '2006-07'])
    """
    progress = progress or Progress()
    labels = [check_date(label) for label in at]
    if not 2 <= len(labels) <= 64 or sorted(set(labels)) != labels:
        raise UsageError(
            f"--at: expected 2 to 64 dates, the oldest first and none twice, got {', '.join(labels)}"
        )
    if collection.dates:
        raise ExistsError(
            f"{collection.path}: it has snapshots already, and an arc-labelled graph is a whole collection; "
            "create a new one for it"
        )
    graph = ArcLabelledGraph(basename)
    node_labels = label_nodes(graph, len(labels))
    keys, order = _read_keys(graph, urls)
    workers = workers or collection.settings(ResourcesSettings).num_workers
    try:
        for number, label in enumerate(labels):
            _write_snapshot(
                collection.add(label), graph, number, len(labels), node_labels, keys, order, workers, progress
            )
        facts = build_union(
            collection, [collection[label] for label in labels], workers=workers, progress=progress
        )
    except BaseException:
        for label in labels:
            if label in collection:
                remove_tree(collection[label].path)
        raise
    return ArcLabelsResult(
        snapshots=tuple(labels),
        nodes=graph.num_nodes,
        arcs=graph.num_arcs,
        instances=facts.num_instances,
        label_bits=graph.label_bits,
        without_snapshot=int((node_labels == 0).sum()),
    )


def _read_keys(
    graph: ArcLabelledGraph, path: str | PathLike[str] | None
) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """The sorted row keys of all nodes, and the node that each belongs to."""
    found = Path(path) if path is not None else _find_urls(graph)
    if found is None:
        keys = pa.array([f"invalid,nodes)/{node:010}" for node in range(graph.num_nodes)], pa.large_string())
        return keys, np.arange(graph.num_nodes)
    if not found.is_file():
        raise MissingError(f"{found}: no such file; name one with a URL for each node")
    lines: list[str] = []
    for line, text in LineReader(found).chunks():
        for place, word in enumerate(text.decode("utf-8", "replace").splitlines(), line):
            try:
                lines.append(normalize(word.strip()))
            except UrlError as error:
                raise FormatError(f"{found}, line {place}: {error}") from None
    if len(lines) != graph.num_nodes:
        raise FormatError(
            f"{found}: it has {len(lines)} URLs, and the graph has {graph.num_nodes} nodes; "
            "the files belong to different graphs"
        )
    keys = pa.array(row_keys(lines), pa.large_string())
    order = pc.sort_indices(keys).to_numpy().astype(np.int64)
    keys = keys.take(pa.array(order))
    same = pc.equal(keys.slice(1), keys.slice(0, max(len(keys) - 1, 0)))
    if pc.any(same).as_py():
        place = int(order[pc.index(same, pa.scalar(True)).as_py() + 1])
        raise FormatError(
            f"{found}, line {place + 1}: {lines[place]} stands there twice; each node needs its own URL"
        )
    return keys, order


def _find_urls(graph: ArcLabelledGraph) -> Path | None:
    places = [
        base.with_name(base.name + end)
        for base in (graph.basename, graph.graph_path)
        for end in (".urls", ".urls.gz")
    ]
    return next((place for place in places if place.is_file()), None)


def _write_snapshot(
    snapshot: Snapshot,
    graph: ArcLabelledGraph,
    number: int,
    num_snapshots: int,
    node_labels: Masks,
    keys: pa.Array,
    order: npt.NDArray[np.int64],
    workers: int,
    progress: Progress,
) -> None:
    bit = np.uint64(number)
    present = (node_labels >> bit & np.uint64(1)).astype(bool)
    own = present[order]
    nodes = np.zeros(graph.num_nodes, np.uint32)
    nodes[order[own]] = np.arange(int(own.sum()), dtype=np.uint32)
    count = int(own.sum())
    settings = snapshot.settings(GraphSettings)

    def arcs() -> Iterator[tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]]:
        masks = graph.iter_masks(num_snapshots)
        for (sources, targets), (_, labels) in zip(iter_arcs(graph.graph, BLOCK), masks, strict=True):
            kept = (labels >> bit & np.uint64(1)).astype(bool)
            yield nodes[sources[kept]], nodes[targets[kept]]

    scratch = snapshot.working_folder("ingest")
    options = {"arc_labels": str(graph.basename), "at": snapshot.date}
    renew = Action("ingest", str(snapshot.collection.path), options=options).template
    with snapshot.parts.writing(progress):
        remove_tree(scratch)
        make_directory(scratch)
        try:
            with snapshot.write_part("urls", renew=renew, progress=progress) as build:
                table = pa.table([keys.filter(pa.array(own))], schema=NODES)
                write_url_tables(build.path, [table], [], OTHERS)
                build.count(nodes=count, others=0)
                build.lacks |= dict.fromkeys(_LACKING, LACKS)
            size = build_bvgraph(
                arcs(),
                scratch / FORWARD,
                num_nodes=count,
                transpose=scratch / TRANSPOSE,
                parameters=settings,
                memory=settings.memory,
                workers=workers,
                progress=progress,
            )
            with snapshot.write_part("graph", inputs=("urls",), renew=renew, progress=progress) as build:
                for path in sorted(scratch.iterdir()):
                    rename(path, build.path / path.name)
                build.count(nodes=count, arcs=size.num_arcs, bits=size.graph_bits)
        finally:
            remove_tree(scratch)
