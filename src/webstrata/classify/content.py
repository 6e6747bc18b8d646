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

from webstrata.classify.cost import Cost, Meter, borrow
from webstrata.classify.feature_sets import HOST
from webstrata.classify.pages import CORPUS, FORMULAS, NAMES, QUERIES, page_features
from webstrata.classify.sites import open_sites
from webstrata.errors import MissingError
from webstrata.rank.settings import RankSettings
from webstrata.rank.stored import rank_snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.classify.settings import ClassifySettings
    from webstrata.classify.sites import Sites
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
    >>> import webstrata as ws
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> build_a(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), ClassifySettings(), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part text (parts: none yet); `webstrata
    store ...` makes it
    """
    return _build(snapshot, settings, progress, A)


def build_aa(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """Set Aa: query precision and recall alone.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> build_aa(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), ClassifySettings(), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: set Aa counts popular words of queries; name a file of them with
    `--query-words FILE`
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
    >>> import webstrata as ws
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> build_b(ws.create(getfixture("tmp_path") / "uk").add("2026-06"), ClassifySettings(), Progress())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part text (parts: none yet); `webstrata
    store ...` makes it
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
    groups = {"home": values[sites.home]}
    if columns is B:
        groups["top"] = values[find_top_pages(sites, page_ranks(snapshot, progress))]
    groups["mean"], groups["variance"] = average(sites, values)
    found = {}
    for column in columns:
        group, _, name = column.partition("_")
        found[column] = pa.array(groups[group][:, NAMES.index(name)], pa.float32(), from_pandas=True)
    if not settings.query_words:
        name = "B" if columns is B else "A"
        progress.note(
            f"no query words (`--query-words FILE`): query precision and recall are missing in set {name}"
        )
    return pa.table({HOST: pa.array(sites.names, pa.string()), **found})


def average(sites: Sites, values: Values) -> tuple[Values, Values]:
    """Mean and variance of each column over the pages of each site; NaN where no page has a number.

    Examples
    --------
    >>> from webstrata.classify.sites import Sites
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
    >>> from webstrata.classify.sites import Sites
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
    >>> import webstrata as ws
    >>> page_ranks(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); `webstrata
    graph build ...` makes it
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
