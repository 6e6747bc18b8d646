"""webstrata index: a text index of the pages of all snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_bytes, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.search.settings import BUILDING, SearchSettings

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("index", epilog="Example: webstrata index uk --snapshots 2026-05,2026-06")
@collection_argument
@click.option(
    "--partition",
    type=click.Choice(["documents", "terms", "tiers"]),
    help="Divide the index too: by the hash of URLs, by terms, or by the links to pages.",
)
@click.option("--parts", type=click.IntRange(1, 1024), hidden=True, help="The former name of --servers.")
@options(SearchSettings, only=BUILDING)
@json_option
def command(
    collection: Collection,
    partition: str | None,
    parts: int | None,
    search_options: dict[str, object],
    *,
    as_json: bool,
) -> None:
    """Build the text index of COLLECTION, or add new snapshots to it.

    Every version of a page is one document, with a label of the snapshots that have it; what did not change
    is not indexed again. Words come from stored text and links alone.
    """
    from webstrata.pipeline.steps import index_snapshots
    from webstrata.search.files import PART

    if parts is not None:
        search_options = {**search_options, "servers": parts}
    progress = TerminalProgress()
    index = index_snapshots(collection, search_options, partition=partition, progress=progress)
    record = collection.parts.record(PART)
    if as_json:
        show_json({
            "collection": str(collection.path),
            "snapshots": index.snapshots,
            "counts": dict(record.counts),
            "bytes": record.bytes,
        })  # fmt: skip
        return
    counts = record.counts
    if partition is not None:
        servers = collection.settings(SearchSettings, search_options).servers
        click.echo(f"{collection.path}: divided by {partition} for {tell_count(servers, 'server')}.")
    click.echo(
        f"{collection.path}: {tell_count(counts['documents'], 'document')} for "
        f"{tell_count(counts['pages'], 'page')} of "
        f"{tell_count(counts['snapshots'], 'snapshot')}, {counts['new']:,} of them new, in "
        f"{tell_count(counts['segments'], 'segment')} "
        f"and {show_bytes(record.bytes)}."
    )
