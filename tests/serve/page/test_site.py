"""A collection as pages hold it."""

from __future__ import annotations

import itertools
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata import testing
from webstrata.errors import MissingError
from webstrata.serve.page.site import Site, find_movements, write_query


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_an_address_of_a_page_gives_back_the_url(text: str) -> None:
    site = Site(testing.empty(), "uk")
    path = site.page(text)
    assert "?" not in path
    assert "#" not in path
    assert path.isascii()
    assert unquote(path).removeprefix("/page/") == text


def test_what_is_empty_is_left_out_of_a_query() -> None:
    assert write_query({"q": "a&b", "at": "", "fold": False, "to": None}) == "?q=a%26b"


def test_something_is_computed_once_until_a_part_is_built(site: Site) -> None:
    made: list[str] = []
    for _ in range(3):
        site.keep("x", lambda opened: made.append(opened.title))
    assert made == ["uk"]


def test_a_copy_for_another_replay_origin_shares_what_was_computed(site: Site) -> None:
    other = site.with_replay("https://replay.example.org")
    assert other.keep("y", lambda _: 1) == site.keep("y", lambda _: 2) == 1
    assert other.capture("http://a.example/?b=1", "20260601000000") == (
        "https://replay.example.org/uk/20260601000000/http://a.example/?b=1"
    )
    assert Site(testing.empty(), "uk").capture("http://a.example/", "2026") == ""


def test_a_collection_without_snapshots_says_what_to_do() -> None:
    with pytest.raises(MissingError, match="has no snapshot"):
        Site(testing.empty(), "uk").snapshot()


def test_movements_are_those_that_comparing_pages_one_by_one_gives() -> None:
    collection = testing.collection()
    found = find_movements(collection)
    dates = collection.dates
    for before, after in itertools.pairwise(dates):
        then, now = (
            {url: one.text[node].text + one.text[node].title for node, url in enumerate(one.urls)}
            for one in (collection[before], collection[after])
        )
        assert found[after].new == len(set(now) - set(then))
        assert found[after].gone == len(set(then) - set(now))
        assert found[after].changed >= sum(now[url] != then[url] for url in set(now) & set(then))
        assert sum(sum(host[1:]) for host in found[after].hosts) == (
            found[after].new + found[after].changed + found[after].gone
        )
