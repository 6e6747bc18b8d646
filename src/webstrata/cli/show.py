"""webstrata show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, complete_snapshots, json_option
from webstrata.cli.output import show, show_hints, show_json
from webstrata.cli.verb import verb
from webstrata.collection.description import describe_collection
from webstrata.collection.manifest import repair_error
from webstrata.errors import FormatError, UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.collection.description import Description


@verb("show", epilog="Example: webstrata show uk --json")
@collection_argument
@click.argument("snapshot", required=False, metavar="[SNAPSHOT]", shell_complete=complete_snapshots)
@click.option(
    "--page-lists",
    is_flag=True,
    help="List the pages that the WACZ files of SNAPSHOT list, instead of parts.",
)
@json_option
def command(collection: Collection, snapshot: str | None, *, page_lists: bool, as_json: bool) -> None:
    """Show what COLLECTION holds, and what is stale.

    With SNAPSHOT, only that one. A part is stale when something it was made from has changed; the command
    that renews it is shown.
    """
    if page_lists:
        if snapshot is None:
            raise UsageError("--page-lists needs a snapshot; write its date after the collection")
        _show_page_lists(collection, snapshot, as_json=as_json)
        return
    found = describe_collection(collection, snapshot)
    if as_json:
        show_json(found)
    else:
        _show_text(found)
    damaged = [
        repair_error(holder.parts.manifest, str(collection.path)).explain()
        for holder in [collection, *collection]
        if holder.parts.manifest.damage
    ]
    if damaged:
        raise FormatError("; ".join(damaged))


def _show_page_lists(collection: Collection, label: str, *, as_json: bool) -> None:
    found = collection[label].packages
    if as_json:
        show_json([{"file": page.file, "list": page.list, **page.fields} for page in found.iter_pages()])
    else:
        show(found)


def _show_text(found: Description) -> None:
    click.echo(found.summary)
    if found.rows:
        click.echo()
        show(found)
    if found.empty:
        click.echo(f"\nNothing built yet: {', '.join(found.empty)}")
    show_hints(found.hints)
