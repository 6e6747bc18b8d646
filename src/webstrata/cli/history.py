"""webstrata history: when a page and its links existed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.align import open_union
from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_json, show_table

if TYPE_CHECKING:
    from webstrata.api import Collection


@click.command("history", epilog="Example: webstrata history uk http://example.uk/a --in")
@collection_argument
@click.argument("url", metavar="URL")
@click.option("--in", "with_inlinks", is_flag=True, help="Show the pages that link to it too.")
@json_option
def command(collection: Collection, url: str, *, with_inlinks: bool, as_json: bool) -> None:
    """Show when a page and each of its links existed.

    It asks the union that `webstrata align` has made. A mark stands for each snapshot, the oldest first.
    """
    from webstrata.temporal.history import draw_label, page_history, show_label

    found = page_history(open_union(collection), url, with_inlinks=with_inlinks)
    if as_json:
        show_json(found.to_dict())
        return
    names, number = found.snapshots, len(found.snapshots)
    click.echo(f"{found.url}: {show_label(found.label, names)}, of {names[0]} to {names[-1]}.")
    for label, urls in found.addresses.items():
        click.echo(f"  in {label} as {', '.join(urls)}")
    for title, links in (("Links to", found.outlinks), ("Linked from", found.inlinks)):
        if title == "Linked from" and not with_inlinks:
            continue
        click.echo(f"\n{title} {len(links)} page{'' if len(links) == 1 else 's'}")
        if links:
            show_table(
                ["snapshots", "URL", "when"],
                [[draw_label(link.label, number), link.url, show_label(link.label, names)] for link in links],
            )
