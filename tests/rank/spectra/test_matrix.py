"""Products with the matrix of the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from tests.rank.spectra import reference
from webstrata.rank.spectra import matrix as module
from webstrata.rank.spectra.matrix import CompressedCore, CoreMatrix, Product
from webstrata.rank.spectra.subspaces import find_subspaces

if TYPE_CHECKING:
    from pathlib import Path


@given(lists=reference.planted())
def test_products_are_those_of_the_part_of_the_google_matrix(lists: reference.Lists) -> None:
    graph = reference.to_graph(lists)
    subspaces = find_subspaces(graph, bound=1)
    core = CoreMatrix(graph, subspaces)
    whole = reference.google_matrix(lists)
    inside = whole[np.ix_(subspaces.core, subspaces.core)]
    # nothing leads from a subspace to the core
    assert not whole[np.ix_(subspaces.core, subspaces.nodes)].any()
    vector = np.random.default_rng(1).standard_normal(core.size)
    assert np.allclose(core.multiply(vector), inside @ vector, atol=1e-14)
    assert core.quotient.size <= core.size


def test_products_from_compressed_lists_are_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    lists = [np.unique(rng.integers(200, size=4)).tolist() if node % 5 else [] for node in range(200)]
    lists[0], lists[1] = [1], [0]
    graph = reference.to_graph(lists)
    subspaces = find_subspaces(graph, bound=0.1)
    assert subspaces.nodes.tolist() == [0, 1]
    core = CoreMatrix(graph, subspaces)
    compressed = CompressedCore(graph, graph.transpose().write(tmp_path / "turned"), subspaces)
    vector = rng.standard_normal(core.size) + 1j * rng.standard_normal(core.size)
    for one in (vector, vector.real.copy()):
        np.testing.assert_allclose(compressed.multiply(one), core.multiply(one), atol=1e-14)
    assert compressed.rows == core.size
    assert compressed.identify() == compressed.identify() != core.identify()


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_make_the_same_product(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MIN_ENTRIES", 10)
    dense = np.random.default_rng(2).random((50, 50)) * (np.random.default_rng(3).random((50, 50)) < 0.1)
    vector = np.arange(50.0)
    with Product(sparse.csr_array(dense), workers=workers) as product:
        assert len(product._pieces) == workers
        assert np.allclose(product(vector), dense @ vector)
