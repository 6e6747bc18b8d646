"""webstrata rename."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, complete_snapshots
from webstrata.cli.output import TerminalProgress
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("rename", epilog="Example: webstrata rename uk 2026-06 2026-06-01")
@collection_argument
@click.argument("snapshot", metavar="SNAPSHOT", shell_complete=complete_snapshots)
@click.argument("new", metavar="NEW")
def command(collection: Collection, snapshot: str, new: str) -> None:
    """Rename SNAPSHOT of COLLECTION to NEW, another date.

    Parts of snapshots stay fresh. If the command is killed, run it again to complete the rename.
    """
    from webstrata.pipeline.life import list_stale, rename_snapshot

    rename_snapshot(collection, snapshot, new, progress=TerminalProgress())
    click.echo(f"Renamed {snapshot} to {new}.")
    if stale := list_stale(collection):
        click.echo(
            f"Stale now: {', '.join(stale)}; run `webstrata run {collection.path}` to build them again."
        )
