"""webstrata summaries show: the summary of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_answered, show_json, show_table
from webstrata.collection.sentences import tell_count
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from webstrata.api import Collection


@click.command("show", epilog="Example: webstrata summaries show uk 2026-06 http://example.org/ --top 20")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.argument("url", metavar="URL")
@click.option(
    "--top", type=click.IntRange(1), metavar="NUMBER", help="Show the terms with the largest counts alone."
)
@json_option
def command(collection: Collection, label: str, url: str, *, top: int | None, as_json: bool) -> None:
    """Show the summary of URL: its length, and its terms with their counts."""
    snapshot = collection[label]
    archive, answer = snapshot.summaries, snapshot.urls.look_up(url)
    if answer is None:
        raise MissingError(
            f"{collection.path} {label}: {url} is not a page of this snapshot; "
            "`webstrata ls` lists what was captured"
        )
    show_answered(url, answer.url, answer.note(url))
    node = answer.node
    summary = archive[node]
    terms = archive.terms
    rows = sorted(
        (
            (terms[number], count, int(terms.df[number]), int(terms.cf[number]))
            for number, count in zip(summary.terms.tolist(), summary.counts.tolist(), strict=True)
        ),
        key=lambda row: (-row[1], row[0]),
    )[:top]
    if as_json:
        found = [dict(zip(("term", "count", "df", "cf"), row, strict=True)) for row in rows]
        show_json(
            {
                "asked": url,
                "url": answer.url,
                "node": node,
                "length": summary.length,
                "size": summary.size,
                "terms": found,
            }
        )
        return
    click.echo(
        f"{answer.url} (node {node}): {tell_count(summary.length, 'word')}, "
        f"{tell_count(summary.size, 'different term')}."
    )
    show_table(["term", "count", "pages", "in all"], rows)
