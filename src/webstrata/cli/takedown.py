"""webstrata takedown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import TerminalProgress, confirm, show, show_json
from webstrata.cli.verb import verb
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb(
    "takedown",
    epilog="Example: webstrata takedown uk https://example.uk/private/ --reason 'request of the owner'",
)
@collection_argument
@click.argument("what", metavar="[URL|HOST|PREFIX]", required=False)
@click.option("--reason", default="", metavar="TEXT", help="Why; it is recorded, and shown to readers.")
@click.option("--lift", "is_lifted", is_flag=True, help="Show it again.")
@click.option("--erase", "is_erased", is_flag=True, help="Also rewrite WARC files and all parts without it.")
@click.option("--yes", is_flag=True, help="With --erase: do not ask for confirmation.")
@click.option("--list", "is_listed", is_flag=True, help="List all takedowns, lifted ones too.")
@json_option
def command(
    collection: Collection,
    what: str | None,
    reason: str,
    *,
    is_lifted: bool,
    is_erased: bool,
    yes: bool,
    is_listed: bool,
    as_json: bool,
) -> None:
    """Hide a URL, host or prefix of COLLECTION from all readers, or erase it.

    A URL stands for one page, with http and https, with and without www. A URL that ends in / or * stands for
    everything whose URL begins so, a name without a scheme for a whole host. Stored data is not changed,
    and --lift shows it again, unless --erase is given.
    """
    if is_listed or what is None:
        if what or reason or is_lifted or is_erased:
            raise UsageError("--list shows all takedowns; leave out the URL and the other options")
        if not is_listed:
            raise UsageError("name a URL, a host or a prefix, or add --list to list what is taken down")
        found = collection.takedowns
        if as_json:
            log = [each.to_dict() for each in found]
            show_json({"collection": str(collection.path), "takedowns": log})
        else:
            show(found)
        return
    if is_erased and not is_lifted and not yes:
        confirm(f"Erase {what} of {collection.path} for good?", f"this erases {what} of {collection.path}")
    made = collection.takedown(
        what, reason=reason, lift=is_lifted, erase=is_erased, progress=TerminalProgress()
    )
    if as_json:
        show_json({"collection": str(collection.path), "takedowns": [made.to_dict()]})
    elif is_lifted:
        click.echo(f"Lifted the takedown of {what}.")
    elif is_erased:
        click.echo(f"Erased {what} ({made.rule.kind}).")
    else:
        click.echo(f"Took down {what} ({made.rule.kind}).")
