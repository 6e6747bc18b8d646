"""What the links to a page do to its score.

With s a link score of a snapshot (PageRank, or harmonic centrality), N its pages and s̄ the mean,

    ℓ(s) = (s / s̄) / (1 + s / s̄),      factor(d) = 1 + w · mean of ℓ over the scores that are there,
    score(d) = BM25(d) · factor(d).

A page of the mean score has ℓ = ½, the first of all pages nearly 1: its score grows by w of itself (the
setting `link_weight`). Saturation keeps the few pages with thousands of times the mean from winning every
query (Craswell et al., SIGIR 2005), and a product needs no scale that fits queries of one word and of ten.

The score is that of the latest snapshot that was asked for and has the document. Rankings are those that
are stored; where none is, or it is of another graph, factors are 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.arrays import load_array
from webstrata.search.documents import NO_DOCUMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot

METHODS = ("pagerank", "harmonic")


def saturate(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What scores are worth, between 0 and 1: ½ for the mean.

    Examples
    --------
    >>> saturate(np.array([0.0, 1.0, 3.0, 0.0])).round(2).tolist()
    [0.0, 0.5, 0.75, 0.0]
    """
    mean = scores.mean() if len(scores) else 0.0
    if not mean > 0:
        return np.zeros(len(scores))
    return scores / (scores + mean)


def read_link_scores(snapshot: Snapshot, num_pages: int) -> dict[str, npt.NDArray[np.float64]]:
    """The rankings of the pages of a snapshot that are kept and still right, by method.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> list(read_link_scores(snapshot, len(snapshot.urls)))
    ['pagerank']
    """
    found = {}
    for method in METHODS:
        name = f"rank-{method}"
        if name not in snapshot.parts or "graph" not in snapshot.parts:
            continue
        graph = snapshot.parts.record("graph").checksum
        with snapshot.open_part(name) as part:
            if part.record.inputs.get(f"{snapshot.date}/graph") != graph:
                continue
            scores = load_array(part.path / "scores.npy")
        if len(scores) >= num_pages:  # those of the frontier stand behind the pages
            found[method] = scores[:num_pages]
    return found


def link_factors(
    snapshots: Sequence[tuple[Snapshot, npt.NDArray[np.uint32]]], num_documents: int, weight: float
) -> tuple[npt.NDArray[np.float32], dict[str, list[str]]]:
    """The factor of each document, and by which rankings of which snapshots.

    Parameters
    ----------
    snapshots
        Those that are asked for, oldest first, each with the document of each node.
    num_documents
        How many there are.
    weight
        By how much of itself a score grows at most.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> documents = np.arange(len(snapshot.urls), dtype=np.uint32)
    >>> factors, used = link_factors([(snapshot, documents)], len(documents), 0.5)
    >>> snapshot.urls[int(factors.argmax())], used
    ('http://reef.example/', {'2026-06': ['pagerank']})
    """
    factors = np.ones(num_documents, np.float32)
    used: dict[str, list[str]] = {}
    for snapshot, documents in snapshots:
        scores = read_link_scores(snapshot, len(documents))
        if scores:
            used[snapshot.date] = list(scores)
            worth = np.mean([saturate(each) for each in scores.values()], axis=0)
            has_one = documents != NO_DOCUMENT
            # a later snapshot has the last word
            factors[documents[has_one]] = 1 + weight * worth[has_one]
    return factors, used
