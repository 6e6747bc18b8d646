"""Hosts measured by the statistics of another corpus: the same as with the corpus, and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.classify.months import make_months
from webstrata.classify.features.content import A, B, build_a, build_b
from webstrata.classify.features.incremental import measure_like
from webstrata.classify.features.pages import page_features, read_lists
from webstrata.classify.features.sparse_table import from_table
from webstrata.classify.features.temporal_content import build_temporal_content
from webstrata.classify.features.term_vectors import build_bm25
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError, UsageError
from webstrata.summaries.build import build_summaries
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = ClassifySettings(least_share=0.0, most_share=1.0)


def test_term_vectors_of_some_hosts_are_those_of_the_whole_snapshot(tmp_path: Path) -> None:
    june = make_months(tmp_path / "uk")[-1]
    for name, build in (("bm25", build_bm25), ("temporal-content", build_temporal_content)):
        found = from_table(build(june, SETTINGS, Progress()))
        made = SETTINGS.to_dict()
        hosts, values = measure_like(june, name, found.names, found.facts, made, hosts=["b.org", "a.org"])
        assert hosts == ["a.org", "b.org"]
        rows = [found.hosts.index(host) for host in hosts]
        assert np.array_equal(values.toarray(), found.matrix[rows].toarray())
        everyone, values = measure_like(june, name, found.names, found.facts, made)
        assert everyone == found.hosts
        assert np.array_equal(values.toarray(), found.matrix.toarray())


def test_content_of_some_hosts_is_that_of_the_whole_snapshot(tmp_path: Path) -> None:
    june = make_months(tmp_path / "uk")[-1]
    page_features(june, SETTINGS)
    statistics = read_lists(june)._asdict()
    for name, columns, build in (("A", A, build_a), ("B", B, build_b)):
        table = build(june, SETTINGS, Progress())
        hosts, values = measure_like(june, name, list(columns), statistics, {}, hosts=["d.org", "www.a.org"])
        rows = [table["host"].to_pylist().index(host) for host in hosts]
        whole = np.stack([table[column].to_numpy()[rows] for column in columns], axis=1)
        assert hosts == ["a.org", "d.org"]
        assert np.array_equal(values, whole, equal_nan=True)


def test_a_later_month_is_weighed_by_the_document_frequencies_of_the_earlier(tmp_path: Path) -> None:
    april, _, june = make_months(tmp_path / "uk")
    known = from_table(build_bm25(april, SETTINGS, Progress()))
    own = from_table(build_bm25(june, SETTINGS, Progress()))
    hosts, values = measure_like(june, "bm25", known.names, known.facts, SETTINGS.to_dict())
    assert set(known.names) - set(own.names)  # terms that June's own vocabulary has lost
    there = values.toarray()[hosts.index("d.org")]
    before = known.matrix[known.hosts.index("d.org")].toarray().ravel()
    assert np.allclose(there, before)  # the page of d.org is the same in both months
    place = known.names.index("wood")
    now = own.matrix[own.hosts.index("d.org"), own.names.index("wood")]
    assert there[place] == pytest.approx(before[place])
    assert now != pytest.approx(before[place])  # by June's own frequencies it would be another


def test_summaries_of_other_settings_and_too_few_months_are_refused(tmp_path: Path) -> None:
    april, _, june = make_months(tmp_path / "uk")
    found = from_table(build_temporal_content(june, SETTINGS, Progress()))
    with pytest.raises(MissingError, match="no earlier snapshot"):
        measure_like(april, "temporal-content", found.names, found.facts, {})
    known = from_table(build_bm25(june, SETTINGS, Progress()))
    build_summaries(june, SummariesSettings(min_df=1, stemmer="none"), workers=1)
    with pytest.raises(UsageError, match="stemmer none, those that the model was trained on with porter"):
        measure_like(june, "bm25", known.names, known.facts, {})
