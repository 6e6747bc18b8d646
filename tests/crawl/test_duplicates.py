"""The map on disk against a dictionary, also where buckets overflow and double."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.frontier.duplicates import DiskMap
from webstrata.collection.faults import injected
from webstrata.errors import AccessError, DiskFullError, MissingError, StorageError

MIXER = 0x9E3779B97F4A7C15
UNMIXER = pow(MIXER, -1, 2**64)
BUCKET, PAIRS = 4096, 255

KEYS = st.integers(0, 20) | st.integers(0, 2**64 - 1)


def crowd(first: int, count: int) -> list[int]:
    """Keys that all belong to the first or to the last bucket, however many there are."""
    return [(first + number) * UNMIXER % 2**64 for number in range(count)]


@given(st.lists(st.tuples(KEYS, st.integers(0, 2**64 - 1))), st.integers(0, 300), st.integers(0, 2**64))
def test_a_key_keeps_the_value_it_got_first(pairs: list[tuple[int, int]], count: int, start: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        pages, model = DiskMap(Path(place) / "map", cache_bytes=0), dict[int, int]()
        for key, value in [*pairs, *((key, 7) for key in crowd(start, count)), *pairs]:
            assert pages.get_or_insert(key, value) == model.get(key)
            model.setdefault(key, value)
        assert len(pages) == len(model)


@pytest.mark.parametrize("cache_bytes", [0, 5 * BUCKET, 1 << 20])
@pytest.mark.parametrize("start", [None, 0, 2**64 - 700])
def test_many_keys_survive_doubling_and_overflow(tmp_path: Path, cache_bytes: int, start: int | None) -> None:
    random = np.random.default_rng(7)
    keys = random.integers(0, 2**64, 5000, dtype=np.uint64)
    if start is not None:
        # more than two buckets can hold, all for one; from the last bucket they spill into the first
        keys[1000:1700] = crowd(start, 700)
        keys[3000:3500] = crowd((start + 2**63) % 2**64, 500)
    keys = np.concatenate([keys, keys[::-1]])
    numbers = np.arange(len(keys), dtype=np.uint64)
    pages = DiskMap(tmp_path / "map", cache_bytes=cache_bytes)
    found, had_one = pages.get_or_insert_many(keys, numbers)
    _, first, back = np.unique(keys, return_index=True, return_inverse=True)
    assert np.array_equal(found, first[back].astype(np.uint64))
    assert np.array_equal(had_one, found != numbers)
    assert len(pages) == 5000
    # 5000 pairs are 70% of 28 buckets or more, and buckets are a power of two
    assert (tmp_path / "map").stat().st_size == 32 * BUCKET
    assert [path.name for path in tmp_path.iterdir()] == ["map"]


def test_the_file_is_buckets_of_pairs(tmp_path: Path) -> None:
    path = tmp_path / "map"
    pages = DiskMap(path, cache_bytes=0)
    keys = np.random.default_rng(7).integers(0, 2**64, 3000, dtype=np.uint64)
    pages.get_or_insert_many(keys, np.arange(3000, dtype=np.uint64))
    # what is still in memory, two buckets, is not there yet
    written = np.fromfile(path, "<u8").reshape(-1, BUCKET // 8)
    stored = {
        int(key): (int(value), number)
        for number, bucket in enumerate(written)
        for key, value in bucket[2:].reshape(-1, 2)[: int(bucket[0])]
    }
    assert len(stored) > 2000
    for key, (value, bucket) in stored.items():
        assert keys[value] == key
        assert bucket == key * MIXER % 2**64 * len(written) >> 64
    assert not written[:, 1].any()


def test_a_map_that_fits_its_memory_is_not_written_before_it_grows(tmp_path: Path) -> None:
    pages = DiskMap(tmp_path / "map")
    for key in crowd(0, 300):
        pages.get_or_insert(key, 1)
    assert not any((tmp_path / "map").read_bytes())


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    pages = DiskMap(tmp_path / "map", cache_bytes=0)
    keys = np.random.default_rng(7).integers(0, 2**64, 2000, dtype=np.uint64)
    with injected("no-space path=*map*"), pytest.raises(DiskFullError, match="no space left to write"):
        pages.get_or_insert_many(keys, keys)


def test_a_damaged_bucket_is_an_error(tmp_path: Path) -> None:
    pages = DiskMap(tmp_path / "map")
    (tmp_path / "map").write_bytes(b"\xff" * 2 * BUCKET)
    with pytest.raises(StorageError, match="map: could not read"):
        pages.get_or_insert(1, 1)


def test_a_place_where_no_file_can_be_is_said(tmp_path: Path) -> None:
    with pytest.raises((MissingError, AccessError), match="nothing there to write"):
        DiskMap(tmp_path / "no" / "map")


def test_keys_and_values_must_be_as_many(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 numbers for 2 records"):
        DiskMap(tmp_path / "map").get_or_insert_many(np.zeros(1, np.uint64), np.zeros(2, np.uint64))
