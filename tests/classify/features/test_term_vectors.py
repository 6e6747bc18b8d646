"""Virtual documents, their vocabulary and weights against plain Python."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from webstrata.classify.features import term_vectors
from webstrata.classify.features.sparse_table import from_table
from webstrata.classify.features.term_vectors import (
    Documents,
    Weights,
    build_bm25,
    choose_pages,
    choose_terms,
    count_documents,
    measure,
    open_documents,
    weigh_documents,
)
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress
from webstrata.errors import UsageError
from webstrata.summaries import make_rows, write_archive
from webstrata.summaries.build import build_summaries
from webstrata.summaries.rows import DROPPED
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws

    Page = tuple[int, int, dict[int, int]]

TERMS = 6

_pages = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 20), st.dictionaries(st.integers(0, TERMS - 1), st.integers(1, 9))
    ),
    min_size=1,
    max_size=12,
)
"""Site, further words, and terms with their counts."""


@given(st.lists(_pages, min_size=1, max_size=3), st.booleans())
@settings(max_examples=15)
def test_vectors_are_what_the_formula_says(
    tmp_path_factory: pytest.TempPathFactory,
    snapshots: list[list[Page]],
    small: bool,  # noqa: FBT001
) -> None:
    dropped = 5
    columns = np.array([number if number != dropped else DROPPED for number in range(TERMS)], np.uint32)
    found, wanted = [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_vectors, "_BLOCK", 2 if small else 100)
        for pages in snapshots:
            rows = make_rows([(sum(terms.values()) + more, terms) for _, more, terms in pages])
            archive = write_archive(tmp_path_factory.mktemp("archive"), rows)
            of_node = np.array([site for site, _, _ in pages])
            found.append(
                count_documents(
                    archive, np.arange(len(pages)), of_node, 4, columns=columns, num_columns=dropped
                )
            )
            documents: dict[int, Counter[int]] = {}
            lengths: Counter[int] = Counter()
            for site, more, terms in pages:
                documents.setdefault(site, Counter()).update(terms)
                lengths[site] += sum(terms.values()) + more
            wanted.append((documents, lengths))
    number = len({site for documents, _ in wanted for site in documents})
    total = sum(len(documents) for documents, _ in wanted)
    df = Counter(term for documents, _ in wanted for terms in documents.values() for term in terms)
    cf = sum((terms for documents, _ in wanted for terms in documents.values()), Counter())
    fitting = [term for term in range(dropped) if 0.1 * total <= df[term] <= 0.5 * total and df[term]]
    vocabulary = sorted(sorted(fitting, key=lambda term: (-cf[term], term))[:2])
    chosen = choose_terms(found, number=2)
    assert chosen.tolist() == vocabulary
    for some, (documents, lengths) in zip(found, wanted, strict=True):
        weights = weigh_documents(some.select(chosen), num_documents=number).toarray()
        mean = sum(lengths.values()) / len(documents)
        for site in range(4):
            for place, term in enumerate(vocabulary):
                n = sum(term in terms for terms in documents.values())
                tf = documents.get(site, Counter())[term]
                norm = 1.2 * (0.25 + 0.75 * lengths[site] / mean) if mean else 1.2
                weight = math.log((number - n + 0.5) / (n + 0.5)) * 2.2 * tf / (norm + tf) if tf else 0
                assert weights[site, place] == pytest.approx(weight)


def test_large_sites_keep_the_same_pages_when_others_come_and_go() -> None:
    keys = [f"org,a)/{number}" for number in range(100)]
    whole = choose_pages(np.zeros(100, np.int64), pa.array(keys), 10)
    assert len(whole) == 10
    chosen = {keys[node] for node in whole}
    fewer = [key for key in keys if key in chosen or int(key[7:]) % 2]
    again = choose_pages(np.zeros(len(fewer), np.int64), pa.array(fewer), 10)
    assert {fewer[node] for node in again} == chosen


def test_small_sites_beside_a_large_one_keep_all_pages() -> None:
    of_node = np.array([0, 1, 1, 1, 0, 2])
    chosen = choose_pages(of_node, pa.array([f"{node}" for node in range(6)]), 2)
    assert np.bincount(of_node[chosen]).tolist() == [2, 2, 1]
    assert chosen.tolist() == sorted(chosen)
    assert choose_pages(of_node, pa.array(["x"] * 6), 0).tolist() == list(range(6))


def test_a_new_document_is_weighed_with_what_is_known(tmp_path: Path) -> None:
    rows = make_rows([(10, {0: 2}), (10, {0: 1, 1: 3}), (10, {1: 1}), (10, {2: 5})])
    archive = write_archive(tmp_path, rows)
    kinds = {"columns": np.arange(3, dtype=np.uint32), "num_columns": 3}
    documents = count_documents(archive, np.arange(4), np.arange(4), 4, **kinds)  # type: ignore[arg-type]
    weights = Weights.from_facts(measure(documents).to_facts())
    again = weights.weigh(documents.counts[1:2], documents.lengths[1:2])
    assert again.toarray().tolist() == weigh_documents(documents).toarray()[1:2].tolist()


def test_no_documents_at_all_have_no_mean_length() -> None:
    empty = Documents(csr_array((0, 3), dtype=np.int32), np.zeros(0), np.zeros(0, np.bool_))
    assert empty.mean_length == 0
    assert choose_terms([empty]).tolist() == []


def test_the_set_bm25_has_a_row_a_site_and_says_how_a_new_one_is_weighed(months: list[ws.Snapshot]) -> None:
    settings = ClassifySettings(least_share=0.2)
    found = from_table(build_bm25(months[2], settings, Progress()))
    assert found.hosts == ["a.org", "b.org", "c.org", "d.org"]
    assert found.names == ["cheap", "deep", "fish", "pill", "reef", "ship", "swim", "wood"]
    weights = Weights.from_facts(found.facts)
    assert dict(zip(found.names, weights.df.tolist(), strict=True))["pill"] == 2
    norm = 1.2 * (0.25 + 0.75 * 6 / weights.mean_length)  # of c.org, with the words of its two links
    assert found.matrix[2, 3] == 0  # a term in half of the sites weighs nothing
    assert found.matrix[2, 5] == pytest.approx(math.log(3.5 / 1.5) * 2.2 / (norm + 1), rel=1e-6)


def test_a_page_more_than_wanted_of_a_site_is_left_out(months: list[ws.Snapshot]) -> None:
    few, all_of_them = (
        open_documents([months[2]], ClassifySettings(max_pages=number, least_share=0.2)) for number in (1, 0)
    )
    assert few.documents[0].lengths[0] < all_of_them.documents[0].lengths[0]
    assert few.documents[0].lengths[1:].tolist() == all_of_them.documents[0].lengths[1:].tolist()


def test_summaries_of_other_words_are_refused(months: list[ws.Snapshot]) -> None:
    may, june = months[1:]
    build_summaries(may, SummariesSettings(min_df=1, stemmer="none"), workers=1)
    try:
        with pytest.raises(
            UsageError, match=r"of 2026-05 were made with stemmer none, those of 2026-06 with po"
        ):
            open_documents([may, june], ClassifySettings())
    finally:
        build_summaries(may, SummariesSettings(min_df=1), workers=1)
