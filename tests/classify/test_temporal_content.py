"""The five groups against their formulas, written down slowly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from webstrata.classify import temporal_content
from webstrata.classify.temporal_content import name_groups, temporal_weights


def reference(t: list[float], decay: float) -> dict[str, float]:
    """The groups of one term of one site."""
    last = len(t)
    ave = sum(t) / last
    steps = [abs(t[T] - t[T - 1]) for T in range(1, last)]
    avediff = sum(steps) / (last - 1)
    found = {
        "ave": ave,
        "avediff": avediff,
        "dev": sum((value - ave) ** 2 for value in t) / (last - 1),
        "decay": sum(decay * math.exp(-decay * (last - T)) * t[T - 1] for T in range(1, last + 1)),
    }
    if last > 2:
        found["devdiff"] = sum((step - avediff) ** 2 for step in steps) / (last - 2)
    return found


@given(st.integers(2, 5), st.integers(1, 3), st.integers(1, 4), st.sampled_from([0.1, 1.0]), st.data())
def test_every_group_is_what_its_formula_says(
    times: int, sites: int, terms: int, decay: float, data: st.DataObject
) -> None:
    size = times * sites * terms
    values = st.one_of(st.just(0.0), st.floats(-5, 5))
    dense = np.array(data.draw(st.lists(values, min_size=size, max_size=size))).reshape(times, sites, terms)
    found = temporal_weights([csr_array(some) for some in dense], decay=decay).toarray()
    names = name_groups(times)
    assert found.shape == (sites, len(names) * terms)
    for site in range(sites):
        for term in range(terms):
            wanted = reference(dense[:, site, term].tolist(), decay)
            for place, name in enumerate(names):
                value = found[site, place * terms + term]
                assert value == pytest.approx(wanted[name], abs=1e-12), name


def test_blocks_of_sites_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    vectors = [csr_array(random.random((7, 5)) * (random.random((7, 5)) < 0.4)) for _ in range(3)]
    whole = temporal_weights(vectors).toarray()
    monkeypatch.setattr(temporal_content, "_CELLS", 11)
    assert (temporal_weights(vectors).toarray() == whole).all()


def test_one_snapshot_is_no_motion() -> None:
    with pytest.raises(ValueError, match="expected 2 at least"):
        temporal_weights([csr_array([[1.0]])])
