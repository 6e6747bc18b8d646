"""webstrata search: the pages of a collection that have some words, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import at_option, collection_argument, from_option, json_option, options, to_option
from webstrata.cli.output import show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.search.settings import BUILDING, SearchSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.search.hits import Hit, Hits

_SCORING = [name for name in SearchSettings.__dataclass_fields__ if name not in BUILDING]


@verb("pages", epilog='Example: webstrata search uk "tropical fish" --at 2026-06')
@collection_argument
@click.argument("query")
@at_option("Search the last snapshot at or before this date. [all snapshots]")
@from_option("Leave out snapshots before this date.")
@to_option("Leave out snapshots after this date.")
@click.option("--host", metavar="HOST", help="Pages of this host, or of this domain and all hosts below it.")
@click.option(
    "--partition",
    type=click.Choice(["documents", "terms", "tiers"]),
    help="Ask this partition of the index, its parts in processes of their own.",
)
@click.option("--complete", is_flag=True, help="List words that begin as QUERY does, instead of pages.")
@options(SearchSettings, only=_SCORING)
@json_option
def command(
    collection: Collection,
    query: str,
    at: str | None,
    start: str | None,
    end: str | None,
    host: str | None,
    partition: str | None,
    search_options: dict[str, object],
    *,
    complete: bool,
    as_json: bool,
) -> None:
    r"""Find pages of COLLECTION by their words.

    QUERY is some words; "words in quotes" stand one after the other, +word must be there and -word must not,
    AND, OR, NOT and parentheses combine them, trop* is any word that begins so, title:word looks in one
    field, site:example.org in one host or domain. Pages that have node.js or CVE-2023-25194 as it is typed
    come before pages with its parts.
    """
    from webstrata.search.distributed.brokers import search_through
    from webstrata.search.index import TextIndex

    index = TextIndex.open(collection)
    settings = collection.settings(SearchSettings, search_options)
    if complete:
        words = index.complete(query, settings.limit)
        if as_json:
            show_json({"start": query, "words": words})
        else:
            click.echo("\n".join(words))
        return
    hits = search_through(
        index, query, search_options, at=at, since=start, until=end, host=host, partition=partition
    )
    if as_json:
        _, links = index.factors(hits.mask, settings.link_weight)
        show_json({
            "collection": str(collection.path),
            "query": query,
            "snapshots": [label for number, label in enumerate(index.snapshots) if hits.mask & 1 << number],
            "links": links,
            "understood": hits.explain(),
            "hits": [hit._asdict() for hit in hits],
        })  # fmt: skip
        return
    _show(hits)


def _show(hits: Hits) -> None:
    bold = ("\x1b[1m", "\x1b[0m")  # click removes them where there are no colours
    for hit in hits.rows(marks=bold):
        click.echo(f"{hit.rank:2}. {hit.title or '(no title)'}")
        click.echo(f"    {hit.url}")
        click.echo(f"    {hit.snippet}")
        click.echo(f"    {_explain(hit)}\n")
    if not len(hits):
        click.echo("No page was found. The query was understood as:")
        for word in hits.explain():
            click.echo(f"    {_describe(word)}")


def _describe(word: dict[str, Any]) -> str:
    """One word of a query as it was understood."""
    told = f"{word['text']}: {' + '.join(word['terms'])}"
    where = f" in the field {word['field']}" if word["field"] else ""
    unknown = f"; no page has {', '.join(word['unknown'])}" if word["unknown"] else ""
    return f"{told}{where}{unknown}"


def _explain(hit: Hit) -> str:
    dates = hit.snapshots
    when = dates[0] if len(dates) == 1 else f"{dates[0]} … {dates[-1]} ({tell_count(len(dates), 'snapshot')})"
    folded = f", {hit.folded} more like it" if hit.folded else ""
    return f"{when}, score {hit.score:.3f} = BM25F {hit.text_score:.3f} × links {hit.link_factor:.3f}{folded}"
