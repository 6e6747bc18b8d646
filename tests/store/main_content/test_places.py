"""Main content as places in the visible text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.main_content import extract
from webstrata.store.main_content.places import find_places, locate
from webstrata.store.text import cut_main
from webstrata.web.html import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

WORD = st.text(st.sampled_from("aé水𝄞"), min_size=1, max_size=4)
LINES = st.lists(st.tuples(st.lists(WORD, min_size=1, max_size=5), st.booleans()), max_size=12)


@given(LINES, st.sampled_from([" ", "\u00a0"]))
def test_lines_of_a_text_are_found_in_it(lines: Sequence[tuple[list[str], bool]], blank: str) -> None:
    # numbered, so that a line stands in one place
    numbered = [(f"{number}: {' '.join(words)}", wanted) for number, (words, wanted) in enumerate(lines)]
    text = "\n".join(line.replace(" ", blank) for line, _ in numbered)
    wanted = [line for line, is_wanted in numbered if is_wanted]
    found = cut_main(text, locate(wanted, text))
    assert found.replace(blank, " ").split("\n") == (wanted or [""])


def test_what_is_not_there_is_left_out_and_ends_the_search_if_it_is_much() -> None:
    text = "one\ntwo\nthree"
    assert locate(["zero", "two", "two", "three"], text) == [4, 13]
    assert locate([*(f"no {number}" for number in range(200)), "three"], text) == []
    assert locate([], text) == locate(["", " "], text) == []


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_blocks_of_the_filter_stand_in_the_text(charset: str) -> None:
    lines = [f"Absatz {number} über Züge, lang genug, um als einer zu zählen." for number in range(5)]
    menu = "".join(f"<li><a href=/{n}>Menü {n}</a></li>" for n in range(40))
    body = f"<ul>{menu}</ul><div>{''.join(f'<p>{line}' for line in lines)}</div>".encode(charset)
    page = scan(body, charset=charset, text=True)
    places = find_places("dom", page.text, page.tags, body, charset=charset)
    assert cut_main(page.text, places).split("\n") == lines
    assert extract(body, charset=charset, method="dom").split("\n") == lines
    assert len(places) == 2
