"""webstrata summaries build: count the terms of a snapshot's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.collection.sentences import tell_count
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from webstrata.api import Collection


@click.command(
    "build", epilog="Example: webstrata summaries build uk 2026-06 --stemmer snowball:de --stop-words none"
)
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@options(SummariesSettings)
@json_option
def command(
    collection: Collection, label: str, summaries_options: dict[str, object], *, as_json: bool
) -> None:
    """Count the terms of SNAPSHOT's pages, and compress the counts.

    Words of the stored text are stemmed; stop words and terms in few pages are left out.
    """
    from webstrata.summaries.build import build_summaries

    snapshot = collection[label]
    settings = snapshot.settings(SummariesSettings, summaries_options)
    build_summaries(snapshot, settings, progress=TerminalProgress())
    archive = snapshot.summaries
    sizes = archive.sizes()
    needed = sum(sizes.values()) - sizes["terms.parquet"]
    per_page = needed / max(archive.num_summaries, 1)
    if as_json:
        show_json(
            {
                "collection": str(collection.path),
                "snapshot": label,
                "nodes": len(archive),
                "summaries": archive.num_summaries,
                "terms": len(archive.terms),
                "postings": archive.num_postings,
                "bytes": needed,
                "bytes_per_page": round(per_page, 2),
                "dictionary_bytes": sizes["terms.parquet"],
            }
        )
    else:
        click.echo(
            f"{collection.path} {label}: {tell_count(archive.num_summaries, 'summary', 'summaries')}, "
            f"{tell_count(len(archive.terms), 'term')}, "
            f"{tell_count(archive.num_postings, 'count')}, {per_page:.1f} bytes a page."
        )
