"""webstrata check."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import TerminalProgress, show_bytes, show_json
from webstrata.collection.check import check_collection
from webstrata.collection.sentences import tell_count
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.api import Collection


@click.command("check", epilog="Example: webstrata check uk --json")
@collection_argument
@click.option(
    "--repair", is_flag=True, help="Make damaged manifests again from the parts; the damaged ones are kept."
)
@options(ResourcesSettings)
@json_option
def command(
    collection: Collection, resources_options: Mapping[str, object], *, repair: bool, as_json: bool
) -> None:
    """Verify every file of COLLECTION, and name what is damaged.

    Compares the checksums that were taken when each part was built. Ends with 2 where something is damaged.
    """
    settings = collection.settings(ResourcesSettings, resources_options)
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
