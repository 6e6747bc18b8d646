"""The virtualizer against a list for each host, and what it leaves on the disk."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.frontier.virtualizer import Virtualizer
from webstrata.collection.faults import injected
from webstrata.errors import DiskFullError, StorageError

HOSTS = st.integers(0, 6) | st.just(2**32 - 1)
RECORDS = st.binary(max_size=12) | st.integers(0, 9000).map(lambda length: b"x" * length)
PUSH = st.tuples(st.just("push"), HOSTS, st.lists(RECORDS, min_size=1, max_size=20))
PULL = st.tuples(st.just("pull"), HOSTS, st.sampled_from([0, 1, 10, 100, 10**9]))
DROP = st.tuples(st.just("drop"), HOSTS, st.none())


class Model:
    """A list for each host."""

    def __init__(self) -> None:
        self.queues: defaultdict[int, list[bytes]] = defaultdict(list)

    def pull(self, host: int, max_bytes: int) -> list[bytes]:
        taken: list[bytes] = []
        while self.queues[host] and sum(map(len, taken)) < max_bytes:
            taken.append(self.queues[host].pop(0))
        return taken


@given(st.lists(PUSH | PULL | DROP, max_size=40), st.sampled_from([1, 40, 400, 4000]))
def test_each_host_keeps_its_order(operations: list[tuple[str, int, object]], staging: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        virtualizer, model = Virtualizer(Path(place), staging_bytes=staging), Model()
        for kind, host, what in operations:
            if isinstance(what, list):
                for record in what:
                    virtualizer.push(host, record)
                    model.queues[host].append(record)
            elif isinstance(what, int):
                assert virtualizer.pull(host, what) == model.pull(host, what)
            else:
                assert kind == "drop"
                virtualizer.drop_host(host)
                model.queues[host] = []
            assert virtualizer.len_of(host) == len(model.queues[host])
            assert virtualizer.num_hosts == sum(map(bool, model.queues.values()))
            assert virtualizer.num_records == sum(map(len, model.queues.values()))
        for host, queue in model.queues.items():
            assert virtualizer.pull(host, 10**9) == [*queue]
        assert virtualizer.num_hosts == virtualizer.num_records == 0


@pytest.mark.parametrize("seed", range(4))
def test_a_long_crawl_keeps_order_and_little_more_on_disk_than_what_is_waiting(
    tmp_path: Path, seed: int
) -> None:
    random, staging = Random(seed), 1 << 12
    virtualizer, model = Virtualizer(tmp_path, staging_bytes=staging), Model()
    num_written, number = 0, 0
    for step in range(30_000):
        # some hosts are a thousand times as large as others, and the slowest are hardly ever pulled
        host = int(300 * random.random() ** 4)
        if random.random() < (0.7 if step % 10_000 < 5000 else 0.4):
            number += 1
            record = b"/%d/%s" % (number, b"x" * random.randrange(60))
            virtualizer.push(host, record)
            model.queues[host].append(record)
        elif host % 10:
            assert virtualizer.pull(host, 200) == model.pull(host, 200)
        if step % 100 == 0:
            files = [path.stat().st_size for path in tmp_path.iterdir()]
            assert sum(files) == virtualizer.num_bytes
            num_written = max(num_written, len(files))
            waiting = sum(20 + len(record) for queue in model.queues.values() for record in queue)
            # twice what is waiting, chunks that were begun, and what is written before the next look
            assert virtualizer.num_bytes <= 2 * waiting + 16 * staging
    assert num_written > 5
    for host, queue in model.queues.items():
        assert virtualizer.pull(host, 10**9) == queue
    assert len(list(tmp_path.iterdir())) <= 1


def test_a_slow_host_does_not_keep_what_others_have_read_on_the_disk(tmp_path: Path) -> None:
    staging = 1 << 12
    virtualizer, slow = Virtualizer(tmp_path, staging_bytes=staging), list[bytes]()
    for round in range(400):
        slow.append(b"%0300d" % round)
        virtualizer.push(0, slow[-1])
        # the slow host has a chunk in every segment, and 97% of it is read at once
        others = [(host, b"%0200d" % (round + turn)) for turn in range(3) for host in range(1, 20)]
        virtualizer.push_many([host for host, _ in others], [record for _, record in others])
        for host in range(1, 20):
            assert virtualizer.pull(host) == [record for other, record in others if other == host]
        if round % 50 == 49:
            # its first records are pulled now and then, in the middle of a chunk
            assert virtualizer.pull(0, 900) == slow[:3]
            del slow[:3]
        assert virtualizer.num_bytes <= 2 * 320 * len(slow) + 24 * staging
    assert virtualizer.pull(0, 10**9) == slow


def test_what_fits_the_stage_never_touches_the_disk(tmp_path: Path) -> None:
    virtualizer = Virtualizer(tmp_path, staging_bytes=10_000)
    for number in range(10_000):
        virtualizer.push(number % 7, b"%020d" % number)
        if number >= 100:
            assert virtualizer.pull((number - 100) % 7, 1) == [b"%020d" % (number - 100)]
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_chunks_with_links(tmp_path: Path) -> None:
    virtualizer = Virtualizer(tmp_path, staging_bytes=3)
    for host, record in [(5, b"/a"), (6, b""), (5, b"/bc")]:
        virtualizer.push(host, record)
    numbers = [(22 + 20, 5, 6), (0, 6, 4), (0, 5, 7)]
    headers = [next.to_bytes(8, "little") + host.to_bytes(4, "little") + length.to_bytes(4, "little")
               for next, host, length in numbers]  # fmt: skip
    records = [b"\2\0\0\0/a", b"\0\0\0\0", b"\3\0\0\0/bc"]
    assert (tmp_path / "hosts-0").read_bytes() == b"".join(
        header + record for header, record in zip(headers, records, strict=True)
    )


def test_a_long_chunk_is_pulled_piece_by_piece(tmp_path: Path) -> None:
    virtualizer = Virtualizer(tmp_path, staging_bytes=1 << 20)
    records = [b"%0*d" % (60 if number % 1000 else 50_000, number) for number in range(20_000)]
    virtualizer.push_many([1] * len(records), records)
    assert virtualizer.num_bytes > 1 << 20
    pulled: list[bytes] = []
    while some := virtualizer.pull(1, 500):
        pulled += some
    assert pulled == records


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    virtualizer = Virtualizer(tmp_path, staging_bytes=100)
    with (
        injected("no-space path=*hosts-0 after=300"),
        pytest.raises(DiskFullError, match="hosts-0: no space"),
    ):
        virtualizer.push_many(range(100), [b"x" * 20] * 100)


def test_a_link_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    virtualizer = Virtualizer(tmp_path, staging_bytes=1)
    virtualizer.push(1, b"/a")
    with injected("write-fails"), pytest.raises(StorageError, match="hosts-0: could not write"):
        virtualizer.push(1, b"/b")


@pytest.mark.parametrize("damage", [b"", b"\xff" * 22, bytes(8) + b"\2\0\0\0" + b"\6\0\0\0" + b"\2\0\0\0/a"])
def test_a_damaged_file_is_an_error_and_no_wrong_record(tmp_path: Path, damage: bytes) -> None:
    virtualizer = Virtualizer(tmp_path, staging_bytes=1)
    virtualizer.push(1, b"/a")
    (tmp_path / "hosts-0").write_bytes(damage)
    with pytest.raises(StorageError, match="hosts-0: could not read"):
        virtualizer.pull(1)
