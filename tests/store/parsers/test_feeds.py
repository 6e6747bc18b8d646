"""Feeds as pages."""

from __future__ import annotations

import pytest

from tests.store.parsers.documents import ATOM, RDF, RSS
from webstrata.errors import FormatError
from webstrata.store.contents import parse
from webstrata.store.parsers.feeds import FEED, parse_feed
from webstrata.store.parsers.registry import find_parsers

KINDS = find_parsers(["feed"])


def test_an_atom_feed_gives_its_entries_as_headings_with_links() -> None:
    found = parse(ATOM, url="http://reef.example/atom.xml", mime="application/atom+xml", parsers=KINDS)
    assert found.text["title"] == "Reef news"
    assert found.text["headings"] == [{"level": 2, "text": "Fish & corals"}]
    assert "They swim to the sea." in found.text["text"]
    assert [(key, anchor) for key, _, _, anchor in found.links] == [
        ("example,reef)/", "http://reef.example/"),
        ("example,reef)/fish", "Fish & corals"),
        ("example,reef)/sea", "the sea"),
    ]


def test_the_markup_of_an_item_counts_but_not_what_concerns_the_document() -> None:
    found = parse(RSS, url="http://news.example/rss", mime="application/rss+xml", parsers=KINDS)
    assert "The coast is wet." in found.text["text"]
    assert "Short." not in found.text["text"]
    keys = [key for key, _, _, _ in found.links]
    # the base of an item does not take links elsewhere
    assert "example,news)/coast" in keys
    assert "example,news)/no-title" in keys


def test_rss_1_has_its_items_next_to_the_channel() -> None:
    document = parse_feed(RDF, "http://old.example/", FEED.content_types[0])
    assert (document.title, [block.link for block in document.blocks]) == ("Old", ["http://old.example/1"])


def test_a_feed_that_defines_entities_is_not_read() -> None:
    bomb = b'<!DOCTYPE f [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><title>&b;</title>'
    with pytest.raises(FormatError, match="defines entities"):
        parse_feed(bomb, "http://a.example/", "application/rss+xml")
