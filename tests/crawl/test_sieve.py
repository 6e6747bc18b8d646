"""The sieve against a set and a list, in small and where runs are long enough to jump in them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.frontier.sieve import Sieve, hash_url
from webstrata.collection.faults import injected
from webstrata.errors import DiskFullError, StorageError

HASHES = st.integers(0, 30) | st.integers(2**64 - 3, 2**64 - 1) | st.integers(0, 2**64 - 1)


class Model:
    """Each hash once ever, in the order of its first coming."""

    def __init__(self) -> None:
        self.known: set[int] = set()
        self.pending: list[tuple[int, bytes]] = []

    def flush(self) -> list[bytes]:
        released = []
        for hash, record in self.pending:
            if hash not in self.known:
                self.known.add(hash)
                released.append(record)
        self.pending = []
        return released


@given(st.lists(st.lists(HASHES, max_size=40), max_size=20), st.sampled_from([1, 5, 30, 1000]))
def test_each_comes_out_once_in_first_seen_order(batches: list[list[int]], capacity: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        sieve, model = Sieve(Path(place), capacity=capacity), Model()
        for batch in batches:
            for hash in batch:
                # records differ where hashes do not: the first of them must come out
                record = b"%d from %d" % (hash, len(model.pending))
                sieve.enqueue(record, hash)
                model.pending.append((hash, record))
                assert sieve.is_full == (len(model.pending) >= capacity)
                if sieve.is_full:
                    assert sieve.flush() == model.flush()
            assert sieve.num_pending == len(model.pending)
            assert sieve.flush() == model.flush()
            assert sieve.num_known == len(model.known)


def _numbers(count: int, shape: str, seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Hashes of which some kinds defeat a search that trusts in even spread."""
    random = np.random.default_rng(seed)
    even = random.integers(0, 2**64, count, dtype=np.uint64)
    if shape == "even":
        return even
    if shape == "low":
        return even >> np.uint64(40)
    # half of them at one end, half at the other, and a few between
    ends = np.where(even % np.uint64(2) == 0, even >> np.uint64(30), ~(even >> np.uint64(30)))
    return np.where(even % np.uint64(1000) == 0, even, ends)


@pytest.mark.parametrize("shape", ["even", "low", "ends"])
def test_long_runs_are_searched_and_merged_alike(tmp_path: Path, shape: str) -> None:
    sieve, known = Sieve(tmp_path, capacity=1 << 20), np.array([], np.uint64)
    # so many that there is a run, then so few that the next one is far ahead, known and new ones mixed
    for round, count in enumerate([100_000, 5, 1, 50_000, 1000, 2]):
        new = _numbers(count, shape, round)
        again = known[:: max(1, len(known) // count)][:count]
        hashes = np.random.default_rng(round).permutation(np.concatenate([new, again, new]))
        sieve._core.enqueue_many(hashes, hashes.tobytes(), np.arange(1, len(hashes) + 1, dtype=np.uint64) * 8)
        _, first = np.unique(hashes, return_index=True)
        order = hashes[np.sort(first)]
        expected = order[~np.isin(order, known)]
        released = np.frombuffer(b"".join(sieve.flush()), np.uint64)
        assert np.array_equal(released, expected)
        known = np.union1d(known, expected)
        assert sieve.num_known == len(known)
    assert 1 <= sieve.num_runs <= 3
    # every place of a page is found, also its first and last
    random = np.random.default_rng(7)
    for round in range(400):
        hashes = random.choice(known, 5)
        sieve.enqueue_many([b""] * 5, hashes.tolist())
        assert sieve.flush() == [], f"round {round}"


def test_runs_are_sorted_files_and_each_is_twice_as_large_as_those_after_it(tmp_path: Path) -> None:
    sieve, random = Sieve(tmp_path, capacity=100), np.random.default_rng(7)
    for _ in range(300):
        sieve.enqueue_many([b""] * 100, random.integers(0, 2**64, 100, dtype=np.uint64).tolist())
        assert len(sieve.flush()) == 100
    files = sorted(tmp_path.glob("known-*"), key=lambda path: int(path.name.partition("-")[2]))
    runs = [np.fromfile(path, "<u8") for path in files]
    assert len(runs) == sieve.num_runs <= 8
    for number, run in enumerate(runs):
        assert (run[:-1] < run[1:]).all()
        assert len(run) >= 2 * sum(map(len, runs[number + 1 :]))
    # what is not in files is in memory, and that is less than the capacity
    assert 0 <= sieve.num_known - sum(map(len, runs)) <= 100


def test_a_small_sieve_never_touches_the_disk(tmp_path: Path) -> None:
    sieve = Sieve(tmp_path)
    for start in range(0, 60_000, 100):
        urls = [b"http://a.uk/%d" % number for number in range(start, start + 100)]
        sieve.enqueue_many(urls + urls)
        assert sieve.flush() == urls
    assert list(tmp_path.iterdir()) == []
    assert sieve.last_flush_seconds < 1


def test_what_is_released_can_be_taken_in_batches(tmp_path: Path) -> None:
    sieve = Sieve(tmp_path)
    sieve.enqueue_many(b"%0100d" % number for number in range(30_000))
    sizes: list[int] = []
    assert sieve.flush_into(lambda text, ends: sizes.append(len(ends))) == 30_000
    assert len(sizes) == 3
    assert sum(sizes) == 30_000


def test_an_error_of_the_taker_is_raised(tmp_path: Path) -> None:
    def refuse(text: bytes, ends: object) -> None:
        raise LookupError(f"{len(text)} bytes")

    sieve = Sieve(tmp_path)
    sieve.enqueue(b"/a")
    with pytest.raises(LookupError, match="2 bytes"):
        sieve.flush_into(refuse)


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    sieve = Sieve(tmp_path, capacity=10)
    sieve.enqueue_many([b""] * 11, list(range(11)))
    with injected("no-space path=*known-0 after=50"), pytest.raises(DiskFullError, match="known-0: no space"):
        sieve.flush()


def test_a_run_that_was_cut_is_an_error(tmp_path: Path) -> None:
    sieve = Sieve(tmp_path, capacity=10)
    sieve.enqueue_many([b""] * 11, list(range(11)))
    sieve.flush()
    (tmp_path / "known-0").write_bytes(b"12345678")
    sieve.enqueue(b"", 5)
    with pytest.raises(StorageError, match="known-0: could not read"):
        sieve.flush()


def test_places_that_do_not_fit_the_text_are_refused(tmp_path: Path) -> None:
    sieve = Sieve(tmp_path)
    hashes = np.zeros(2, np.uint64)
    with pytest.raises(ValueError, match=r"ends\[1\] is 9, expected 2 to 4"):
        sieve._core.enqueue_many(hashes, b"abcd", np.array([2, 9], np.uint64))
    with pytest.raises(ValueError, match="2 numbers for 1 records"):
        sieve._core.enqueue_many(hashes, b"abcd", np.array([2], np.uint64))


def test_the_hash_is_that_of_xxh3() -> None:
    # the value of the reference implementation for no bytes
    assert hash_url(b"") == 0x2D06800538D394C2
    assert len({hash_url(b"http://a.uk/%d" % number) for number in range(10_000)}) == 10_000
