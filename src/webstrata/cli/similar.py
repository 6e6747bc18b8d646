"""webstrata similar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    at_option,
    collection_argument,
    json_option,
    limit_option,
    page_argument,
    split_page,
)
from webstrata.cli.output import show, show_answered, show_json
from webstrata.cli.verb import verb
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb(
    "similar",
    renamed={"--top": "--limit"},
    epilog="Example: webstrata similar uk 2026-06 http://example.uk/a --limit 5",
)
@collection_argument
@page_argument
@at_option("Look in the last snapshot with the page at or before this date. [the last one]")
@limit_option("pages", 10)
@json_option
def command(
    collection: Collection, words: tuple[str, ...], at: str | None, limit: int, *, as_json: bool
) -> None:
    """List the pages most similar to URL, the most similar first.

    The similarity is the cosine of word counts, from 0 to 1. It is computed for the pages whose simhashes
    differ in the fewest bits: near-duplicates differ in a few of 64, unrelated pages in about 32.
    """
    from webstrata.store.duplicates.similar import find_similar

    snapshot, url = split_page(words)
    if snapshot is not None and at is not None:
        raise UsageError("SNAPSHOT and --at both say when; leave one of them out")
    found = find_similar(collection, url, snapshot=snapshot, at=at, top=limit)
    note = found.facts.pop("note")
    show_answered(url, found.facts["url"], note)
    if as_json:
        show_json(found.to_dict())
        return
    click.echo(f"{collection.path} {found.facts['snapshot']}: pages like {found.facts['url']}")
    show(found)
