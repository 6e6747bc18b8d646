"""The worked examples of STORE ("Storing Documents": fingerprinting, simhash, checksums)."""

from __future__ import annotations

import hashlib
import zlib

import numpy as np

from webstrata.store.near_duplicates import select
from webstrata.store.simhash import combine_hashes
from webstrata.web.words import words

TEXT = (
    "Tropical fish include fish found in tropical environments around the world, including both freshwater "
    "and salt water species."
)
HASHES = [938, 664, 463, 822, 492, 798, 78, 969, 143, 236, 913, 908, 694, 553, 870, 779]


def three_grams() -> list[str]:
    found = [word.lower() for word in words(TEXT)]
    return [" ".join(found[place : place + 3]) for place in range(len(found) - 2)]


def test_the_example_has_sixteen_three_grams() -> None:
    grams = three_grams()
    assert len(grams) == len(HASHES) == 16
    assert grams[:4] == [
        "tropical fish include", "fish include fish", "include fish found", "fish found in",
    ]  # fmt: skip
    assert grams[-1] == "salt water species"


def test_hash_values_that_are_0_mod_4_represent_the_document() -> None:
    assert select(np.array(HASHES, np.uint64), 4).tolist() == [664, 492, 236, 908]
    chosen = [
        gram for gram, value in zip(three_grams(), HASHES, strict=True) if value in (664, 492, 236, 908)
    ]
    assert chosen == [
        "fish include fish", "found in tropical", "the world including", "including both freshwater",
    ]  # fmt: skip


def test_the_8_bit_simhash_of_the_example_is_10101111() -> None:
    hashes = {
        "tropical": "01100001", "fish": "10101011", "include": "11100110", "found": "00011110",
        "environments": "00101101", "around": "10001011", "world": "00101010", "including": "11000000",
        "both": "10101110", "freshwater": "00111111", "salt": "10110101", "water": "00100101",
        "species": "11101110",
    }  # fmt: skip
    found = [word.lower() for word in words(TEXT)]
    weights = [found.count(word) for word in hashes]
    assert weights == [2, 2, *[1] * 11]
    numbers = np.array([int(bits, 2) for bits in hashes.values()], np.uint64)
    value, vector = combine_hashes(numbers, np.array(weights), bits=8)
    assert vector.tolist() == [1, -5, 9, -9, 3, 1, 3, 3]
    assert f"{value:08b}" == "10101111"


def test_a_sum_of_bytes_does_not_see_their_order() -> None:
    assert sum(b"Tropical fish") == 0x508
    swapped = b"Tropical fihs"
    assert sum(swapped) == 0x508
    assert zlib.crc32(b"Tropical fish") != zlib.crc32(swapped)
    assert hashlib.sha256(b"Tropical fish").digest() != hashlib.sha256(swapped).digest()
