"""Products with the matrix of the core."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from tests.rank.spectra import reference
from webstrata.rank.spectra import matrix as module
from webstrata.rank.spectra.matrix import CoreMatrix, Product
from webstrata.rank.spectra.subspaces import find_subspaces


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


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_make_the_same_product(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MIN_ENTRIES", 10)
    dense = np.random.default_rng(2).random((50, 50)) * (np.random.default_rng(3).random((50, 50)) < 0.1)
    vector = np.arange(50.0)
    with Product(sparse.csr_array(dense), workers=workers) as product:
        assert len(product._pieces) == workers
        assert np.allclose(product(vector), dense @ vector)
