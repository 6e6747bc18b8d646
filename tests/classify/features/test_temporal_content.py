"""The five groups against their formulas, written down slowly."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from webstrata.classify.features import temporal_content
from webstrata.classify.features.feature_sets import build_features, load_features
from webstrata.classify.features.sparse_table import from_table
from webstrata.classify.features.temporal_content import (
    DECAY,
    FORMULAS,
    GROUPS,
    build_temporal_content,
    iter_weights,
    name_groups,
)
from webstrata.classify.features.term_vectors import open_documents, weigh_documents
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    import numpy.typing as npt

    import webstrata as ws


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


def stack(vectors: list[csr_array], decay: float = DECAY) -> npt.NDArray[np.float64]:
    """All blocks as one matrix."""
    return np.concatenate([block.toarray() for block in iter_weights(vectors, decay=decay)])


@given(st.integers(2, 5), st.integers(1, 3), st.integers(1, 4), st.sampled_from([0.1, 1.0]), st.data())
def test_every_group_is_what_its_formula_says(
    times: int, sites: int, terms: int, decay: float, data: st.DataObject
) -> None:
    size = times * sites * terms
    values = st.one_of(st.just(0.0), st.floats(-5, 5))
    dense = np.array(data.draw(st.lists(values, min_size=size, max_size=size))).reshape(times, sites, terms)
    found = stack([csr_array(some) for some in dense], decay=decay)
    names = name_groups(times)
    assert [f"{name}:TERM" for name in GROUPS] == list(FORMULAS)
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
    whole = stack(vectors)
    monkeypatch.setattr(temporal_content, "_CELLS", 11)
    assert (stack(vectors) == whole).all()


def test_one_snapshot_is_no_motion() -> None:
    with pytest.raises(ValueError, match="expected 2 at least"):
        stack([csr_array([[1.0]])])


def test_the_set_has_the_terms_of_all_months_for_the_sites_of_the_last(months: list[ws.Snapshot]) -> None:
    settings = ClassifySettings(least_share=0.1, decay=1.0)
    found = from_table(build_temporal_content(months[2], settings, Progress()))
    assert found.hosts == ["a.org", "b.org", "c.org", "d.org"]
    assert found.facts["snapshots"] == ["2026-04", "2026-05", "2026-06"]
    assert [len(one["df"]) for one in found.facts["weights"]] == [len(found.names) // 5] * 3
    assert {name.partition(":")[0] for name in found.names} == set(GROUPS)
    web = open_documents(months, settings)
    assert len(web.sites) == 5  # with e.org, that June has not
    vectors = [weigh_documents(some, num_documents=5).toarray() for some in web.documents]
    for site, term in ((1, "pill"), (0, "fish"), (2, "pill"), (3, "reef")):
        weights = [vector[site, web.terms.index(term)] for vector in vectors]
        for group, value in reference(weights, 1.0).items():
            column = found.names.index(f"{group}:{term}")
            assert found.matrix[site, column] == pytest.approx(value, abs=1e-6), (site, term, group)
    assert not vectors[0][2].any()  # c.org was not there in April: no term counts
    two = from_table(build_temporal_content(months[2], ClassifySettings(earlier=("2026-05",)), Progress()))
    assert "devdiff" not in {name.partition(":")[0] for name in two.names}


def test_sets_in_motion_are_kept_while_the_months_they_look_back_at_stay(months: list[ws.Snapshot]) -> None:
    names = ("temporal-link", "bm25", "temporal-content")
    settings = ClassifySettings(sets=names, fingerprints=2, least_share=0.2)
    made = build_features(months[2], settings)
    terms = len(open_documents([months[2]], settings).terms)
    assert [(one.name, one.hosts, one.kept) for one in made] == [(name, 4, False) for name in names]
    assert [one.features for one in made[:2]] == [117, terms]
    assert from_table(months[2].features("bm25").to_arrow()).matrix.shape == (4, terms)
    assert all(one.kept for one in build_features(months[2], settings))
    other = dataclasses.replace(settings, earlier=("2026-04",))
    assert [one.kept for one in build_features(months[2], other)] == [False, True, False]
    with pytest.raises(ValueError, match="bm25 has sparse rows"):
        load_features(months[2], ["temporal-link", "bm25"])
