"""webstrata similar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_answered, show_json, show_table
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.store.urls import Answer

CANDIDATES = 5
"""Pages compared by their words, per page that is listed."""


@click.command("similar", epilog="Example: webstrata similar uk http://example.uk/a --top 5")
@collection_argument
@click.argument("url", metavar="URL")
@click.option("--at", metavar="SNAPSHOT", help="Look in this snapshot. [the last one with the page]")
@click.option("--top", type=click.IntRange(1), default=10, help="Pages to list. [10]")
@json_option
def command(collection: Collection, url: str, at: str | None, top: int, *, as_json: bool) -> None:
    """List the pages most similar to URL, the most similar first.

    The similarity is the cosine of word counts, from 0 to 1. It is computed for the pages whose simhashes
    differ in the fewest bits: near-duplicates differ in a few of 64, unrelated pages in about 32.
    """
    from webstrata.store.near_duplicates import cosine, count_words
    from webstrata.store.simhash import nearest

    snapshot, answer = _find(collection, url, at)
    node = answer.node
    show_answered(url, answer.url, answer.note(url))
    simhashes = snapshot.text.columns("simhash")["simhash"].to_numpy()
    candidates = top * CANDIDATES + 1
    places, distances = nearest(simhashes, int(simhashes[node]), candidates)
    own = count_words(snapshot.text[node].text)
    pages: list[dict[str, Any]] = []
    for other, distance in zip(places.tolist(), distances.tolist(), strict=True):
        if other != node:
            page = snapshot.text[other]
            similarity = round(cosine(own, count_words(page.text)), 3)
            found = {"url": snapshot.urls[other], "distance": distance, "similarity": similarity}
            pages.append({**found, "title": page.title})
    # equal similarities by distance, then in order of nodes
    pages = sorted(pages, key=lambda page: (-page["similarity"], page["distance"]))[:top]
    if as_json:
        document = {
            "collection": str(collection.path),
            "snapshot": snapshot.label,
            "asked": url,
            "url": snapshot.urls[node],
        }
        show_json({**document, "pages": pages})
        return
    click.echo(f"{collection.path} {snapshot.label}: pages like {snapshot.urls[node]}")
    rows = [[f"{page['similarity']:.3f}", page["distance"], page["url"], page["title"]] for page in pages]
    show_table(["similarity", "bits", "URL", "title"], rows)


def _find(collection: Collection, url: str, at: str | None) -> tuple[Snapshot, Answer]:
    """The snapshot to look in, and the page there."""
    candidates = [collection[at]] if at else [s for s in reversed(list(collection)) if "text" in s.parts]
    for snapshot in candidates:
        answer = snapshot.urls.look_up(url)
        if answer is not None:
            return snapshot, answer
    if not candidates:
        raise MissingError(
            f"{collection.path}: no snapshot has the text of its pages; build it with `webstrata store`"
        )
    where = ", ".join(snapshot.label for snapshot in candidates)
    raise MissingError(f"{collection.path}: {url} is not among the pages of {where}; give another URL")
