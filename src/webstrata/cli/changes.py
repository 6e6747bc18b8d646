"""webstrata changes: what happened about something between two snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    at_option,
    collection_argument,
    from_option,
    json_option,
    options,
    to_option,
)
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError
from webstrata.search.change.settings import ChangesSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.search.change.answer import ChangeAnswer, ChangedPage
    from webstrata.search.change.reasons import LinkChange, Reason, WordChange


@verb(
    "changes",
    renamed={"--top": "--limit", "--since": "--from"},
    epilog='Example: webstrata changes uk "arab spring" --at 2026-07 --graph events.html',
)
@collection_argument
@click.argument("query", metavar="QUERY", required=False)
@at_option("The last snapshot at or before this date. [the last one]")
@from_option("Compare with the last snapshot at or before this date. [the snapshot before]")
@to_option("The same as --at.")
@options(ChangesSettings)
@click.option(
    "--graph",
    "drawing",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw the answers and their links, before and after, as a page of HTML.",
)
@click.option("--prepare", is_flag=True, help="Count links and words of all pages now, and ask nothing.")
@json_option
def command(
    collection: Collection,
    query: str | None,
    at: str | None,
    start: str | None,
    end: str | None,
    changes_options: dict[str, object],
    *,
    drawing: Path | None,
    prepare: bool,
    as_json: bool,
) -> None:
    """List what changed about QUERY in a snapshot, and why.

    Pages that match are ranked by how well they match and by the share of their words that is new since the
    snapshot before; neighbours that changed follow, marked as reached by links. Other rankings, with links,
    are chosen with --rank. It needs the union that `webstrata align` makes, and summaries of each snapshot.
    """
    from webstrata.search.change.run import ChangeSearch

    if drawing is not None:
        from webstrata.serve.figures.style import load_altair

        load_altair()
    if query is None and not prepare:
        raise UsageError("QUERY is missing; write some words to look for, or --prepare to count only")
    if at and end:
        raise UsageError("--at and --to both name the later snapshot; give one of them")
    at = at or end
    settings = collection.settings(ChangesSettings, changes_options)
    search = ChangeSearch(collection, progress=TerminalProgress())
    if query is None:
        counts = search.counts
        click.echo(
            f"{collection.path}: links and words of {tell_count(counts.num_nodes, 'page')} are counted in "
            f"{tell_count(len(counts.snapshots), 'snapshot')}."
        )
        return
    before, after = search.interval(at or search.union.snapshots[-1], start)
    answer = search.search(query, before, after, settings)
    paths = _draw(answer, collection.title, drawing) if drawing is not None else []
    if as_json:
        show_json(
            {
                "collection": str(collection.path),
                **answer.to_dict(),
                "graph": str(paths[-1]) if paths else None,
            }
        )
        return
    show_answer(answer)
    if paths:
        click.echo(f"\nThe answers and their links, before and after: {paths[-1]}")


def _draw(answer: ChangeAnswer, title: str, path: Path) -> list[Path]:
    from webstrata.serve.figures.changes import write_answer

    return [write_answer(answer, path, title)]


def show_answer(answer: ChangeAnswer) -> None:
    """Print an answer: what each stage did, then each page with its reasons."""
    click.echo(f"What changed about {answer.query!r} from {answer.before} to {answer.after}\n")
    rows = answer.top()
    if not rows:
        click.echo(f"No page of {answer.after} matches.\n")
    for row, reason in zip(rows, answer.reasons(len(rows)), strict=True):
        _show(row, reason, answer)
    for stage in answer.stages:
        click.echo(f"{stage.name:<12} {stage.told}")
    drawn = answer.graph.top(len(rows))
    click.echo(
        f"{'subgraph':<12} {tell_count(len(drawn.arcs_before), 'link')} among the answers shown before, "
        f"{len(drawn.arcs_after)} after"
    )


def _show(row: ChangedPage, reason: Reason, answer: ChangeAnswer) -> None:
    new = ", new" if reason.is_new else f", new words {row.new_words:.0%}" if row.new_words else ""
    click.echo(f"{row.rank:>3}. {row.url}")
    if row.is_aligned:
        click.echo(
            f"     score {row.score:.4g}, text {row.text:.4g}, change {row.change:.4g} (content "
            f"{row.content:.3g}, in-links {row.inlinks:.3g}, out-links {row.outlinks:.3g}){new}"
        )
    else:
        click.echo(f"     score {row.score:.4g}, text {row.text:.4g}; not aligned, so by text alone")
    if row.reached_by_links:
        click.echo(f"     reached by links: it does not match, and is linked with {row.through}")
    elif row.through:
        click.echo(f"     linked with {row.through}")
    for sign, links in (
        ("+", (("links to", reason.links_gained), ("linked from", reason.inlinks_gained))),
        ("-", (("links to", reason.links_lost), ("linked from", reason.inlinks_lost))),
    ):
        for name, change in links:
            if change.number:
                click.echo(f"     {sign} {name} {_tell_links(change)}")
    for sign, words in (("+", reason.words_gained), ("-", reason.words_lost)):
        if words:
            click.echo(f"     {sign} words {_tell_words(words)}")
    if row.is_aligned:
        click.echo(f"     {reason.look}")
    click.echo()


def _tell_links(change: LinkChange) -> str:
    shown = ", ".join(change.urls[:2])
    more = change.number - min(len(change.urls), 2)
    return shown + (f" and {more} more" if more else "")


def _tell_words(words: Sequence[WordChange]) -> str:
    return ", ".join(f"{one.word} {one.before}→{one.after}" for one in words[:6])
