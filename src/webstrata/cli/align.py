"""webstrata align: which pages of snapshots are the same, and one graph of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_json, show_table
from webstrata.collection.sentences import tell_count
from webstrata.temporal.settings import TemporalSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.temporal.union import StoredUnion, UnionFacts

SHOWN_RULES = 20


@click.command("align", epilog="Example: webstrata align uk --snapshots 2026-01..2026-12 --by canonical")
@collection_argument
@click.option(
    "--snapshots",
    default="",
    metavar="LABELS",
    help="Labels and ranges with commas between them, as 2026-01..2026-06,2026-09; all if not told.",
)
@options(TemporalSettings)
@json_option
def command(
    collection: Collection, snapshots: str, temporal_options: dict[str, object], *, as_json: bool
) -> None:
    """Align the pages of snapshots, and unite their graphs.

    Shows how many hosts and pages every two snapshots have in common, and leaves a graph of all of them in
    the collection, with labels that tell which snapshot has which node and arc. Only graphs and URLs are
    read, and pages where rules are learned.
    """
    from webstrata.temporal.align import choose_snapshots
    from webstrata.temporal.build import build_union

    chosen = choose_snapshots(collection, snapshots)
    settings = collection.settings(TemporalSettings, temporal_options)
    facts = build_union(collection, chosen, settings, progress=TerminalProgress())
    counts = collection.parts.record("temporal").counts
    if as_json:
        show_json({"collection": str(collection.path), **facts_to_json(facts), "counts": dict(counts)})
        return
    show_overlaps(facts)
    show_rules(facts)
    click.echo(
        f"\n{collection.path}: the union of {tell_count(counts['snapshots'], 'snapshot')} has "
        f"{tell_count(counts['nodes'], 'node')}, "
        f"{tell_count(counts['arcs'], 'arc')} and {tell_count(counts['instances'], 'link instance')}."
    )


def open_union(collection: Collection) -> StoredUnion:
    """The union of a collection; if a snapshot has changed since, that is said on stderr."""
    state = collection.states().get("/temporal")
    if state is not None and state.stale:
        TerminalProgress().note(
            f"{collection.path}: the union was made before {', '.join(state.stale)} changed; `{state.renew}` "
            "makes it anew"
        )
    return collection.temporal


def facts_to_json(facts: UnionFacts) -> dict[str, object]:
    """What a union was made of, and its overlap tables."""
    return {
        "snapshots": facts.snapshots,
        "by": facts.by,
        "rules": facts.rules,
        "pages": facts.pages,
        "aligned": facts.aligned,
        "hosts": facts.hosts,
        "urls": facts.urls,
    }


def show_overlaps(facts: UnionFacts) -> None:
    """Print the tables of hosts and of URLs that every two snapshots have in common."""
    for title, common in (
        ("Hosts in common", facts.hosts),
        (f"URLs in common, aligned by {facts.by}", facts.urls),
    ):
        click.echo(f"{title}\n")
        _show_triangle(facts.snapshots, common)
        click.echo()
    rows = [
        [label, pages, aligned, f"{100 * aligned / max(pages, 1):.1f}%", aligned - facts.urls[number][number]]
        for number, (label, pages, aligned) in enumerate(
            zip(facts.snapshots, facts.pages, facts.aligned, strict=True)
        )
    ]
    show_table(["snapshot", "pages", "aligned", "share", "put together"], rows)


def show_rules(facts: UnionFacts) -> None:
    """Print the rules that were learned, those with most support first."""
    if facts.by != "learned":
        return
    if not facts.rules:
        click.echo("\nNo rule was learned.")
        return
    click.echo(f"\nRules learned (--refused-rules 'HOST NAME' takes one back): {len(facts.rules)}\n")
    # a union of an earlier version has rules of single hosts alone, which do not say so
    known = [{"hosts": 1, **rule} for rule in facts.rules]
    rules = sorted(known, key=lambda rule: (-rule["support"], rule["host"], rule["name"]))
    show_table(
        ["host", "kind", "name", "support", "across snapshots", "hosts", "precision"],
        [
            [
                rule["host"],
                rule["kind"],
                rule["name"],
                rule["support"],
                rule["across"],
                rule["hosts"],
                f"{rule['precision']:.3f}",
            ]
            for rule in rules[:SHOWN_RULES]
        ],
    )


def _show_triangle(labels: Sequence[str], common: Sequence[Sequence[int]]) -> None:
    # a column of numbers with blanks above it would stand to the left in a table
    texts = [
        [label, *[""] * number, *(f"{count:,}".replace(",", " ") for count in common[number][number:])]
        for number, label in enumerate(labels)
    ]
    widths = [max(map(len, column)) for column in zip(["", *labels], *texts, strict=True)]
    for line in [["", *labels], *texts]:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        click.echo("  ".join([line[0].ljust(widths[0]), *cells[1:]]).rstrip())
