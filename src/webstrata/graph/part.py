"""The graph of a snapshot, and the same graph in other orders of its nodes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from webstrata.collection.declarations import SnapshotPart
from webstrata.graph.settings import GraphSettings

if TYPE_CHECKING:
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.graph.build import StoredGraph
    from webstrata.graph.releases.ranks import StoredRelease

ORDERS = ("bfs", "llp")


def _build(snapshot: Snapshot, settings: GraphSettings, *, workers: int, progress: Progress) -> None:
    from webstrata.graph.build import build_graph

    build_graph(snapshot, settings, workers=workers, progress=progress)


def _open(snapshot: Snapshot) -> StoredGraph:
    from webstrata.graph.build import StoredGraph

    part = snapshot.open_part("graph")
    return StoredGraph(part.path, part)


def open_release(snapshot: Snapshot) -> StoredRelease:
    r"""What the web graph release that a snapshot was made of says about its nodes.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "cc-vertices.txt").write_text("0\tcom.example\n1\torg.example\n")
    >>> _ = (folder / "cc-edges.txt").write_text("0\t1\n")
    >>> april = testing.empty().add("2026-04")
    >>> _ = april.ingest(webgraph=folder)
    >>> open_release(april).facts.form
    'text'
    >>> open_release(testing.snapshot())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...
    """
    from webstrata.graph.releases.ranks import StoredRelease

    part = snapshot.open_part("release")
    return StoredRelease(part.path, part)


def _reorder(
    order: str,
    snapshot: Snapshot,
    settings: GraphSettings,
    *,
    workers: int,
    progress: Progress,
) -> None:
    from webstrata.graph.order import build_order

    build_order(snapshot, order, parameters=settings, progress=progress)


GRAPH = SnapshotPart(
    "graph",
    "Compress the links between pages.",
    inputs=("links", "urls"),
    settings=GraphSettings,
    build=_build,
    open=_open,
)
REORDERED = tuple(
    SnapshotPart(
        f"graph-{order}",
        f"Compress the graph with its nodes in the order {order}.",
        inputs=("graph",),
        settings=GraphSettings,
        uses=(),
        build=partial(_reorder, order),
        stage="graph",
        on_demand=True,
    )
    for order in ORDERS
)
RELEASE = SnapshotPart(
    "release",
    "Keep the ranks that a web graph release publishes.",
    inputs=("urls",),
    open=open_release,
    stage="crawl",
    forget="remove",
)
