"""webstrata crawl retry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, snapshot_argument
from webstrata.cli.output import show, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("retry", epilog="Example: webstrata crawl retry uk 2026-06 --class dns")
@collection_argument
@snapshot_argument
@click.argument("hosts", metavar="[HOST…]", nargs=-1)
@click.option(
    "--class",
    "classes",
    multiple=True,
    metavar="NAME",
    help="Those given up for this: dns, connect, tls, timeout, protocol, unavailable, robots or gate.",
)
@click.option("--list", "is_list", is_flag=True, help="Only list what was given up.")
@json_option
def command(
    collection: Collection,
    label: str,
    hosts: tuple[str, ...],
    classes: tuple[str, ...],
    *,
    is_list: bool,
    as_json: bool,
) -> None:
    """Let a crawl ask again what it has given up.

    The hosts, those of a class, or all are taken back, and with them the URLs of other hosts that failed each
    time; the next `webstrata crawl` of the snapshot fetches them. The crawl must not be running.
    """
    found = collection[label].crawl_retry(*hosts, classes=classes, list=is_list)
    if as_json:
        show_json([host.to_dict() for host in found])
        return
    if found:
        show(found)
    words = f"{collection.word} {label}"
    if is_list:
        click.echo(f"{tell_count(len(found), 'host was', 'hosts were')} given up.")
    else:
        click.echo(
            f"{tell_count(len(found), 'host was', 'hosts were')} taken back; "
            f"`webstrata crawl {words}` asks again."
        )
