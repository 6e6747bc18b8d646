"""webstrata show."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import collection_argument, complete_snapshots, json_option
from webstrata.cli.output import show_bytes, show_json, show_table
from webstrata.cli.verb import verb
from webstrata.collection.description import describe_collection
from webstrata.collection.manifest import repair_error
from webstrata.collection.sentences import tell_count, tell_plural
from webstrata.errors import FormatError, MissingError, UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection


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
    document = describe_collection(collection, snapshot).to_dict()
    if as_json:
        show_json(document)
    else:
        _show_text(document)
    damaged = [
        repair_error(holder.parts.manifest, str(collection.path)).explain()
        for holder in [collection, *collection]
        if holder.parts.manifest.damage
    ]
    if damaged:
        raise FormatError("; ".join(damaged))


def _show_page_lists(collection: Collection, label: str, *, as_json: bool) -> None:
    snapshot = collection[label]
    if "packages" not in snapshot.parts:
        raise MissingError(
            f"{snapshot.path}: no page lists; only snapshots ingested from WACZ files have them"
        )
    pages = snapshot.packages.iter_pages()
    if as_json:
        show_json([{"file": page.file, "list": page.list, **page.fields} for page in pages])
        return
    show_table(
        ["file", "list", "time", "url", "title"],
        [(page.file, page.list.removeprefix("pages/"), page.time, page.url, page.title) for page in pages],
    )


def _show_text(document: dict[str, Any]) -> None:
    snapshots = document["snapshots"]
    click.echo(f"{document['title']} ({document['path']}): {tell_count(len(snapshots), 'snapshot')}")
    holders = [("", document["parts"]), *((snapshot["date"], snapshot["parts"]) for snapshot in snapshots)]
    rows = [
        (
            label or "(all)",
            part["name"],
            part["state"],
            show_bytes(part["bytes"]),
            f"{part['built']:%Y-%m-%d %H:%M}",
            ", ".join(tell_plural(number, name) for name, number in part.get("counts", {}).items()),
        )
        for label, parts in holders
        for part in parts
    ]
    if rows:
        click.echo()
        show_table(["snapshot", "part", "state", "size", "built", "holds"], rows)
    empty = [label for label, parts in holders[1:] if not parts]
    if empty:
        click.echo(f"\nNothing built yet: {', '.join(empty)}")
    for label, parts in holders:
        for part in parts:
            if part["state"] == "stale":
                renew = f"; renew it with `{part['renew']}`" if part["renew"] else "; build it again"
                click.echo(f"{label}/{part['name']} is stale: {part['why']}{renew}")
    for label, parts in holders:
        if any(_is_folded(part) for part in parts):
            place = shlex.quote(document["path"])
            click.echo(
                f"{label}/pages follows the rule of 0.1.0: pages with equal fingerprints are one node, and "
                f"pages marked noindex are none; `webstrata store {place} {label} --renumber` makes every "
                f"URL a node"
            )
    if not snapshots:
        click.echo(f"Add a snapshot with `webstrata new {shlex.quote(document['path'])} 2026-06`.")


def _is_folded(part: dict[str, Any]) -> bool:
    """Whether these are pages that webstrata 0.1.0 numbered; a table of links has no such rule."""
    counts = part.get("counts", {})
    return part["name"] == "pages" and "noindex" not in counts and counts.get("nodes", 0) > 0
