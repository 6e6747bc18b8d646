"""webstrata temporal stats: the tables of TIME for a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.align import facts_to_json, open_union, show_overlaps, show_rules
from webstrata.cli.options import collection_argument, json_option, plots_option
from webstrata.cli.output import show_bytes, show_json, show_table, show_warnings
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection
    from webstrata.temporal.footprint import Footprint, SnapshotSize
    from webstrata.temporal.survival import Survival
    from webstrata.temporal.union import StoredUnion


@click.command("stats", epilog="Example: webstrata temporal stats uk --plots pictures")
@collection_argument
@plots_option("temporal.html")
@json_option
def command(collection: Collection, *, plots: Path | None, as_json: bool) -> None:
    """Show what the snapshots have in common, how long pages live, and the size of their union.

    Sizes of the snapshots; hosts and pages that every two of them have in common; survival curves, birth and
    death rates of hosts, pages and links; bits per link of the union that `webstrata align` has built.
    """
    from dataclasses import asdict

    from webstrata.temporal.footprint import describe_footprint, describe_snapshots

    if plots:
        # a missing extra is better said before than after
        from webstrata.serve.figures.style import load_altair

        load_altair()
    union = open_union(collection)
    sizes, footprint = describe_snapshots(union), describe_footprint(union)
    survivals = union.survival()
    warnings = [sentence for survival in survivals for sentence in survival.warnings]
    if not survivals:
        warnings.append(
            f"the union was built by version 0.1.0 and has no survival curves; `webstrata align "
            f"{collection.word}` builds it again"
        )
    paths = _draw(union, plots) if plots else []
    if as_json:
        show_json(
            {
                "collection": str(collection.path),
                **facts_to_json(union.facts),
                "arcs": union.facts.arcs,
                "arc_ages": union.facts.arc_ages,
                "sizes": [asdict(row) | {"bits_per_arc": round(row.bits_per_arc, 4)} for row in sizes],
                "survival": [survival.to_dict() for survival in survivals],
                "union": [row.to_dict() for row in footprint],
                "warnings": warnings,
                "plots": [str(path) for path in paths],
            }
        )
        return
    _show_sizes(sizes)
    click.echo()
    show_overlaps(union.facts)
    show_rules(union.facts)
    _show_footprint(footprint)
    _show_survival(survivals)
    ages = union.facts.arc_ages
    total = max(sum(ages), 1)
    click.echo("\nSnapshots that an arc is in\n")
    show_table(
        ["snapshots", "arcs", "share"],
        [[age, count, f"{100 * count / total:.1f}%"] for age, count in enumerate(ages, 1)],
    )
    show_warnings(warnings)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _show_survival(survivals: list[Survival]) -> None:
    if not survivals:
        return
    click.echo("\nSurvival: of what is alive at a snapshot, the share that is alive later (product limit)\n")
    show_table(
        ["snapshots later", "years", *(survival.what for survival in survivals), "pages at risk"],
        [
            [
                point.lag,
                f"{point.years:.2f}",
                *(
                    f"{100 * s.curve[place].survival:.1f}%" if place < len(s.curve) else "–"
                    for s in survivals
                ),
                point.at_risk,
            ]
            for place, point in enumerate(_find(survivals, "pages").curve)
        ],
    )
    pages = _find(survivals, "pages")
    click.echo("\nPages still there: of those of a snapshot (row), the share that a later one has\n")
    show_table(
        ["", *pages.snapshots[1:]],
        [
            [label, *("" if share is None else f"{100 * share:.1f}%" for share in row[1:])]
            for label, row in zip(pages.snapshots[:-1], pages.shares, strict=False)
        ],
    )
    for survival in survivals:
        click.echo(f"\nBirths and deaths of {survival.what}, per one alive at the start\n")
        show_table(
            [
                "from",
                "to",
                "alive",
                "births",
                "deaths",
                "birth rate",
                "death rate",
                "births/year",
                "deaths/year",
            ],
            [
                [
                    row.start,
                    row.end,
                    row.alive,
                    row.births,
                    row.deaths,
                    f"{row.birth_rate:.3f}",
                    f"{row.death_rate:.3f}",
                    *(
                        "–" if rate is None else f"{rate:.3f}"
                        for rate in (row.births_per_year, row.deaths_per_year)
                    ),
                ]
                for row in survival.turnover
            ],
        )


def _find(survivals: list[Survival], what: str) -> Survival:
    return next(survival for survival in survivals if survival.what == what)


def _show_sizes(sizes: list[SnapshotSize]) -> None:
    click.echo("Snapshots\n")
    show_table(
        ["snapshot", "captures", "WARC", "nodes", "arcs", "graph", "bits/arc"],
        [
            [
                row.snapshot,
                "–" if row.captures is None else row.captures,
                "–" if row.warc_bytes is None else show_bytes(row.warc_bytes),
                row.pages,
                row.arcs,
                show_bytes(row.graph_bits // 8),
                f"{row.bits_per_arc:.2f}",
            ]
            for row in sizes
        ],
    )


def _show_footprint(footprint: list[Footprint]) -> None:
    forward = footprint[0]
    click.echo(
        f"\nUnion: {tell_count(forward.num_nodes, 'node')}, {tell_count(forward.num_arcs, 'arc')}, "
        f"{forward.num_instances:,} link "
        f"instances ({forward.num_instances / max(forward.num_arcs, 1):.2f} an arc)\n"
    )
    show_table(
        ["", *(row.direction for row in footprint)],
        [
            ["graph", *(show_bytes(row.graph_bytes) for row in footprint)],
            ["labels", *(show_bytes(row.label_bytes) for row in footprint)],
            ["pointers into the graph", *(show_bytes(row.pointer_bytes) for row in footprint)],
            ["bits per arc", *(f"{row.bits_per_arc:.3f}" for row in footprint)],
            ["bits per label", *(f"{row.bits_per_label:.3f}" for row in footprint)],
            ["bits per pointer", *(f"{row.bits_per_pointer:.2f}" for row in footprint)],
            ["bits per link instance, all", *(f"{row.bits_per_instance:.3f}" for row in footprint)],
        ],
    )


def _draw(union: StoredUnion, folder: Path) -> list[Path]:
    from webstrata.serve.figures.style import write_figures
    from webstrata.serve.figures.temporal import draw_union

    title = union.collection.title
    text = (
        f"{tell_count(len(union.facts.snapshots), 'snapshot')}, "
        f"{tell_count(union.forward.num_nodes, 'node')}, "
        f"{tell_count(union.forward.num_arcs, 'arc')}, "
        f"{tell_count(union.facts.num_instances, 'link instance')}."
    )
    return write_figures(draw_union(union.facts, title), folder, page="temporal", title=title, text=text)
