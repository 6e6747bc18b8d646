"""Simhash: what it is, and how close ones are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store import reference
from webstrata.store.duplicates.simhash import (
    close_pairs,
    combine_hashes,
    count_bits,
    hash_words,
    label_clusters,
    list_clusters,
    nearest,
    simhash,
)
from webstrata.web.words import load_core

numbers = st.integers(0, 2**64 - 1)


@given(st.lists(st.sampled_from(["fish", "Fish", "tank", "water", "ß", "ss", "\ud800"]), max_size=30))
def test_a_simhash_is_the_sign_of_a_sum(words: list[str]) -> None:
    assert simhash(words) == reference.simhash(words)
    if "\ud800" not in words:
        assert load_core().simhash(" ".join(words)) == (len(words), simhash(words))


@given(st.lists(st.tuples(numbers, st.integers(1, 9)), min_size=1, max_size=20), st.integers(1, 64))
def test_hashes_of_any_length_are_combined(features: list[tuple[int, int]], bits: int) -> None:
    hashes = [number % 2**bits for number, _ in features]
    weights = [weight for _, weight in features]
    value, vector = combine_hashes(np.array(hashes, np.uint64), np.array(weights), bits=bits)
    assert vector.tolist() == [
        sum(weight if number >> bit & 1 else -weight for number, weight in zip(hashes, weights, strict=True))
        for bit in reversed(range(bits))
    ]
    assert [value >> bit & 1 for bit in reversed(range(bits))] == [int(entry > 0) for entry in vector]


@given(
    st.lists(st.one_of(numbers, st.integers(0, 31), st.integers(0, 31).map(lambda n: n << 59)), max_size=25),
    st.integers(0, 5),
    st.one_of(st.none(), st.integers(6, 9)),
)
def test_all_close_pairs_are_found_and_no_others(values: list[int], k: int, blocks: int | None) -> None:
    found = close_pairs(np.array(values, np.uint64), k, blocks=blocks).tolist()
    assert found == [
        [i, j]
        for i in range(len(values))
        for j in range(i + 1, len(values))
        if (values[i] ^ values[j]).bit_count() <= k
    ]


def test_many_random_simhashes_take_no_n_squared() -> None:
    draw = np.random.default_rng(1)
    values = draw.integers(0, 2**64, 200_000, dtype=np.uint64)
    flipped = values[:100] ^ (np.uint64(1) << draw.integers(0, 64, 100, dtype=np.uint64))
    found = close_pairs(np.concatenate([values, flipped]), 3)
    assert found.tolist() == [[place, 200_000 + place] for place in range(100)]


def test_distances_that_make_no_sense_are_refused() -> None:
    for options in ({"k": -1}, {"k": 64}, {"k": 3, "blocks": 3}, {"k": 3, "blocks": 65}):
        with pytest.raises(ValueError, match="expected"):
            close_pairs(np.zeros(2, np.uint64), **options)  # type: ignore[arg-type]


@given(st.integers(1, 20), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=25))
def test_clusters_are_what_pairs_join(size: int, edges: list[tuple[int, int]]) -> None:
    pairs = np.array([edge for edge in edges if max(edge) < size], np.int64).reshape(-1, 2)
    labels = list(range(size))
    for _ in range(size):
        for a, b in pairs.tolist():
            labels[a] = labels[b] = min(labels[a], labels[b])
    assert label_clusters(size, pairs).tolist() == labels
    clusters = [cluster.tolist() for cluster in list_clusters(np.array(labels))]
    assert sorted(clusters) == sorted(
        [place for place in range(size) if labels[place] == label]
        for label in set(labels)
        if labels.count(label) > 1
    )


@given(st.lists(numbers, min_size=1, max_size=20), numbers, st.integers(1, 5))
def test_the_nearest_come_first(values: list[int], wanted: int, top: int) -> None:
    places, distances = nearest(np.array(values, np.uint64), wanted, top)
    expected = sorted(range(len(values)), key=lambda place: ((values[place] ^ wanted).bit_count(), place))
    assert places.tolist() == expected[:top]
    assert distances.tolist() == [(values[place] ^ wanted).bit_count() for place in expected[:top]]
    assert count_bits(np.array(values, np.uint64)).tolist() == [value.bit_count() for value in values]


def test_the_same_word_has_the_same_hash_whenever_it_is_asked_for() -> None:
    many = [f"word{number}" for number in range(1000)]
    assert np.array_equal(hash_words(many), hash_words(many))
    assert len(set(hash_words(many).tolist())) == 1000
