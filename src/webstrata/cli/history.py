"""webstrata history: when a page and its links existed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.align import open_union
from webstrata.cli.options import check_url, collection_argument, json_option
from webstrata.cli.output import TerminalProgress, show, show_answered, show_json
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("history", epilog="Example: webstrata history uk http://example.uk/a --in")
@collection_argument
@click.argument("url", metavar="URL")
@click.option(
    "--in", "--with-inlinks", "with_inlinks", is_flag=True, help="Show the pages that link to it too."
)
@json_option
def command(collection: Collection, url: str, *, with_inlinks: bool, as_json: bool) -> None:
    """Show when a page and each of its links existed.

    URL may also be the bare name of a host, which stands for its home page. The union that `webstrata align`
    has made is asked. A mark stands for each snapshot, the oldest first.
    Where snapshots have summaries it also shows what search sees: versions, change in each interval split
    into content, in-links and out-links, and words that came and went.
    """
    from webstrata.errors import MissingError
    from webstrata.search.history import has_summaries, page_changes
    from webstrata.temporal.history import complete_url, page_history

    url = complete_url(url)
    check_url(url)
    union = open_union(collection)
    changes = page_changes(union, url, progress=TerminalProgress()) if has_summaries(union) else None
    try:
        found = page_history(union, url, with_inlinks=with_inlinks)
    except MissingError as error:
        if changes is None:
            raise
        if as_json:
            show_json({"url": url, "snapshots": None, "changes": changes.to_dict()})
            return
        click.echo(f"{str(error).partition(';')[0]}. Its captures under this very URL:")
        show(changes)
        return
    show_answered(url, found.url)
    if as_json:
        show_json({"asked": url} | found.to_dict() | {"changes": changes.to_dict() if changes else None})
        return
    click.echo(f"{found.url}: {found.summary}\n")
    if changes is not None:
        show(changes)
        click.echo()
    show(found)
