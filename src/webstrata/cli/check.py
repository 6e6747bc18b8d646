"""webstrata check."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_bytes, show_json
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
        show_json(asdict(result))
    else:
        for finding in result.notes:
            click.echo(f"note: {finding.where}: {finding.problem}; {finding.remedy}")
        for finding in result.damage:
            click.echo(f"damaged: {finding.where}: {finding.problem}; {finding.remedy}")
        if not result.damage:
            size = show_bytes(result.bytes)
            click.echo(
                f"{collection.path} is sound: {tell_count(result.parts, 'part')}, "
                f"{tell_count(result.files, 'file')}, {size}."
            )
    if result.damage:
        places = sorted({finding.where for finding in result.damage})
        raise FormatError(
            f"{collection.path}: {len(places)} damaged ({', '.join(places)}); see above for what to do"
        )


def _check_fixity(collection: Collection, settings: ResourcesSettings, *, as_json: bool) -> None:
    from webstrata.archive.fixity import check_fixity

    try:
        result = check_fixity(collection, workers=settings.num_workers, progress=TerminalProgress())
    except KeyboardInterrupt:
        raise Cancelled("interrupted; nothing was changed") from None
    if as_json:
        show_json(result.to_dict())
    else:
        for each in result.known:
            click.echo(f"note: known since the ingest: {each}")
        for found in (*result.mismatches, *result.damage):
            click.echo(f"damaged: {found}")
        click.echo(
            f"{collection.path}: {tell_count(result.digests, 'digest')} of "
            f"{tell_count(result.records, 'record')} in {tell_count(result.files, 'WARC file')} compared, "
            f"{tell_count(len(result.mismatches) + len(result.damage), 'new finding')}, "
            f"{len(result.known):,} known since the ingest, "
            f"{tell_count(result.unknown, 'digest')} of unknown algorithms."
        )
    if result.mismatches or result.damage:
        places = sorted({each.file for each in result.mismatches} | {each.file for each in result.damage})
        raise FormatError(
            f"{collection.path}: {tell_count(len(places), 'WARC file')} damaged ({', '.join(places[:5])}); "
            f"restore from a backup, or ingest the source again"
        )
