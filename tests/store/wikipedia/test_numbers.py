"""Numbers by identifier, and pairs sorted on disk, beside a dict and a set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.wikipedia.numbers import IdNumbers, Pairs

if TYPE_CHECKING:
    import pytest

_small = st.integers(0, 50) | st.integers(0, 70_000)


@given(
    st.lists(st.lists(st.tuples(_small, st.integers(0, 2**32 - 3)), max_size=5), max_size=4), st.lists(_small)
)
def test_identifiers_have_the_numbers_that_they_were_given(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[list[tuple[int, int]]], asked: list[int]
) -> None:
    numbers = IdNumbers(tmp_path_factory.mktemp("ids") / "numbers")
    known: dict[int, int] = {}
    for block in blocks:
        unique = dict(block)
        numbers.put(np.array(list(unique), np.int64), np.array(list(unique.values()), np.int64))
        known |= unique
    wanted = [*known, *asked]
    assert numbers.get(np.array(wanted, np.int64)).tolist() == [known.get(place, -1) for place in wanted]


@given(st.lists(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 5)), max_size=20), max_size=4))
def test_pairs_come_back_once_each_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[list[tuple[int, int]]]
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    pairs = Pairs(folder, "arcs", num_sources=100, size_hint=100, memory=160)
    for block in blocks:
        array = np.array(block, np.int64).reshape(-1, 2)
        pairs.add(array[:, 0], array[:, 1])
    found = [pair for sources, ends in pairs for pair in zip(sources.tolist(), ends.tolist(), strict=True)]
    assert found == sorted({pair for block in blocks for pair in block})
    assert pairs.num_added == sum(map(len, blocks))
    assert len(list(folder.iterdir())) <= 10
