"""webstrata history: when a page and its links existed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.align import open_union
from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import TerminalProgress, show_answered, show_json, show_table
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.search.history import PageChanges


@click.command("history", epilog="Example: webstrata history uk http://example.uk/a --in")
@collection_argument
@click.argument("url", metavar="URL")
@click.option("--in", "with_inlinks", is_flag=True, help="Show the pages that link to it too.")
@json_option
def command(collection: Collection, url: str, *, with_inlinks: bool, as_json: bool) -> None:
    """Show when a page and each of its links existed.

    It asks the union that `webstrata align` has made. A mark stands for each snapshot, the oldest first.
    Where snapshots have summaries it also shows what search sees: versions, change in each interval split
    into content, in-links and out-links, and words that came and went.
    """
    from webstrata.errors import MissingError
    from webstrata.search.history import has_summaries, page_changes
    from webstrata.temporal.history import draw_label, page_history, show_label

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
        show_changes(changes)
        return
    show_answered(url, found.url)
    if as_json:
        show_json({"asked": url} | found.to_dict() | {"changes": changes.to_dict() if changes else None})
        return
    names, number = found.snapshots, len(found.snapshots)
    click.echo(f"{found.url}: {show_label(found.label, names)}, of {names[0]} to {names[-1]}.")
    for label, urls in found.addresses.items():
        click.echo(f"  in {label} as {', '.join(urls)}")
    if changes is not None:
        show_changes(changes)
    for title, links in (("Links to", found.outlinks), ("Linked from", found.inlinks)):
        if title == "Linked from" and not with_inlinks:
            continue
        click.echo(f"\n{title} {tell_count(len(links), 'page')}")
        if links:
            show_table(
                ["snapshots", "URL", "when"],
                [[draw_label(link.label, number), link.url, show_label(link.label, names)] for link in links],
            )


def show_changes(changes: PageChanges) -> None:
    """Print the versions of a page, and its change in each interval."""
    number = changes.num_versions
    click.echo(f"\nVersions{f': {number}' if number else ''}\n")
    show_table(
        ["snapshot", "version", "words", "in-links", "out-links"],
        [
            [one.snapshot, one.version or "?", one.words, one.inlinks, one.outlinks]
            if one.is_there
            else [one.snapshot, "–", 0, 0, 0]
            for one in changes.versions
        ],
    )
    click.echo("\nChange\n")
    show_table(
        ["interval", "content", "in-links", "out-links", "all"],
        [
            [
                f"{one.before} to {one.after}",
                *(f"{part:.3f}" for part in (one.content, one.inlinks, one.outlinks, one.total)),
            ]
            for one in changes.intervals
        ],
    )
    for one in changes.intervals:
        for sign, words in (("+", one.words_gained), ("-", one.words_lost)):
            if words:
                told = ", ".join(f"{word.word} {word.before}→{word.after}" for word in words)
                click.echo(f"{one.before} to {one.after} {sign} {told}")
