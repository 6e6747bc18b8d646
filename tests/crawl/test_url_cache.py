"""The URL cache against lists in the order of their last use, and how much it keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.frontier.url_cache import UrlCache

HASHES = st.lists(st.integers(0, 40) | st.integers(2**64 - 5, 2**64 - 1))


class Model:
    """Sets of eight hashes, the last used first; 0 has a place of its own."""

    def __init__(self, num_sets: int) -> None:
        self.sets: list[list[int]] = [[] for _ in range(num_sets)]
        self.has_zero = False

    def insert(self, hash: int) -> bool:
        if hash == 0:
            was_there, self.has_zero = self.has_zero, True
            return not was_there
        line = self.sets[(hash * 0x9E3779B97F4A7C15 % 2**64) * len(self.sets) >> 64]
        is_new = hash not in line
        line[:] = [hash, *(other for other in line if other != hash)][:8]
        return is_new


@given(HASHES, st.integers(1, 3))
def test_what_was_used_last_stays(hashes: list[int], num_sets: int) -> None:
    cache, model = UrlCache(64 * num_sets), Model(num_sets)
    assert [cache.insert(hash) for hash in hashes] == [model.insert(hash) for hash in hashes]


@given(HASHES, st.integers(1, 3))
def test_many_at_once_are_the_same_as_one_by_one(hashes: list[int], num_sets: int) -> None:
    cache, model = UrlCache(64 * num_sets), Model(num_sets)
    answers = cache.insert_many(np.array(hashes, np.uint64))
    assert answers.tolist() == [model.insert(hash) for hash in hashes]


@given(st.sets(st.integers(0, 2**64 - 1)))
def test_a_hash_that_never_came_in_is_never_called_known(hashes: set[int]) -> None:
    cache = UrlCache(64)
    assert all(cache.insert(hash) for hash in hashes)


def test_as_many_random_hashes_as_half_its_size_are_almost_all_kept() -> None:
    cache = UrlCache(1 << 20)
    hashes = np.random.default_rng(7).integers(0, 2**64, (1 << 20) // 16, dtype=np.uint64)
    assert cache.insert_many(hashes).all()
    # sets fill unevenly: of a Poisson variable with mean 4, 0.8% lies above 8
    assert cache.insert_many(hashes).mean() < 0.05


@pytest.mark.parametrize(("asked", "got"), [(0, 64), (64, 64), (127, 64), (1 << 20, 1 << 20)])
def test_its_size_is_whole_sets(asked: int, got: int) -> None:
    assert UrlCache(asked).num_bytes == got
