"""webstrata check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_json, show_lines
from webstrata.cli.verb import verb
from webstrata.collection.check import check_collection
from webstrata.collection.sentences import tell_count
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import Cancelled, FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection


@verb("check", epilog="Example: webstrata check uk --json")
@collection_argument
@click.option(
    "--repair", is_flag=True, help="Make damaged manifests again from the parts; the damaged ones are kept."
)
@click.option(
    "--fixity",
    is_flag=True,
    help="Compare the digests of every record of the stored WARC files with its bytes, not checksums.",
)
@options(ResourcesSettings)
@json_option
def command(
    collection: Collection,
    resources_options: Mapping[str, object],
    *,
    repair: bool,
    fixity: bool,
    as_json: bool,
) -> None:
    """Verify every file of COLLECTION, and name what is damaged.

    Compares the checksums that were taken when each part was built, or with --fixity the digests of WARC
    records. Ends with 2 where something is damaged.
    """
    settings = collection.settings(ResourcesSettings, resources_options)
    if fixity:
        if repair:
            raise UsageError("--fixity verifies WARC records and --repair mends manifests; choose one")
        _check_fixity(collection, settings, as_json=as_json)
        return
    result = check_collection(collection, settings, repair=repair, progress=TerminalProgress())
    if as_json:
        show_json(result)
    else:
        show_lines(result.lines)
        if not result.damage:
            click.echo(f"{collection.path} {result.summary}.")
    if result.damage:
        raise FormatError(f"{collection.path}: {result.summary}; see above for what to do")


def _check_fixity(collection: Collection, settings: ResourcesSettings, *, as_json: bool) -> None:
    from webstrata.archive.fixity import check_fixity

    try:
        result = check_fixity(collection, workers=settings.num_workers, progress=TerminalProgress())
    except KeyboardInterrupt:
        raise Cancelled("interrupted; nothing was changed") from None
    if as_json:
        show_json(result)
    else:
        show_lines(result.lines)
        click.echo(f"{collection.path}: {result.summary}.")
    if damaged := result.damaged_files:
        raise FormatError(
            f"{collection.path}: {tell_count(len(damaged), 'WARC file')} damaged ({', '.join(damaged[:5])}); "
            f"restore from a backup, or ingest the source again"
        )
