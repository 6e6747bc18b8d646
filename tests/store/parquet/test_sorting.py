"""Rows sorted on disk come out as rows sorted in memory, however they are cut into runs and pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.store.parquet import sorting
from webstrata.store.parquet.sorting import Queue, Sorter, Spool, frugal

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema([("key", pa.string()), ("number", pa.int64())])
rows = st.lists(st.tuples(st.sampled_from(["", "a", "aé", "b", "b\U0001f41f", "c"]), st.integers(0, 9)))


def make(pairs: list[tuple[str, int]]) -> pa.Table:
    return pa.table([[key for key, _ in pairs], [number for _, number in pairs]], schema=SCHEMA)


@settings(max_examples=30)
@given(
    tables=st.lists(rows, max_size=12), memory=st.sampled_from([1, 100, 1 << 20]), piece=st.integers(1, 80)
)
def test_all_rows_come_back_in_order(
    tmp_path: Path, tables: list[list[tuple[str, int]]], memory: int, piece: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "FAN_IN", 3)
        patch.setattr(sorting, "PIECE", piece)
        patch.setattr(sorting, "_AHEAD", 2)
        sorter = Sorter(tmp_path, "rows", SCHEMA, memory=memory)
        for pairs in tables:
            sorter.add(make(pairs))
        for _ in range(2):  # as often as asked for
            found = [
                row for table in sorter.tables() for row in zip(*table.to_pydict().values(), strict=True)
            ]
            assert [key for key, _ in found] == sorted(key for key, _ in found)
            assert sorted(found) == sorted(row for pairs in tables for row in pairs)
        sorter.remove()
    assert not list(tmp_path.iterdir())


def test_runs_are_not_read_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "PIECE", 1 << 12)
    sorter = Sorter(tmp_path, "rows", SCHEMA, memory=1 << 16)
    for start in range(0, 50_000, 1000):
        sorter.add(make([(f"{number * 7919 % 50_000:06}", number) for number in range(start, start + 1000)]))
    before = pa.total_allocated_bytes()
    largest = 0
    for table in sorter.tables():
        largest = max(largest, table.nbytes)
        assert pa.total_allocated_bytes() - before < 1 << 19
    assert largest < 1 << 18


def test_a_queue_is_emptied_from_its_front() -> None:
    tables = [make([("a", 1), ("b", 2)]), make([("b", 3), ("d", 4)])]
    queue = Queue(tables, SCHEMA)
    taken = [queue.take_until(bound)["number"].to_pylist() for bound in ("0", "b", "c", "z", "z")]
    assert taken == [[], [1, 2, 3], [], [4], []]


def test_nothing_is_added_to_a_spool_that_was_read(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool", SCHEMA)
    assert list(spool.tables()) == []
    with pytest.raises(ValueError, match="before the spool is read"):
        spool.add(make([]))


def test_the_pool_of_arrow_is_put_back() -> None:
    before = pa.default_memory_pool().backend_name
    with pytest.raises(KeyError), frugal():
        raise KeyError
    assert pa.default_memory_pool().backend_name == before
