"""The document slope curve against its formula, computed as it stands."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.main_content.slope import (
    extract_low_slopes,
    extract_plateau,
    find_low_slopes,
    find_plateau,
)

bit_lists = st.lists(st.integers(0, 1), min_size=1, max_size=40)


def objective(bits: list[int], i: int, j: int) -> int:
    """STORE, Removing noise: Σ_{n<i} b_n + Σ_{i≤n≤j} (1 − b_n) + Σ_{n>j} b_n."""
    return sum(bits[:i]) + sum(1 - bit for bit in bits[i : j + 1]) + sum(bits[j + 1 :])


@given(bit_lists)
def test_the_plateau_maximizes_the_formula(bits: list[int]) -> None:
    size = len(bits)
    i, j = find_plateau(bits)
    assert 0 <= i <= j < size
    best = max(objective(bits, a, b) for a in range(size) for b in range(a, size))
    assert objective(bits, i, j) == best


def test_the_plateau_of_the_seed_is_the_middle() -> None:
    bits = [1, 0, 1, 1, 0, 1] + [0] * 20 + [1] + [0] * 20 + [1, 1, 0, 1, 1]
    assert find_plateau(bits) == (6, 46)


def test_a_million_tokens_take_no_time() -> None:
    bits = np.random.default_rng(7).integers(0, 2, 1_000_000).astype(np.int8)
    began = time.process_time()
    find_plateau(bits)
    find_low_slopes(bits)
    assert time.process_time() - began < 20  # what is quadratic takes hours


@given(bit_lists, st.integers(1, 9), st.floats(0.1, 1))
def test_low_slopes_are_those_of_the_window_around_each_token(
    bits: list[int], window: int, low: float
) -> None:
    mean = sum(bits) / len(bits)
    expected = []
    for place in range(len(bits)):
        around = bits[max(place - window // 2, 0) : place + window - window // 2]
        expected.append(sum(around) / len(around) < low * mean)
    assert find_low_slopes(bits, window=window, low=low).tolist() == expected


def test_words_of_the_plateau_are_the_text_between_the_menus() -> None:
    menu = "".join(f"<li><a href=/{n}>Item</a></li>" for n in range(20))
    text = " ".join(f"word{n}" for n in range(100))
    page = f"<ul>{menu}</ul><p>{text} <b>bold</b> at the end</p><ul>{menu}</ul>"
    assert extract_plateau(page) == f"{text} bold at the end"


def test_two_texts_with_a_menu_between_are_two_sections() -> None:
    menu = "<li><a href=/>Item</a></li>" * 100
    texts = [" ".join(f"{name}{n}" for n in range(200)) for name in "ab"]
    page = f"{menu}<p>{texts[0]}</p>{menu}<p>{texts[1]}</p>{menu}"
    found = extract_low_slopes(page).splitlines()
    assert len(found) == 2
    for line, text in zip(found, texts, strict=True):
        assert len(set(text.split()) - set(line.split())) < 20
        assert line.count("Item") < 20
    # one plateau cannot leave the menu out
    assert len(extract_plateau(page).splitlines()) == 1


@pytest.mark.parametrize("page", ["", "<p></p>", "   ", "<br>" * 9])
def test_a_page_without_words_has_no_content(page: str) -> None:
    assert extract_plateau(page) == extract_low_slopes(page) == ""
