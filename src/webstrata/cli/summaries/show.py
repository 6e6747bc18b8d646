"""webstrata summaries show: the summary of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, limit_option, snapshot_argument
from webstrata.cli.output import show, show_answered, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb(
    "show",
    renamed={"--top": "--limit"},
    epilog="Example: webstrata summaries show uk 2026-06 http://example.org/ --limit 20",
)
@collection_argument
@snapshot_argument
@click.argument("url", metavar="URL")
@limit_option("terms, those with the largest counts")
@json_option
def command(collection: Collection, label: str, url: str, *, limit: int | None, as_json: bool) -> None:
    """Show the summary of URL: its length, and its terms with their counts."""
    from webstrata.summaries.listing import list_terms

    found = list_terms(collection[label], url, top=limit)
    facts = found.facts
    show_answered(url, facts["url"], facts.pop("note"))
    if as_json:
        show_json(found.to_dict())
        return
    click.echo(
        f"{facts['url']} (node {facts['node']}): {tell_count(facts['length'], 'word')}, "
        f"{tell_count(facts['size'], 'different term')}."
    )
    show(found)
