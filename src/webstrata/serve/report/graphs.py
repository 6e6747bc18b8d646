"""Sheets of graphs: what each snapshot's takes, its structure, and how that moves through the snapshots.

A snapshot has a sheet of its own. Put together, the first table has a row of each, and pictures that are
named ``…-through-time`` the rows of all; everything else is that of the newest.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webstrata.graph.structure import describe_structure
from webstrata.serve.figures.structure import draw_moment, draw_structure
from webstrata.serve.report.sheet import Drawing, Missing, Sheet, Table, bound_rows, to_drawings

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
        command = f"webstrata graph stats {collection.word} {rows[-1][0]}"
        found.append(Sheet("graphs", "Graphs", tables=[Table("Graphs", columns, rows)], command=command))
    if lacking or not rows:
        what = f"the graph of {', '.join(lacking[:6])}" if lacking else "graphs"
        label = lacking[-1] if lacking else "SNAPSHOT"
        found.append(Missing(what, f"webstrata graph build {collection.word} {label}"))
    return found


def make_structure(snapshot: Snapshot, progress: Progress) -> Sheet:
    """Degrees, components, bow tie and distances of a snapshot's graph.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.collection.progress import Progress
    >>> make_structure(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); `webstrata
    graph build ...` makes it
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
        [
            _moment(found, snapshot.label),
            _degrees(found),
            _bow_tie(found),
            _components(found),
            *_distances(found),
        ],
        to_drawings(
            [
                *draw_moment(found, snapshot.label, snapshot.collection.title),
                *draw_structure(found, name),
            ],
            "graph",
        ),
        f"webstrata graph stats {snapshot.collection.word} {snapshot.label}",
        [f"{snapshot.label}, warning: {sentence}." for sentence in found.warnings],
    )


def join_structures(sheets: list[Sheet]) -> Sheet:
    """The sheets of all snapshots as one: how each number moves, and all else of the newest.

    Examples
    --------
    >>> sheets = [Sheet("structure", "", tables=[Table("All", ["n"], [[n]])]) for n in (1, 2)]
    >>> join_structures(sheets).tables[0].rows
    [[1], [2]]
    """
    last = sheets[-1]
    # one that was kept by an earlier version may have other columns
    sheets = [sheet for sheet in sheets if sheet.tables[0].columns == last.tables[0].columns]
    table = replace(last.tables[0], rows=[row for sheet in sheets for row in sheet.tables[0].rows])
    figures: list[Drawing] = []
    for drawing in last.figures:
        if not drawing.name.endswith("through-time"):
            figures.append(drawing)
        elif len(sheets) > 1:
            specs = [one.spec for sheet in sheets for one in sheet.figures if one.name == drawing.name]
            joined = deepcopy(drawing.spec)
            joined["data"]["values"] = [row for spec in specs for row in spec["data"]["values"]]
            bound_rows(joined)
            figures.append(Drawing(drawing.name, joined))
    stale = [note for sheet in sheets[:-1] for note in sheet.notes if ", warning: " not in note]
    notes = list(dict.fromkeys([*stale, *last.notes]))
    return replace(last, tables=[table, *last.tables[1:]], figures=figures, notes=notes)


def _moment(found: Structure, label: str) -> Table:
    """The numbers that can be followed through snapshots."""
    total = max(found.num_nodes, 1)
    laws = (found.indegrees.law, found.outdegrees.law)
    balls = found.balls
    values: dict[str, Any] = {
        "snapshot": label,
        "nodes": found.num_nodes,
        "arcs": found.num_arcs,
        "mean degree": round(found.indegrees.mean, 2),
        "in, exponent": round(laws[0].exponent, 3) if laws[0] else None,
        "out, exponent": round(laws[1].exponent, 3) if laws[1] else None,
        "reciprocity": round(found.reciprocity, 4),
        **{
            f"{part}, %": round(100 * getattr(found.bow_tie, name) / total, 2)
            for part, name in _WINGS.items()
        },
        "strong components": len(found.strong),
        "mean distance": round(balls.mean_distance.value, 3) if balls else None,
        "effective diameter": round(balls.effective_diameter.value, 3) if balls else None,
    }
    return Table("Through the snapshots", list(values), [list(values.values())])


def _degrees(found: Structure) -> Table:
    def row(kind: str, degrees: Degrees) -> list[Any]:
        law = degrees.law
        exponent = (
            f"{law.exponent:.3f} ± {law.standard_error:.2g} from {law.x_min} on" if law else "none fitted"
        )
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
        [
            f"share of pairs that are joined{'' if balls.joined_share.is_exact else ', estimated'}",
            str(balls.joined_share),
        ],
        ["longest seen", balls.longest],
    ]
    note = f"HyperBall, {balls.runs} runs of {balls.registers} registers; ± is one standard error."
    return [Table("Distances", ["what", "value"], rows, note)]
