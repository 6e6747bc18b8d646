"""Titles, their URLs and row keys."""

from __future__ import annotations

from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.store.wikipedia.titles import SAFE, Wiki, escape_titles, find_base
from webstrata.web.row_key import row_key
from webstrata.web.url import normalize

WIKI = Wiki("https://en.wikipedia.org/wiki/")
_titles = st.text(st.sampled_from("aZ09 _-.~;@$!*(),/:'\"?&=+%^`|\\éß日\U0001f41f"), min_size=1, max_size=12)


@given(st.lists(st.binary(max_size=12), max_size=6), st.integers(0, 2))
def test_many_titles_are_escaped_as_one_is(titles: list[bytes], skipped: int) -> None:
    array = pa.array([b"before"] * skipped + titles, pa.binary()).slice(skipped)
    assert escape_titles(array).to_pylist() == [quote(title, safe=SAFE) for title in titles]


@given(st.lists(st.tuples(st.sampled_from([0, 1, 14]), _titles), max_size=5))
def test_row_keys_are_those_of_the_urls(pages: list[tuple[int, str]]) -> None:
    # a wiki has no titles of dots alone, which the standard of URLs takes for folders
    pages = [(space, title.strip(".") or "x") for space, title in pages]
    titles = pa.array([title.replace(" ", "_").encode("utf-8", "replace") for _, title in pages], pa.binary())
    found = WIKI.row_keys(np.array([space for space, _ in pages], np.int64), titles).to_pylist()
    urls = [WIKI.url(space, title) for space, title in pages]
    kept = [place for place, (_, title) in enumerate(pages) if "/." not in title]
    assert [found[place] for place in kept] == [row_key(normalize(urls[place])) for place in kept]


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("fish", (0, "Fish")),
        (" tropical__fish ", (0, "Tropical_fish")),
        ("Fish#Gills", (0, "Fish")),
        ("#Gills", None),
        ("éclair", (0, "Éclair")),
        ("ßa", (0, "ßa")),
        ("AT&amp;T", (0, "AT&T")),
        ("C%2B%2B", (0, "C++")),
        (":category : big fish", (14, "Big_fish")),
        ("image:a.jpg", (6, "A.jpg")),
        ("Special:Random", None),
        ("Star Trek: Picard", (0, "Star_Trek:_Picard")),
        ("a|b", None),
        ("a<b", None),
        ("../a", None),
        ("x" * 256, None),
        ("", None),
    ],
)
def test_a_link_finds_its_page(text: str, page: tuple[int, str] | None) -> None:
    assert WIKI.find(text) == page


def test_a_wiktionary_keeps_the_case_of_titles() -> None:
    assert Wiki("https://en.wiktionary.org/wiki/", keeps_case=True).find("fish") == (0, "fish")


def test_namespaces_have_the_names_of_the_wiki_and_english_ones_lead_there() -> None:
    wiki = Wiki("https://de.wikipedia.org/wiki/", {0: "", 14: "Kategorie"})
    assert [wiki.find(name) for name in ("Kategorie:Fisch", "Category:Fisch")] == [(14, "Fisch")] * 2
    assert wiki.url(14, "Fisch") == "https://de.wikipedia.org/wiki/Kategorie:Fisch"
    with pytest.raises(UsageError, match=r"what namespace 828 of https://de.* is called.*known are 0, 14"):
        wiki.check([0, 828])


def test_only_databases_of_wikimedia_have_a_known_base() -> None:
    assert find_base("dewiki") == "https://de.wikipedia.org/wiki/"
    assert [find_base(name) for name in ("", "wiki", "mydb", "../wiki", "Enwiki")] == [None] * 5
