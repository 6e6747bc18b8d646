"""Features of hosts side by side, those of several sets, dense and sparse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import webstrata as ws
from webstrata.classify.features.feature_sets import keep_table
from webstrata.classify.features.sets import SETS, part_name
from webstrata.classify.features.sparse_table import to_table
from webstrata.classify.learning.cost import Cost
from webstrata.classify.learning.matrix import load_matrix
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ws.Snapshot:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    words = pa.table({"host": ["a.org", "c.org"], "words": pa.array([7, None], pa.float32())})
    terms = to_table(["b.org", "c.org"], ["eel", "fish"], csr_array([[0, 2.5], [1, 0]]))
    for name, table in (("B", words), ("bm25", terms)):
        monkeypatch.setitem(SETS, name, SETS[name].__class__("module:function", "Words.", (), ("ngram",)))
        keep_table(snapshot, part_name(name), table, SETS[name], ClassifySettings(), Cost(), "", Progress())
    return snapshot


def test_sets_lie_side_by_side_and_hosts_of_any_are_there(snapshot: ws.Snapshot) -> None:
    matrix = load_matrix(snapshot)
    assert matrix.hosts == ["a.org", "b.org", "c.org"]
    assert matrix.columns() == {"B": ["words"], "bm25": ["eel", "fish"]}
    assert matrix.term_sets == ("bm25",)
    values = matrix.values().toarray()
    assert np.array_equal(values, [[7.0, 0.0, 0.0], [np.nan, 0.0, 2.5], [np.nan, 1.0, 0.0]], equal_nan=True)
    assert matrix.places() == {"B": [0], "bm25": [1, 2]}
    assert matrix.made["B"] == {"ngram": 3}


def test_some_hosts_and_some_sets_and_parts_of_sets_can_be_had(snapshot: ws.Snapshot) -> None:
    matrix = load_matrix(snapshot, ["bm25"])
    assert matrix.hosts == ["b.org", "c.org"]
    assert matrix.rows([1]).values().toarray().tolist() == [[1, 0]]
    parts = matrix.with_parts({"eels": ("bm25", ["ee"]), "none": ("bm25", ["x"]), "other": ("link", [""])})
    assert parts.columns() == {"bm25": ["eel", "fish"], "eels": ["eel"]}
    assert parts.only(["eels"]).values().toarray().tolist() == [[0], [1]]
