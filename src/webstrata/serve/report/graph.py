"""Sheets of graphs: what each snapshot's takes, its structure, and how that moves through the snapshots.

A snapshot has a sheet of its own. Put together, the first table has a row of each, and pictures that are
named ``…-through-time`` the rows of all; everything else is that of the newest.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.graph.structure import describe_structure
from webstrata.graph.structure.describe import WINGS
from webstrata.serve.figures.structure import draw_moment
from webstrata.serve.report.sheet import (
    Drawing,
    Missing,
    Sheet,
    SheetTable,
    bound_rows,
    to_drawings,
    to_tables,
)

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.graph.structure import Structure


def make_graphs(collection: Collection) -> list[Sheet | Missing]:
    """Nodes, arcs and bits of the graph of every snapshot, from the manifests.

    Examples
    --------
    >>> from webstrata import testing
    >>> [sheet] = make_graphs(testing.collection())
    >>> sheet.tables[0].rows
    [['2026-04', 13, 32, 2.46, 5.688], ['2026-05', 13, 32, 2.46, 6.031], ['2026-06', 15, 36, 2.4, 6.222]]
    """
    rows: list[list[Any]] = []
    lacking = []
    for snapshot in collection:
        if "graph" not in snapshot.parts:
            lacking.append(snapshot.date)
            continue
        counts = snapshot.parts.record("graph").counts
        nodes, arcs, bits = (counts.get(name, 0) for name in ("nodes", "arcs", "bits"))
        each, cost = arcs / max(nodes, 1), bits / max(arcs, 1)
        rows.append([snapshot.date, nodes, arcs, round(each, 2), round(cost, 3)])
    found: list[Sheet | Missing] = []
    if rows:
        columns = ["snapshot", "nodes", "arcs", "arcs per node", "bits per link"]
        command = Action("graph stats", str(collection.path), rows[-1][0]).command
        found.append(Sheet("graphs", "Graphs", tables=[SheetTable("Graphs", columns, rows)], command=command))
    if lacking or not rows:
        what = f"the graph of {', '.join(lacking[:6])}" if lacking else "graphs"
        label = lacking[-1] if lacking else "SNAPSHOT"
        found.append(Missing(what, Action("build", str(collection.path), label, ("graph",)).command))
    return found


def make_structure(snapshot: Snapshot, progress: Progress) -> Sheet:
    """Degrees, components, bow tie and distances of a snapshot's graph.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> sheet = make_structure(testing.snapshot(), Progress())
    >>> [table.title for table in sheet.tables]
    ['Through the snapshots', 'Degrees', 'Components', 'Bow tie', 'Distances', 'Harmonic centrality']
    """
    graph = snapshot.graph
    found = describe_structure(graph, graph.transpose(), urls=snapshot.urls, progress=progress)
    name = f"{snapshot.collection.title} {snapshot.date}"
    return Sheet(
        "structure",
        f"Structure of {snapshot.date}",
        [found.summary],
        [_moment(found, snapshot.date), *to_tables(found)],
        to_drawings(
            [
                *draw_moment(found, snapshot.date, snapshot.collection.title),
                *found.figures(name),
            ],
            "graph",
        ),
        Action.on(snapshot, "graph stats").command,
        [f"{snapshot.date}, warning: {sentence}." for sentence in found.warnings],
    )


def join_structures(sheets: list[Sheet]) -> Sheet:
    """The sheets of all snapshots as one: how each number moves, and all else of the newest.

    Examples
    --------
    >>> sheets = [Sheet("structure", "", tables=[SheetTable("All", ["n"], [[n]])]) for n in (1, 2)]
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


def _moment(found: Structure, label: str) -> SheetTable:
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
            f"{part}, %": round(100 * getattr(found.bow_tie, name) / total, 2) for part, name in WINGS.items()
        },
        "strong components": len(found.strong),
        "mean distance": round(balls.mean_distance.value, 3) if balls else None,
        "effective diameter": round(balls.effective_diameter.value, 3) if balls else None,
    }
    return SheetTable("Through the snapshots", list(values), [list(values.values())])
