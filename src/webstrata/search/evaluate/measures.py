"""How good a ranked list and its subgraph are (CHANGE, section 3.1).

==================  ========================================================================================
``ndcg``            nDCG of the whole list, as trec_eval has it: gain = grade, discount log₂(rank + 1)
``ndcg15``          the same of the first 15
``recall``          share of the right pages that are among the first 15
``mrr``             1 / rank of the first right page
``sum``             Σ 1 / rank of all right pages among the first 15: the paper's "MRR" is above 1, and so no
                    mean of reciprocal ranks; this is the sum that it may be
``edges_before``    links among the first 15 in the earlier snapshot
``edges_after``     and in the later one
``kept``            share of short paths that end within the first 15: Σ PPR(v) over them, for walks that
                    begin there alike (equation 4)
==================  ========================================================================================

The first four are computed by `ir-measures` (the extra `search`). For ``kept`` a walk divides itself by the
links of the whole later graph, and what leaves the candidates is lost.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.errors import MissingExtraError
from webstrata.search.evaluate.runs import to_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

DEPTH = 15
LIST_MEASURES = ("ndcg", "ndcg15", "recall", "mrr", "sum")
GRAPH_MEASURES = ("edges_before", "edges_after", "kept")
_NAMES = {"ndcg": "nDCG", "ndcg15": f"nDCG@{DEPTH}", "recall": f"R@{DEPTH}", "mrr": "RR"}


def load_ir_measures() -> Any:  # noqa: ANN401
    """The library of measures, or `MissingExtraError`.

    Examples
    --------
    >>> load_ir_measures().__name__
    'ir_measures'
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import ir_measures
    except ImportError as error:
        raise MissingExtraError(
            f"measures are computed with {error.name}, which is not installed; "
            "`pip install 'webstrata[search]'` brings it"
        ) from error
    return ir_measures


def measure_lists(
    judgements: Mapping[str, Mapping[str, int]], run: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """For each judged query the measures of its list; 0 where the run has none.

    Examples
    --------
    >>> found = measure_lists({"1": {"a": 1, "b": 1}}, {"1": ["c", "a", "b"]})
    >>> {name: round(value, 3) for name, value in found["1"].items()}
    {'ndcg': 0.693, 'ndcg15': 0.693, 'recall': 1.0, 'mrr': 0.5, 'sum': 0.833}
    """
    library = load_ir_measures()
    names = {str(library.parse_measure(told)): name for name, told in _NAMES.items()}
    found: dict[str, dict[str, float]] = {query: dict.fromkeys(LIST_MEASURES, 0.0) for query in judgements}
    wanted = {query: dict(grades) for query, grades in judgements.items()}
    scores = {query: rows for query, rows in to_scores(run).items() if query in judgements and rows}
    if scores:
        measures = [library.parse_measure(told) for told in _NAMES.values()]
        for metric in library.iter_calc(measures, wanted, scores):
            found[metric.query_id][names[str(metric.measure)]] = float(metric.value)
    for query, grades in judgements.items():
        found[query]["sum"] = sum_reciprocal_ranks(run.get(query, ()), grades)
    return found


def sum_reciprocal_ranks(urls: Sequence[str], grades: Mapping[str, int], depth: int = DEPTH) -> float:
    """Σ 1 / rank of the right pages among the first.

    Examples
    --------
    >>> sum_reciprocal_ranks(["a", "x", "b"], {"a": 1, "b": 2, "x": 0}, 2)
    1.0
    """
    return sum(1 / rank for rank, url in enumerate(urls[:depth], 1) if grades.get(url, 0) > 0)


def count_edges(arcs: npt.NDArray[np.int64], first: npt.NDArray[np.int64]) -> int:
    """How many arcs have both ends among some nodes; a page that links to itself does not count.

    Examples
    --------
    >>> count_edges(np.array([[0, 1], [1, 1], [1, 2]]), np.array([0, 1]))
    1
    """
    is_inside = np.isin(arcs, first).all(axis=1) & (arcs[:, 0] != arcs[:, 1])
    return int(np.count_nonzero(is_inside))


def kept_share(
    arcs: npt.NDArray[np.int64],
    outdegrees: npt.NDArray[np.integer[Any]],
    first: npt.NDArray[np.int64],
    restart: float,
) -> float:
    """Share of the walks that begin alike in some nodes and end there; see the head of this module.

    Parameters
    ----------
    arcs
        Among the candidates.
    outdegrees
        Of each candidate in the whole graph.
    first
        The candidates that walks begin in.
    restart
        How likely a walk ends at each step.

    Examples
    --------
    >>> kept_share(np.array([[0, 1]]), np.array([2, 0]), np.array([0, 1]), 0.5)
    0.5625
    """
    if not len(first):
        return 0.0
    mass = np.zeros(len(outdegrees))
    mass[first] = 1 / len(first)
    shares = 1 / np.maximum(np.asarray(outdegrees, np.float64), 1)
    ended = 0.0
    # what is still under way falls by 1 − c at each step
    while mass.sum() > 1e-12:
        ended += restart * float(mass[first].sum())
        passed = (1 - restart) * (mass * shares)[arcs[:, 0]]
        mass = np.bincount(arcs[:, 1], passed, minlength=len(mass)).astype(np.float64)
    return ended
