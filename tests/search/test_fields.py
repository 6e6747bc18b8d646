"""What of a page stands in which field."""

from __future__ import annotations

from webstrata.search.fields import FIELDS, NUMBERS, field_values, split_text, split_url, weights
from webstrata.search.settings import SearchSettings


def test_text_without_main_content_is_main_content() -> None:
    assert split_text("", []) == ([], [])
    assert split_text("All of it", []) == (["All of it"], [])
    assert split_text("One\nTwo\nThree", [0, 3, 8, 13]) == (["One", "Three"], ["\nTwo\n"])


def test_a_page_of_a_host_is_found_by_every_domain_above_it() -> None:
    row: dict[str, object] = {"title": "", "text": "", "main": [], "language": None}
    values = field_values("uk,co,bbc,www)/news/item-7_x.html?q=1 8080 https", row, [])
    assert values[NUMBERS["site"]] == ["www.bbc.co.uk", "bbc.co.uk", "co.uk", "uk"]
    assert values[NUMBERS["url"]] == ["news item 7 x html q 1"]
    assert values[NUMBERS["title"]] == values[NUMBERS["language"]] == values[NUMBERS["word"]] == []
    assert split_url("::1)/a") == ("::1", "/a")


def test_every_field_that_is_scored_has_a_weight_in_the_settings() -> None:
    assert list(weights(SearchSettings())) == [name for name, kind in FIELDS if kind != "whole"]
