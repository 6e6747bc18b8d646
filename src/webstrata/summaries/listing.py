"""The terms of a page with their counts, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.tables import Rows
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from webstrata.api import Snapshot


def list_terms(snapshot: Snapshot, url: str, *, top: int | None = None) -> Rows:
    """The terms of a page, the most frequent first, with their counts in it, and in all pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = list_terms(testing.snapshot(), "http://reef.example/fish", top=2)
    >>> [row["term"] for row in found.rows]
    ['fish', 'coral']
    """
    archive, answer = snapshot.summaries, snapshot.urls.look_up(url)
    if answer is None:
        raise MissingError(f"{snapshot.path}: {url} is not a page of this snapshot; give another URL")
    summary, terms = archive[answer.node], archive.terms
    rows = [
        {"term": terms[number], "count": count, "df": int(terms.df[number]), "cf": int(terms.cf[number])}
        for number, count in zip(summary.terms.tolist(), summary.counts.tolist(), strict=True)
    ]
    rows = sorted(rows, key=lambda row: (-row["count"], row["term"]))[:top]
    facts = {"asked": url, "url": answer.url, "node": answer.node, "length": summary.length}
    return Rows("terms", rows, {**facts, "size": summary.size, "note": answer.note(url)})
