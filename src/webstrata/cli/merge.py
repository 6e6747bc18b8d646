"""webstrata merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, complete_collections, json_option, snapshots_argument
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("merge", epilog="Example: webstrata merge uk uk-2027 2027-01..2027-06")
@collection_argument
@click.argument("other", metavar="OTHER", shell_complete=complete_collections)
@snapshots_argument
@json_option
def command(collection: Collection, other: str, snapshots: tuple[str, ...], *, as_json: bool) -> None:
    """Copy snapshots of OTHER, a collection, into COLLECTION.

    All of them, or those named by dates and ranges. OTHER stays as it is. Payloads that copied captures refer
    to are copied too. A date that COLLECTION has already is refused.
    """
    from webstrata import api

    copied = collection.merge(api.open(other), snapshots, progress=TerminalProgress())
    if as_json:
        show_json({"collection": str(collection.path), "other": other, "snapshots": copied})
        return
    show(copied)
