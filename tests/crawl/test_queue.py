"""The queue on disk against a deque, and what it leaves on the disk."""

from __future__ import annotations

import shutil
import tempfile
from collections import deque
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.frontier.queue import DiskQueue, join_records, split_records
from webstrata.collection.faults import injected
from webstrata.errors import DiskFullError, MissingError, StorageError

RECORDS = st.binary(max_size=40) | st.integers(0, 700).map(lambda length: b"x" * length)
# a number is how many records are taken
OPERATIONS = st.lists(st.lists(RECORDS, min_size=1, max_size=60) | st.integers(1, 80), max_size=25)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "queue"


def push_all(queue: DiskQueue, records: list[bytes]) -> None:
    for record in records:
        queue.push(record)


def pop_all(queue: DiskQueue) -> list[bytes]:
    records = []
    while (record := queue.pop()) is not None:
        records.append(record)
    return records


@given(OPERATIONS, st.sampled_from([1, 10, 100, 1000]))
def test_records_come_out_in_the_order_of_their_coming(
    operations: list[list[bytes] | int], buffer: int
) -> None:
    with tempfile.TemporaryDirectory() as place:
        queue, model = DiskQueue(Path(place), buffer=buffer), deque[bytes]()
        for operation in operations:
            if isinstance(operation, int):
                for _ in range(operation):
                    assert queue.pop() == (model.popleft() if model else None)
            else:
                push_all(queue, operation)
                model.extend(operation)
            assert len(queue) == len(model)
        assert pop_all(queue) == list(model)


def test_a_small_queue_never_touches_the_disk(folder: Path) -> None:
    queue = DiskQueue(folder, buffer=1000)
    for number in range(10_000):
        queue.push(b"%090d" % number)
        if number % 2:
            assert queue.pop() == b"%090d" % (number - 1)
            assert queue.pop() == b"%090d" % number
    # as much in memory as fits
    for number in range(20):
        queue.push(b"%090d" % number)
    assert list(folder.iterdir()) == []
    queue.push(b"x" * 1000)
    assert len(list(folder.iterdir())) == 1


def test_what_was_read_is_deleted(folder: Path) -> None:
    queue = DiskQueue(folder, "late", buffer=100)
    for number in range(5000):
        queue.push(b"%016d" % number)
    files = sorted(path.name for path in folder.iterdir())
    # 5000 records of 20 bytes, 64 buffers of 100 bytes in a file
    assert files == sorted(f"late-{number}" for number in range(16))
    for number in range(4500):
        assert queue.pop() == b"%016d" % number
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 500 * 20 + 64 * 100
    for number in range(4500, 5000):
        assert queue.pop() == b"%016d" % number
    assert queue.pop() is None
    assert len(list(folder.iterdir())) <= 1


def test_the_file_is_lengths_and_bytes(folder: Path) -> None:
    queue = DiskQueue(folder, buffer=1)
    push_all(queue, [b"in memory", b"/a", b"", b"/bc"])
    assert (folder / "queue-0").read_bytes() == b"\2\0\0\0/a\0\0\0\0\3\0\0\0/bc"


def test_two_queues_share_a_folder(folder: Path) -> None:
    queues = [DiskQueue(folder, name, buffer=1) for name in "ab"]
    for number in range(100):
        for queue in queues:
            queue.push(b"%d" % number)
    assert [queue.pop() for queue in queues for _ in range(100)] == [b"%d" % n for n in range(100)] * 2


def test_a_full_disk_is_said(folder: Path) -> None:
    queue = DiskQueue(folder, buffer=100)
    plan = "no-space path=*queue-0 after=1000"
    with injected(plan), pytest.raises(DiskFullError, match="queue-0: no space"):
        push_all(queue, [b"x" * 50] * 100)


@pytest.mark.parametrize("damage", [b"\xff" * 2000, b"\xff" * 400, b""])
def test_a_damaged_file_is_an_error_and_no_wrong_record(folder: Path, damage: bytes) -> None:
    queue = DiskQueue(folder, buffer=100)
    push_all(queue, [b"x" * 16] * 100)
    (folder / "queue-0").write_bytes(damage)
    with pytest.raises(StorageError, match="queue-0: could not read"):
        pop_all(queue)


def test_a_file_that_is_gone_is_said(folder: Path) -> None:
    queue = DiskQueue(folder, buffer=1)
    push_all(queue, [b"x"] * 3)
    shutil.rmtree(folder)
    assert queue.pop() == b"x"
    with pytest.raises(MissingError):
        queue.pop()


@given(st.lists(RECORDS))
def test_joined_records_can_be_split(records: list[bytes]) -> None:
    text, ends = join_records(records)
    assert ends.dtype == np.uint64
    assert split_records(text, ends) == records
