"""webstrata new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import complete_snapshots, new_collection_argument
from webstrata.cli.verb import verb
from webstrata.collection.files import explained
from webstrata.collection.snapshot_dates import check_date

if TYPE_CHECKING:
    from pathlib import Path


@verb("new", epilog="Example: webstrata new uk 2026-05 2026-06 --title 'United Kingdom'")
@new_collection_argument
@click.argument("labels", metavar="[SNAPSHOT]...", nargs=-1, shell_complete=complete_snapshots)
@click.option("--title", default="", help="What the collection is called in reports.")
def command(path: Path, labels: tuple[str, ...], title: str) -> None:
    """Create COLLECTION, or add snapshots to it.

    A snapshot is named by its date: 2026, 2026-06, 2026-06-12 or 2026-06-12T1830. Stages that make a snapshot
    add it by themselves.
    """
    from webstrata.collection.collection import Collection  # without the verbs of the API, which load more

    for label in labels:
        check_date(label)
    with explained(path, "read"):
        is_there = (path / "collection.toml").exists()
    if labels and is_there and not title:
        collection = Collection.open(path)
    else:
        collection = Collection.create(path, title=title)
        click.echo(f"Created {path}; its settings are in {path / 'collection.toml'}.")
    for label in labels:
        there = label in collection
        collection.add(label)
        click.echo(f"Snapshot {label} {'is there already' if there else 'added'}.")
