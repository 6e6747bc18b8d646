"""Sheets of graphs: what each snapshot's takes, and the structure of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.graph.structure import describe_structure
from webstrata.serve.figures.structure import draw_structure
from webstrata.serve.report.sheet import Missing, Sheet, Table, to_drawings

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.graph.structure import Degrees, Structure

_WINGS = {
    "in": "inward",
    "core": "core",
    "out": "outward",
    "tubes": "tubes",
    "tendrils": "tendrils",
    "disconnected": "disconnected",
}


def make_graphs(collection: Collection) -> list[Sheet | Missing]:
    """Nodes, arcs and bits of the graph of every snapshot, from the manifests.

    Examples
    --------
    >>> import webstrata as ws
    >>> make_graphs(ws.create(getfixture("tmp_path") / "uk"))[0].command
    'webstrata graph build ...uk SNAPSHOT'
    """
    rows: list[list[Any]] = []
    lacking = []
    for snapshot in collection:
        if "graph" not in snapshot.parts:
            lacking.append(snapshot.label)
            continue
        counts = snapshot.parts.record("graph").counts
        nodes, arcs, bits = (counts.get(name, 0) for name in ("nodes", "arcs", "bits"))
        each, cost = arcs / max(nodes, 1), bits / max(arcs, 1)
        rows.append([snapshot.label, nodes, arcs, round(each, 2), round(cost, 3)])
    found: list[Sheet | Missing] = []
    if rows:
        columns = ["snapshot", "nodes", "arcs", "arcs per node", "bits per link"]
        command = f"webstrata graph stats {collection.path} {rows[-1][0]}"
        found.append(Sheet("graphs", "Graphs", tables=[Table("Graphs", columns, rows)], command=command))
    if lacking or not rows:
        what = f"the graph of {', '.join(lacking[:6])}" if lacking else "graphs"
        label = lacking[-1] if lacking else "SNAPSHOT"
        found.append(Missing(what, f"webstrata graph build {collection.path} {label}"))
    return found


def make_structure(snapshot: Snapshot, progress: Progress) -> Sheet:
    """Degrees, components, bow tie and distances of a snapshot's graph.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_structure(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); build it first
    """
    graph = snapshot.graph
    found = describe_structure(graph, graph.transpose(), progress=progress)
    name = f"{snapshot.collection.title} {snapshot.label}"
    return Sheet(
        "structure",
        f"Structure of {snapshot.label}",
        [
            f"{found.num_nodes:,} nodes, {found.num_arcs:,} arcs, {found.num_loops:,} loops; reciprocity "
            f"{found.reciprocity:.4f}, transitivity {found.clustering.transitivity}, clustering coefficient "
            f"{found.clustering.coefficient}."
        ],
        [_degrees(found), _bow_tie(found), _components(found), *_distances(found)],
        to_drawings(draw_structure(found, name), "graph"),
        f"webstrata graph stats {snapshot.collection.path} {snapshot.label}",
    )


def _degrees(found: Structure) -> Table:
    def row(kind: str, degrees: Degrees) -> list[Any]:
        law = degrees.law
        exponent = f"{law.exponent:.3f} ± {law.standard_error:.2g} from {law.x_min} on" if law else "none"
        return [kind, round(degrees.mean, 3), degrees.median, degrees.largest, degrees.num_zeros, exponent]

    columns = ["degree", "mean", "median", "largest", "nodes of degree 0", "power law"]
    return Table("Degrees", columns, [row("in", found.indegrees), row("out", found.outdegrees)])


def _bow_tie(found: Structure) -> Table:
    total = max(found.num_nodes, 1)
    counts = {part: getattr(found.bow_tie, name) for part, name in _WINGS.items()}
    rows: list[list[Any]] = [[part, count, round(100 * count / total, 2)] for part, count in counts.items()]
    return Table("Bow tie", ["part", "nodes", "%"], rows)


def _components(found: Structure) -> Table:
    rows: list[list[Any]] = [
        [
            kind,
            len(components),
            int(components.sizes[0]) if len(components) else 0,
            round(100 * components.largest_share, 2),
        ]
        for kind, components in (("weak", found.weak), ("strong", found.strong))
    ]
    return Table("Components", ["components", "number", "largest", "%"], rows)


def _distances(found: Structure) -> list[Table]:
    if (balls := found.balls) is None:
        return []
    rows: list[list[Any]] = [
        ["mean distance", str(balls.mean_distance)],
        ["effective diameter", str(balls.effective_diameter)],
        ["share of pairs that are joined", str(balls.joined_share)],
        ["longest seen", balls.longest],
    ]
    note = f"HyperBall, {balls.runs} runs of {balls.registers} registers; ± is one standard error."
    return [Table("Distances", ["what", "value"], rows, note)]
