"""Pages that are similar to a page, by the words that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.dates import find_last
from webstrata.collection.tables import Rows
from webstrata.errors import MissingError
from webstrata.store.duplicates.near import cosine, count_words
from webstrata.store.duplicates.simhash import nearest
from webstrata.store.takedowns import HIDDEN, find_takedowns

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.store.urls import UrlMatch

CANDIDATES = 5
"""Pages compared by their words, per page that is listed."""


def find_similar(
    collection: Collection, url: str, *, snapshot: str | None = None, at: str | None = None, top: int = 10
) -> Rows:
    """The pages most similar to a page, the most similar first.

    It looks in `snapshot`, or in the last one with the page, of those at or before the date `at`.

    The similarity is the cosine of word counts, from 0 to 1, computed for the pages whose simhashes differ in
    the fewest bits.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = find_similar(testing.collection(), "http://reef.example/fish", top=2)
    >>> found.facts["snapshot"], len(found)
    ('2026-06', 2)
    """
    find_takedowns(collection).check(url, str(collection.path))
    holder, answer = _find(collection, url, snapshot, at)
    node, text = answer.node, holder.text
    simhashes = text.columns("simhash")["simhash"].to_numpy()
    places, distances = nearest(simhashes, int(simhashes[node]), top * CANDIDATES + 1)
    own = count_words(text[node].text)
    pages: list[dict[str, Any]] = []
    for other, distance in zip(places.tolist(), distances.tolist(), strict=True):
        if other != node and holder.urls[other] != HIDDEN:
            page = text[other]
            similarity = round(cosine(own, count_words(page.text)), 3)
            found = {"url": holder.urls[other], "distance": distance, "similarity": similarity}
            pages.append({**found, "title": page.title})
    # equal similarities by distance, then in order of nodes
    pages = sorted(pages, key=lambda page: (-page["similarity"], page["distance"]))[:top]
    facts = {"collection": str(collection.path), "snapshot": holder.date, "asked": url}
    formats = {"similarity": ".3f"}
    return Rows(
        "pages", pages, {**facts, "url": holder.urls[node], "note": answer.note(url)}, formats=formats
    )


def _find(collection: Collection, url: str, label: str | None, at: str | None) -> tuple[Snapshot, UrlMatch]:
    """The snapshot to look in, and the page there."""
    with_text = [snapshot for snapshot in collection if "text" in snapshot.parts]
    if at is not None and with_text:
        last = find_last([snapshot.date for snapshot in with_text], at)
        with_text = [snapshot for snapshot in with_text if snapshot.date <= last]
    candidates = [collection[label]] if label is not None else list(reversed(with_text))
    for snapshot in candidates:
        answer = snapshot.urls.look_up(url)
        if answer is not None:
            return snapshot, answer
    if not candidates:
        raise MissingError(
            f"{collection.path}: no snapshot has the text of its pages",
            fix=Action.on(collection, "build", "text"),
        )
    where = ", ".join(snapshot.date for snapshot in candidates)
    raise MissingError(f"{collection.path}: {url} is not among the pages of {where}; give another URL")
