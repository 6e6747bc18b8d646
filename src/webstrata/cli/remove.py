"""webstrata remove."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import complete_snapshots, json_option, new_collection_argument
from webstrata.cli.output import TerminalProgress, confirm, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from pathlib import Path


@verb("remove", epilog="Example: webstrata remove uk 2026-06 --yes")
@new_collection_argument
@click.argument("snapshot", metavar="[SNAPSHOT]", required=False, shell_complete=complete_snapshots)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
def command(path: Path, snapshot: str | None, *, yes: bool, as_json: bool) -> None:
    """Remove SNAPSHOT of COLLECTION, or the whole collection.

    Payloads that captures of other snapshots refer to are moved into the oldest of these first. If the
    command is killed, run it again to complete the removal.
    """
    from webstrata import api
    from webstrata.pipeline import life

    if snapshot is None and life.finish_removal(path):
        removal = life.Removal(str(path))
    else:
        collection = api.open(path)
        if not yes:
            what = (
                f"snapshot {snapshot} of {path}"
                if snapshot
                else f"{path} with {tell_count(len(collection), 'snapshot')}"
            )
            confirm(f"Remove {what} for good?", f"this removes {what}")
        progress = TerminalProgress()
        if snapshot is None:
            removal = life.remove_collection(collection, progress=progress)
        else:
            removal = life.remove_snapshot(collection, snapshot, progress=progress)
    if as_json:
        document = {"removed": removal.removed, "moved": removal.moved, "stale": list(removal.stale)}
        show_json({"collection": str(path), **document})
        return
    click.echo(f"Removed {removal.removed}.")
    for label, number in removal.moved.items():
        click.echo(f"Moved {number:,} payloads to {label}.")
    if removal.stale:
        click.echo(f"Stale now: {', '.join(removal.stale)}; run `webstrata run {path}` to build them again.")
