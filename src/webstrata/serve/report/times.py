"""Sheets of time: the tables of TIME for the snapshots of a collection, and what their union takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.temporal import draw_union
from webstrata.serve.report.sheet import Missing, Sheet, Table, lacks_second, to_drawings
from webstrata.temporal.footprint import describe_footprint, describe_snapshots
from webstrata.temporal.union import PART, StoredUnion

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.temporal.survival import Survival

MAX_RULES = 20


def make_times(collection: Collection) -> list[Sheet | Missing]:
    """Tables 1 to 3 of TIME, the footprint of the union, and how long links live.

    Examples
    --------
    >>> import webstrata as ws
    >>> make_times(ws.create(getfixture("tmp_path") / "uk"))[0].why
    'it takes two snapshots, and there are 0'
    """
    command = f"webstrata align {collection.word}"
    if PART not in collection.parts:
        what = "the union of snapshots"
        return [Missing(what, command) if len(collection) > 1 else lacks_second(what, collection)]
    union = StoredUnion(collection)
    facts = union.facts
    forward = describe_footprint(union)[0]
    each = forward.num_instances / max(forward.num_arcs, 1)
    text = (
        f"{len(facts.snapshots)} snapshots, aligned by {facts.by}: {forward.num_nodes:,} nodes, "
        f"{forward.num_arcs:,} arcs, {forward.num_instances:,} link instances, {each:.2f} an arc, in "
        f"{forward.bits_per_instance:.3f} bits each (TIME: 1.9, without pointers)."
    )
    tables = [
        _sizes(union),
        _triangle("Hosts in common (TIME, table 2)", facts.snapshots, facts.hosts),
        _triangle(f"URLs in common, aligned by {facts.by} (TIME, table 3)", facts.snapshots, facts.urls),
        _aligned(union),
        _footprint(union),
        _ages(facts.arc_ages),
    ]
    if facts.rules:
        rules = sorted(facts.rules, key=lambda rule: -rule["support"])[:MAX_RULES]
        columns = ["host", "kind", "name", "support", "precision"]
        tables.append(
            Table("Rules for dynamic URLs, learned", columns, [[r[c] for c in columns] for r in rules])
        )
    survivals = union.survival()
    tables += [table for survival in survivals for table in _survival(survival)]
    notes = [f"Warning: {sentence}." for survival in survivals for sentence in survival.warnings]
    figures = to_drawings(draw_union(facts, collection.title), "time")
    command = f"webstrata temporal stats {collection.word}"
    return [Sheet("time", "Time", [text], tables, figures, command, notes)]


def _survival(survival: Survival) -> list[Table]:
    curve: list[list[Any]] = [
        [point.lag, round(point.years, 2), point.at_risk, point.deaths, round(100 * point.survival, 2)]
        for point in survival.curve
    ]
    rates: list[list[Any]] = [
        [
            row.start,
            row.end,
            row.alive,
            row.births,
            row.deaths,
            round(row.birth_rate, 4),
            round(row.death_rate, 4),
            *(
                None if rate is None else round(rate, 4)
                for rate in (row.births_per_year, row.deaths_per_year)
            ),
        ]
        for row in survival.turnover
    ]
    columns = ["from", "to", "alive", "births", "deaths", "birth rate", "death rate"]
    return [
        Table(
            f"Survival of {survival.what}",
            ["snapshots later", "years", "at risk", "deaths", "alive, %"],
            curve,
            "Product limit (Kaplan, Meier) over all snapshots as starts; alive is from first to last sight.",
        ),
        Table(
            f"Share of the {survival.what} of a snapshot (row) that a later one has, %",
            ["", *survival.snapshots[1:]],
            [
                [label, *(None if share is None else round(100 * share, 1) for share in row[1:])]
                for label, row in zip(survival.snapshots[:-1], survival.shares, strict=False)
            ],
        ),
        Table(f"Births and deaths of {survival.what}", [*columns, "births/year", "deaths/year"], rates),
    ]


def _sizes(union: StoredUnion) -> Table:
    rows: list[list[Any]] = [
        [
            row.snapshot,
            row.captures,
            None if row.warc_bytes is None else round(row.warc_bytes / 1e6, 1),
            row.pages,
            row.arcs,
            round(row.bits_per_arc, 3),
        ]
        for row in describe_snapshots(union)
    ]
    return Table(
        "Snapshots (TIME, table 1)",
        ["snapshot", "captures", "WARC, MB", "nodes", "arcs", "bits per arc"],
        rows,
    )


def _triangle(title: str, labels: list[str], common: list[list[int]]) -> Table:
    rows: list[list[Any]] = [
        [label, *[None] * number, *common[number][number:]] for number, label in enumerate(labels)
    ]
    return Table(title, ["", *labels], rows)


def _aligned(union: StoredUnion) -> Table:
    facts = union.facts
    rows: list[list[Any]] = [
        [label, pages, aligned, round(100 * aligned / max(pages, 1), 1)]
        for label, pages, aligned in zip(facts.snapshots, facts.pages, facts.aligned, strict=True)
    ]
    return Table("Pages that are aligned", ["snapshot", "pages", "aligned", "%"], rows)


def _footprint(union: StoredUnion) -> Table:
    found = describe_footprint(union)
    names = {
        "graph_bytes": "graph, bytes",
        "label_bytes": "labels, bytes",
        "pointer_bytes": "pointers, bytes",
        "bits_per_arc": "bits per arc",
        "bits_per_label": "bits per label",
        "bits_per_pointer": "bits per pointer",
        "bits_per_instance": "bits per link instance, all of it",
    }
    rows: list[list[Any]] = [
        [title, *(round(getattr(row, name), 4) for row in found)] for name, title in names.items()
    ]
    return Table("Footprint of the union (TIME, section 5)", ["", *(row.direction for row in found)], rows)


def _ages(ages: list[int]) -> Table:
    total = max(sum(ages), 1)
    rows: list[list[Any]] = [[age, count, round(100 * count / total, 2)] for age, count in enumerate(ages, 1)]
    return Table("Snapshots that an arc is in", ["snapshots", "arcs", "%"], rows)
