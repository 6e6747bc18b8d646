"""Features of new hosts by the statistics of the corpus that a model was trained on (SPAM, section 6.2).

A model keeps, for each feature set that looks at the whole corpus, what it must know of it:

====================  ====================================================================================
``bm25``              of each term the documents with it (df), N, the mean length, k₁ and b; the settings
                      of the summaries (``words``)
``temporal-content``  the same for each snapshot, the oldest first (``weights``), and λ (``decay``)
``A``, ``Aa``, ``B``  the most frequent words of the corpus and of queries (``corpus``, ``queries``)
====================  ====================================================================================

Hosts of another snapshot are measured by these and not by statistics of their own: the same page has the same
features then. So a few hosts can be measured without the others: their URLs are found by row key, and only
their pages are read. What needs the whole graph cannot be had that way (6.2): sets ``link`` and
``temporal-link``, which must have been built, and PageRank for the columns ``top_…`` of set B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, vstack

from webstrata.classify.features.content import lay_out, page_ranks
from webstrata.classify.features.pages import PageMeter, measure_pages
from webstrata.classify.features.past_snapshots import choose_earlier
from webstrata.classify.features.sites import ChosenSites, find_sites, group_sites
from webstrata.classify.features.temporal_content import DECAY, iter_weights
from webstrata.classify.features.term_vectors import WORDS, Weights, count_in_terms, tell_words
from webstrata.classify.features.word_lists import WordLists
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError, UsageError
from webstrata.store.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot

CONTENT_SETS = ("A", "Aa", "B")
_MAX_PAGES, _NGRAM = 400, 3
"""What settings are where a model has none of them."""


def measure_like(
    snapshot: Snapshot,
    name: str,
    columns: Sequence[str],
    statistics: Mapping[str, Any],
    made: Mapping[str, Any],
    *,
    hosts: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> tuple[list[str], Any]:
    """Hosts and their values in the columns of a set, by given statistics.

    Parameters
    ----------
    snapshot
        Whose hosts.
    name
        The set.
    columns
        Its columns as the model has them.
    statistics
        As above.
    made
        The settings that the model's features were made with.
    hosts
        Some hosts; default: all of the snapshot.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> facts = {"df": [1], "num_documents": 4, "mean_length": 75.0, "k1": 1.2, "b": 0.75}
    >>> hosts, values = measure_like(
    ...     testing.snapshot(), "bm25", ["cheap"], facts, {}, hosts=["pills.example"])
    >>> hosts, round(float(values[0, 0]), 3)
    (['pills.example'], 1.772)
    """
    progress = progress or Progress()
    if name in CONTENT_SETS:
        return _measure_content(snapshot, columns, statistics, made, hosts, progress)
    _check_words(snapshot, statistics)
    max_pages = int(made.get("max_pages", _MAX_PAGES))
    if name == "bm25":
        names, found = count_in_terms(snapshot, columns, max_pages=max_pages, hosts=hosts, progress=progress)
        weights = Weights.from_facts(dict(statistics))
        # as stored: 32 bits
        return names, weights.weigh(found.counts, found.lengths).astype(np.float32)
    return _measure_motion(snapshot, columns, statistics, max_pages, hosts, progress)


def _check_words(snapshot: Snapshot, statistics: Mapping[str, Any]) -> None:
    now = tell_words(snapshot)
    for name, then in (statistics.get(WORDS) or {}).items():
        if now.get(name) != then:
            raise UsageError(
                f"{snapshot.path}: the summaries were made with {name} {now.get(name)}, those that the model "
                f"was trained on with {then}; build summaries with that setting, or train another model"
            )


def _measure_content(
    snapshot: Snapshot,
    columns: Sequence[str],
    statistics: Mapping[str, Any],
    made: Mapping[str, Any],
    hosts: Sequence[str] | None,
    progress: Progress,
) -> tuple[list[str], npt.NDArray[np.float32]]:
    with snapshot.open_part("urls") as part:
        urls = Urls(part.path)
        if hosts is None:
            chosen = ChosenSites(np.arange(len(urls)), group_sites(urls, progress=progress))
        else:
            chosen = find_sites(urls, hosts)
    lists = WordLists(
        *(tuple(statistics[kind]) if statistics.get(kind) else None for kind in WordLists._fields)
    )
    meter = PageMeter(lists, ngram=int(made.get("ngram", _NGRAM)))
    values = measure_pages(snapshot, meter, progress, nodes=None if hosts is None else chosen.nodes)
    ranks = None
    if any(column.startswith("top_") for column in columns):
        ranks = page_ranks(snapshot, progress)[chosen.nodes]
    return chosen.sites.names, lay_out(columns, chosen.sites, values, ranks)


def _measure_motion(
    snapshot: Snapshot,
    columns: Sequence[str],
    statistics: Mapping[str, Any],
    max_pages: int,
    hosts: Sequence[str] | None,
    progress: Progress,
) -> tuple[list[str], csr_array]:
    """Groups of terms over the last snapshots, at most as many as the model knows; ages are matched."""
    weights = [Weights.from_facts(facts) for facts in statistics["weights"]]
    groups = list(dict.fromkeys(column.partition(":")[0] for column in columns))
    terms = [column.partition(":")[2] for column in columns[: len(columns) // max(len(groups), 1)]]
    snapshots = [*_find_earlier(snapshot, statistics, len(weights) - 1), snapshot]
    if len(snapshots) < (3 if "devdiff" in groups else 2):
        raise MissingError(
            f"{snapshot.path}: the model looks at terms over {len(weights)} snapshots, and there are only "
            f"{len(snapshots)} with summaries; add earlier ones, or train without temporal-content"
        )
    names, found = count_in_terms(snapshot, terms, max_pages=max_pages, hosts=hosts, progress=progress)
    vectors = [weights[-1].weigh(found.counts, found.lengths)]
    for some, one in zip(snapshots[-2::-1], weights[-2::-1], strict=False):
        _check_words(some, statistics)
        theirs, found = count_in_terms(some, terms, max_pages=max_pages, hosts=hosts, progress=progress)
        vectors.append(_move(one.weigh(found.counts, found.lengths), theirs, names))
    blocks = list(iter_weights(vectors[::-1], decay=float(statistics.get("decay", DECAY))))
    empty = csr_array((0, len(columns)))
    return names, csr_array(vstack([empty, *blocks], format="csr")).astype(np.float32)


def _find_earlier(snapshot: Snapshot, statistics: Mapping[str, Any], most: int) -> list[Snapshot]:
    """The snapshots that the model looked back at, or for a later snapshot the last ones before it."""
    *labels, last = statistics.get("snapshots") or [""]
    if last == snapshot.date and all(label in snapshot.collection.dates for label in labels):
        return choose_earlier(snapshot, labels, ("summaries", "urls"))
    return choose_earlier(snapshot, (), ("summaries", "urls"))[-most:]


def _move(matrix: csr_array, theirs: Sequence[str], names: Sequence[str]) -> csr_array:
    """Rows of the sites in `names`; one that is not there has no terms."""
    places = {name: place for place, name in enumerate(theirs)}
    pairs = [(row, places[name]) for row, name in enumerate(names) if name in places]
    rows, take = (np.array(side, np.int64) for side in zip(*pairs, strict=True)) if pairs else ([], [])
    shape = (len(names), len(theirs))
    return csr_array(csr_array((np.ones(len(pairs)), (rows, take)), shape=shape) @ matrix)
