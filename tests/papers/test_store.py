"""The worked examples of STORE ("Storing Documents": fingerprinting, simhash, checksums)."""

from __future__ import annotations

import hashlib
import zlib

import numpy as np

from webstrata.pipeline.presets import preset_settings
from webstrata.store.duplicates.near import select
from webstrata.store.duplicates.simhash import combine_hashes, simhash, weigh_words
from webstrata.store.settings import StoreSettings
from webstrata.web.outline import scan_outline
from webstrata.web.words import words

TEXT = (
    "Tropical fish include fish found in tropical environments around the world, including both freshwater "
    "and salt water species."
)
STOP_WORDS = {"in", "the", "and"}
"""Those of the text that its list of words with weights leaves out."""
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
    weights = weigh_words(words(TEXT), stop_words=STOP_WORDS)
    assert weights == dict(zip(hashes, [2, 2, *[1] * 11], strict=True))  # as listed there, in its order
    numbers = np.array([int(hashes[word], 2) for word in weights], np.uint64)
    value, vector = combine_hashes(numbers, np.array(list(weights.values())), bits=8)
    assert vector.tolist() == [1, -5, 9, -9, 3, 1, 3, 3]
    assert f"{value:08b}" == "10101111"


def test_simhashes_of_snapshots_keep_the_stop_words_that_the_example_removes() -> None:
    found = words(TEXT)
    rest = [word for word in found if word.lower() not in STOP_WORDS]
    assert len(found) - len(rest) == 3
    assert simhash(found, stop_words=STOP_WORDS) == simhash(rest) != simhash(found)
    assert weigh_words(found)["the"] == 1


def test_data_tables_are_told_from_layout_and_visual_cues_are_read() -> None:
    """Other ideas to find content blocks: tables; position, font size, colours and separators of blocks."""
    outline = scan_outline(
        b"<table bgcolor=#cccccc><tr><td><small>Menu</small>"
        b"<td style='font-size:8px;color:#999'>Aside</table><p>Text<hr><img src=a>Caption"
    )
    names = dict(zip(outline.tags, outline.names, strict=True))
    assert (names["table"], names["td"]) == ("@tinted ", "@small @faded ")
    assert [block.begin for block in outline.blocks] == [0, 5, 11, 16]
    assert [block.small for block in outline.blocks] == [4, 0, 0, 0]
    assert [block.images for block in outline.blocks] == [0, 0, 0, 1]
    assert [block.is_separated for block in outline.blocks] == [False, False, False, True]


def test_the_preset_finds_main_content_by_low_slopes() -> None:
    """Removing noise: "Better: search low-slope sections of the curve"."""
    assert preset_settings("paper:store", StoreSettings).main == "low-slope"
    assert StoreSettings().main == "dom"


def test_a_sum_of_bytes_does_not_see_their_order() -> None:
    assert sum(b"Tropical fish") == 0x508
    swapped = b"Tropical fihs"
    assert sum(swapped) == 0x508
    assert zlib.crc32(b"Tropical fish") != zlib.crc32(swapped)
    assert hashlib.sha256(b"Tropical fish").digest() != hashlib.sha256(swapped).digest()
