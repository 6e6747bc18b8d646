"""webstrata align: which pages of snapshots are the same, and one graph of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_json, show_tables
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.temporal.settings import TemporalSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.temporal.union import StoredUnion


@verb("align", epilog="Example: webstrata align uk --snapshots 2026-01..2026-12 --by canonical")
@collection_argument
@options(TemporalSettings)
@json_option
def command(collection: Collection, temporal_options: dict[str, object], *, as_json: bool) -> None:
    """Align the pages of snapshots, and unite their graphs.

    Shows how many hosts and pages every two snapshots have in common, and leaves a graph of all of them in
    the collection, with labels that tell which snapshot has which node and arc. Only graphs and URLs are
    read, and pages where rules are learned.
    """
    from webstrata.pipeline.steps import align_snapshots
    from webstrata.temporal.tables import facts_to_dict, tabulate_facts

    facts = align_snapshots(collection, temporal_options, progress=TerminalProgress()).facts
    counts = collection.parts.record("temporal").counts
    if as_json:
        show_json({"collection": str(collection.path), **facts_to_dict(facts), "counts": dict(counts)})
        return
    show_tables(tabulate_facts(facts))
    click.echo(
        f"\n{collection.path}: the union of {tell_count(counts['snapshots'], 'snapshot')} has "
        f"{tell_count(counts['nodes'], 'node')}, "
        f"{tell_count(counts['arcs'], 'arc')} and {tell_count(counts['instances'], 'link instance')}."
    )


def open_union(collection: Collection) -> StoredUnion:
    """The union of a collection; if a snapshot has changed since, that is said on stderr."""
    state = collection.states().get("/temporal")
    if state is not None and state.is_stale:
        TerminalProgress().note(f"{collection.path}: the union is stale ({state.why}); run `{state.renew}`")
    return collection.temporal
