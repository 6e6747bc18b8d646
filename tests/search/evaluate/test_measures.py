"""Every measure against plain arithmetic, and `ir-measures` with it."""

from __future__ import annotations

import math
import sys

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import MissingExtraError
from webstrata.search.evaluate.measures import DEPTH, count_edges, kept_share, load_ir_measures, measure_lists

pages = st.sampled_from([f"http://a.org/{number}" for number in range(30)])


def discounted(grades: list[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


@given(
    st.dictionaries(pages, st.integers(0, 3), min_size=1).filter(lambda grades: any(grades.values())),
    st.lists(pages, unique=True),
)
def test_every_measure_of_a_list_is_the_one_of_its_definition(
    grades: dict[str, int], urls: list[str]
) -> None:
    found = measure_lists({"1": grades, "2": {"x": 1}}, {"1": urls, "3": ["y"]})
    assert found["2"] == dict.fromkeys(found["2"], 0.0)
    best = sorted(grades.values(), reverse=True)
    right = {url for url, grade in grades.items() if grade}
    ranks = [rank for rank, url in enumerate(urls, 1) if url in right]
    gains = [grades.get(url, 0) for url in urls]
    assert found["1"] == pytest.approx(
        {
            "ndcg": discounted(gains) / discounted(best),
            "ndcg15": discounted(gains[:DEPTH]) / discounted(best[:DEPTH]),
            "recall": sum(rank <= DEPTH for rank in ranks) / len(right),
            "mrr": 1 / ranks[0] if ranks else 0.0,
            "sum": sum(1 / rank for rank in ranks if rank <= DEPTH),
        }
    )


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))), st.sampled_from([0.15, 0.9]))
def test_the_share_of_paths_kept_is_that_of_networkx(arcs: set[tuple[int, int]], restart: float) -> None:
    pairs = np.array(sorted(arcs), np.int64).reshape(-1, 2)
    # a seventh node takes what leaves the candidates, and keeps it
    degrees = np.bincount(pairs[:, 0], minlength=6) + 1
    graph = networkx.DiGraph([*arcs, *((node, 6) for node in range(6)), (6, 6)])
    first = [0, 3]
    wanted = networkx.pagerank(
        graph, 1 - restart, personalization=dict.fromkeys(first, 1), tol=1e-13, max_iter=1000
    )
    found = kept_share(pairs, degrees, np.array(first), restart)
    assert found == pytest.approx(sum(wanted[node] for node in first), abs=1e-9)
    assert count_edges(pairs, np.array(first)) == len(arcs & {(0, 3), (3, 0)})


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r"`pip install 'webstrata\[search\]'` brings it"):
        load_ir_measures()
