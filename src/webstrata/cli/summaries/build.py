"""webstrata summaries build: count the terms of a snapshot's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("build", epilog="Example: webstrata summaries build uk 2026-06 --stemmer snowball:de --stop-words none")
@collection_argument
@snapshot_argument
@options(SummariesSettings)
@json_option
def command(
    collection: Collection, label: str, summaries_options: dict[str, object], *, as_json: bool
) -> None:
    """Count the terms of SNAPSHOT's pages, and compress the counts.

    Words of the stored text are stemmed; stop words and terms in few pages are left out.
    """
    from webstrata.pipeline.build import choose_settings, remember_settings
    from webstrata.summaries.build import build_summaries

    snapshot = collection[label]
    progress = TerminalProgress()
    settings = choose_settings(snapshot, "summaries", summaries_options, progress=progress)
    build_summaries(snapshot, settings, progress=progress)
    remember_settings(snapshot, "summaries", summaries_options)
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
