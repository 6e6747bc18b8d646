"""Hits: the answers to a query, the best first, as arrays, as rows and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import pyarrow as pa

from webstrata.collection.tables import Table
from webstrata.search.snippets import MARKS, WIDTH, make_snippet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from webstrata.search.index import TextIndex
    from webstrata.search.query import Understood

HITS = pa.schema([
    ("rank", pa.uint32()),
    ("url", pa.string()),
    ("title", pa.string()),
    ("score", pa.float64()),
    ("text_score", pa.float64()),
    ("link_factor", pa.float64()),
    ("snapshots", pa.list_(pa.string())),
    ("snapshot", pa.string()),
    ("node", pa.int64()),
    ("folded", pa.uint32()),
    ("snippet", pa.string()),
])  # fmt: skip


class Hit(NamedTuple):
    """One answer."""

    rank: int
    url: str
    title: str
    score: float
    text_score: float
    """BM25F alone."""
    link_factor: float
    """What it was multiplied by for the links to the page."""
    snapshots: list[str]
    """All of those asked for that have the page as it is here."""
    snapshot: str
    """The latest of them."""
    node: int
    """Of the page in that snapshot."""
    folded: int
    """Answers that are not shown: other versions of the page, near-duplicates."""
    snippet: str


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Table):
    """The answers to a query, the best first; a sequence of `Hit`, read from the text when asked for.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(0)
    >>> len(Hits(None, "fish", ["fish"], none.astype("u4"), none, none, 1, ()))
    0
    """

    index: TextIndex
    query: str
    terms: Sequence[str]
    """What may be marked."""
    documents: npt.NDArray[np.uint32]
    scores: npt.NDArray[np.float64]
    text_scores: npt.NDArray[np.float64]
    mask: int
    """The snapshots that were asked for."""
    folded: Sequence[int]
    """For each answer how many are not shown that are like it."""
    understood: Sequence[Understood] = ()
    """What was made of each word of the query."""

    def __len__(self) -> int:
        return len(self.documents)

    def explain(self) -> list[dict[str, Any]]:
        """How the query was understood: each word as typed, its terms, and those that no page has.

        Of a word that has several terms, pages with all of them one after the other come first.
        """
        reader = self.index.reader
        return [
            {
                "text": word.text,
                "terms": word.terms,
                "field": word.field,
                "unknown": [
                    term for term in word.terms if not word.text.endswith("*") and not reader.frequency(term)
                ],
            }
            for word in self.understood
        ]

    @property
    def urls(self) -> list[str]:
        """The URL of each answer."""
        return self.index.urls(self.documents)

    @property
    def places(self) -> list[tuple[str, int]]:
        """For each answer the latest snapshot asked for that has it, and its node there."""
        return self.index.places(self.documents, self.mask)

    @property
    def nodes(self) -> npt.NDArray[np.int64]:
        """The node of each answer in the snapshot that was asked for, or the latest that has it."""
        return np.array([node for _, node in self.places], np.int64)

    @property
    def snapshots(self) -> list[list[str]]:
        """For each answer the snapshots asked for that have the page as it is here."""
        return self.index.dates(self.documents, self.mask)

    def rows(self, *, width: int = WIDTH, marks: tuple[str, str] = MARKS) -> Iterator[Hit]:
        """The answers with title and snippet; `marks` go around the words of the query."""
        columns = (self.urls, self.snapshots, self.places, self.folded)
        for rank, (url, dates, (label, node), folded) in enumerate(zip(*columns, strict=True)):
            row = self.index.text(label).row(node)
            score, text_score = float(self.scores[rank]), float(self.text_scores[rank])
            yield Hit(
                rank + 1,
                url,
                row["title"],
                score,
                text_score,
                score / text_score if text_score else 1.0,
                dates,
                label,
                node,
                folded,
                make_snippet(self.index.analyzer, self._shown(row), self.terms, width=width, marks=marks),
            )

    def _shown(self, row: dict[str, object]) -> str:
        """The text of which a piece is shown: main content, or all of it if that has none of the words."""
        from webstrata.search.fields import split_text

        text, places = str(row["text"]), row["main"]
        main = "\n".join(split_text(text, places if isinstance(places, list) else [])[0])
        return main if self.index.analyzer.places(main, list(self.terms)) else text

    def __iter__(self) -> Iterator[Hit]:
        return self.rows()

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> list[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | list[Hit]:
        return list(self.rows())[place]

    def to_arrow(self) -> pa.Table:
        """The answers as a table, one row per answer."""
        return pa.Table.from_pylist([hit._asdict() for hit in self], schema=HITS)

    def __repr__(self) -> str:
        return f"<Hits: {len(self)} for {self.query!r}>"
