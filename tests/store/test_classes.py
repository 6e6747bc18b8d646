"""Classes of rows and ends of chains, against ten lines of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store import classes
from webstrata.store.classes import follow_redirects, join_classes, pair_groups
from webstrata.store.sorting import Sorter

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 12
rows = st.integers(0, SIZE - 1)


@given(pairs=st.lists(st.tuples(rows, rows)), block=st.sampled_from([1, 2, 100]))
def test_each_row_leads_to_the_smallest_of_its_class(
    tmp_path: Path, pairs: list[tuple[int, int]], block: int
) -> None:
    np.array(pairs, np.uint32).tofile(tmp_path / "edges")
    leads = np.arange(SIZE, dtype=np.uint32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classes, "_EDGES", block)
        join_classes(leads, tmp_path / "edges")
    members = {row: {row} for row in range(SIZE)}
    for one, other in pairs:
        joined = members[one] | members[other]
        members |= dict.fromkeys(joined, joined)
    assert leads.tolist() == [min(members[row]) for row in range(SIZE)]


def test_a_long_class_takes_few_rounds(tmp_path: Path) -> None:
    size = 1 << 16
    order = np.random.default_rng(1).permutation(size).astype(np.uint32)
    np.stack([order[1:], order[:-1]], axis=1).tofile(tmp_path / "edges")  # a path in any order
    leads = np.arange(size, dtype=np.uint32)
    join_classes(leads, tmp_path / "edges")
    assert not leads.any()


@given(keys=st.lists(st.sampled_from("abc"), max_size=12), memory=st.sampled_from([1, 1 << 20]))
def test_rows_with_the_same_key_are_held_together(tmp_path: Path, keys: list[str], memory: int) -> None:
    sorter = Sorter(tmp_path, "keys", pa.schema([("key", pa.string()), ("row", pa.int64())]), memory=memory)
    for row, key in enumerate(keys):
        sorter.add(pa.table({"key": [key], "row": [row]}))
    with (tmp_path / "edges").open("wb") as stream:
        for edges in pair_groups(sorter):
            edges.tofile(stream)
    leads = np.arange(len(keys), dtype=np.uint32)
    join_classes(leads, tmp_path / "edges")
    assert leads.tolist() == [keys.index(key) for key in keys]
    sorter.remove()


@given(targets=st.lists(st.none() | rows, min_size=SIZE, max_size=SIZE))
def test_a_chain_is_followed_to_its_end(targets: list[int | None]) -> None:
    leads = np.array([row if target is None else target for row, target in enumerate(targets)], np.uint32)
    follow_redirects(leads, np.array([target is not None for target in targets]))
    for row, found in enumerate(leads.tolist()):
        seen = []
        end: int = row
        while (target := targets[end]) is not None and end not in seen:
            seen.append(end)
            end = target
        if targets[end] is None:
            assert found == end
        else:
            assert targets[found] is not None  # a circle
