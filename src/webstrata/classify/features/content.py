"""Content features of hosts: sets A, Aa and B (SPAM, section 5.1).

Each of the 24 features of a page (see `pages`) is taken of a host's home page (``home_words``), of its page
of maximum PageRank (``top_words``), and over all its pages as mean (``mean_words``) and variance
(``variance_words``), the mean of the squared differences to the mean; pages for which it is missing do not
count.

- **B** has all 96.
- **A** has no information about the corpus and links: without the page of maximum PageRank and without
  ``corpus_…``, which leaves 48. (The paper's table prints 74; its own description gives 48.) Without query
  words those of ``query_…`` are missing.
- **Aa** has of these the ``query_…`` ones: 24. Without query words it cannot be made.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from webstrata.classify.features.feature_sets import HOST
from webstrata.classify.features.pages import CORPUS, FORMULAS, NAMES, QUERIES, page_features
from webstrata.classify.features.sites import open_sites
from webstrata.classify.learning.cost import Cost, Meter, borrow
from webstrata.errors import MissingError
from webstrata.rank.settings import RankSettings
from webstrata.rank.stored import rank_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.classify.features.sites import Sites
    from webstrata.classify.settings import ClassifySettings
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

    Values = npt.NDArray[np.float32]

_GROUPS = {
    "home": "home page",
    "top": "page of maximum PageRank",
    "mean": "mean over pages",
    "variance": "variance over pages",
}


def _describe(groups: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    return {f"{group}_{name}": f"{_GROUPS[group]}: {FORMULAS[name]}" for group in groups for name in names}


B = _describe(list(_GROUPS), NAMES)
"""The features of set B with what each is."""
A = _describe(["home", "mean", "variance"], [name for name in NAMES if name not in CORPUS])
AA = _describe(["home", "mean", "variance"], list(QUERIES))

_costs: dict[str, Cost] = {}
"""What rankings took that were made in this process, by their checksum."""


def build_a(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """Set A: home page, mean and variance, without what the corpus says.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> table = build_a(testing.snapshot(), ClassifySettings(), Progress())
    >>> table.select(["host", "home_words"]).to_pylist()[:2]
    [{'host': 'garden.example', 'home_words': 37.0}, {'host': 'kitchen.example', 'home_words': 37.0}]
    """
    return _build(snapshot, settings, progress, A)


def build_aa(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """Set Aa: query precision and recall alone.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> path = testing.scratch() / "queries.txt"
    >>> _ = path.write_text("cheap pills")
    >>> table = build_aa(testing.snapshot(), ClassifySettings(query_words=str(path)), Progress())
    >>> table.column_names[:3], len(table)
    (['host', 'home_query_precision_100', 'home_query_precision_200'], 5)
    """
    if not settings.query_words:
        raise MissingError(
            "set Aa counts popular words of queries; name a file of them with `--query-words FILE`"
        )
    return _build(snapshot, settings, progress, AA)


def build_b(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """Set B: everything, of the page of maximum PageRank too.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> table = build_b(testing.snapshot(), ClassifySettings(), Progress())
    >>> table.select(["host", "top_words"]).to_pylist()[-1:]
    [{'host': 'reef.example', 'top_words': 50.0}]
    """
    return _build(snapshot, settings, progress, B)


def _build(
    snapshot: Snapshot,
    settings: ClassifySettings,
    progress: Progress,
    columns: Mapping[str, str],
) -> pa.Table:
    values = page_features(snapshot, settings, progress)
    sites = open_sites(snapshot, progress)
    ranks = page_ranks(snapshot, progress) if columns is B else None
    if not settings.query_words:
        name = "B" if columns is B else "A"
        progress.note(
            f"no query words (`--query-words FILE`): query precision and recall are missing in set {name}"
        )
    found = lay_out(columns, sites, values, ranks)
    arrays = [pa.array(column, pa.float32(), from_pandas=True) for column in found.T]
    return pa.table([pa.array(sites.names, pa.string()), *arrays], names=[HOST, *columns])


def lay_out(
    columns: Iterable[str], sites: Sites, values: Values, ranks: npt.NDArray[np.float64] | None = None
) -> Values:
    """The columns of a set, one row per site, from the features of pages and, for ``top_…``, their PageRank.

    Examples
    --------
    >>> from webstrata.classify.features.sites import Sites
    >>> one = Sites(["a.org"], np.zeros(2, np.int64), np.array([2]), np.array([1]))
    >>> values = np.zeros((2, len(NAMES)), np.float32)
    >>> values[:, NAMES.index("words")] = [4, 8]
    >>> lay_out(["home_words", "mean_words"], one, values).tolist()
    [[8.0, 6.0]]
    """
    groups = {"home": values[sites.home]}
    if ranks is not None:
        groups["top"] = values[find_top_pages(sites, ranks)]
    groups["mean"], groups["variance"] = average(sites, values)
    split = [column.partition("_")[::2] for column in columns]
    return np.stack([groups[group][:, NAMES.index(name)] for group, name in split], axis=1)


def average(sites: Sites, values: Values) -> tuple[Values, Values]:
    """Mean and variance of each column over the pages of each site; NaN where no page has a number.

    Examples
    --------
    >>> from webstrata.classify.features.sites import Sites
    >>> one = Sites(["a.org"], np.zeros(3, np.int64), np.array([3]), np.array([0]))
    >>> [array.tolist() for array in average(one, np.array([[1.0], [np.nan], [3.0]], np.float32))]
    [[[2.0]], [[1.0]]]
    """
    found = np.empty((2, len(sites.names), values.shape[1]), np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        for place in range(values.shape[1]):
            column = values[:, place].astype(np.float64)
            known = np.isfinite(column)
            of_site, column = sites.of_node[known], column[known]
            counts = np.bincount(of_site, minlength=len(sites.names))
            means = np.bincount(of_site, column, minlength=len(sites.names)) / counts
            squares = (column - means[of_site]) ** 2
            found[0, :, place] = means
            found[1, :, place] = np.bincount(of_site, squares, minlength=len(sites.names)) / counts
    return found[0], found[1]


def find_top_pages(sites: Sites, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The page with the largest score of each site, the first of several.

    Examples
    --------
    >>> from webstrata.classify.features.sites import Sites
    >>> two = Sites(["a.org", "b.org"], np.array([0, 1, 0]), np.array([2, 1]), np.array([0, 1]))
    >>> find_top_pages(two, np.array([0.2, 0.3, 0.5])).tolist()
    [2, 1]
    """
    order = np.lexsort((-scores[: len(sites.of_node)], sites.of_node))
    first = np.searchsorted(sites.of_node[order], np.arange(len(sites.names)))
    return order[first].astype(np.int64)


def page_ranks(snapshot: Snapshot, progress: Progress | None = None) -> npt.NDArray[np.float64]:
    """The PageRank of each node, kept as a part; what it took counts also where it was made before.

    That is known while this process runs: a ranking that an earlier one left costs nothing.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> ranks = page_ranks(snapshot)
    >>> snapshot.urls[int(ranks.argmax())], round(float(ranks.max()), 3)
    ('http://reef.example/', 0.118)
    """
    chosen = replace(snapshot.settings(RankSettings), method="pagerank", level="page")
    before = snapshot.parts.manifest.parts.get("rank-pagerank")
    with Meter() as meter:
        found = rank_snapshot(snapshot, chosen, progress=progress)
    record = snapshot.parts.manifest.parts.get("rank-pagerank")
    if record is not None and record == before:
        borrow(_costs.get(record.checksum, Cost()))
    elif record is not None:
        _costs[record.checksum] = meter.cost
    return found.scores
