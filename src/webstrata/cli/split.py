"""webstrata split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, snapshots_argument
from webstrata.cli.output import TerminalProgress
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("split", epilog="Example: webstrata split uk uk-gov 2026-01..2026-06 --host gov.uk")
@collection_argument
@click.argument("new", metavar="NEW")
@snapshots_argument
@click.option(
    "--host", "hosts", multiple=True, metavar="HOST", help="Keep this host and those below it only."
)
@click.option("--title", default="", help="Title of NEW. [that of COLLECTION]")
def command(
    collection: Collection, new: str, snapshots: tuple[str, ...], hosts: tuple[str, ...], title: str
) -> None:
    """Create NEW, a collection with some snapshots or hosts of COLLECTION.

    COLLECTION stays as it is. Payloads that copied captures refer to are copied too.
    """
    made = collection.split(new, snapshots, hosts=hosts, title=title, progress=TerminalProgress())
    for snapshot in made:
        counts = snapshot.parts.record("pages").counts
        click.echo(f"{made.path} {snapshot.date}: {tell_count(counts['nodes'], 'page')}.")
