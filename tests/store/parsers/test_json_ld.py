"""JSON-LD as pages."""

from __future__ import annotations

import json

from webstrata.store.parsers.json_ld import parse_json_ld


def test_a_graph_of_objects_gives_names_texts_and_links_in_order() -> None:
    data = {
        "@context": {"name": "http://schema.example/name"},
        "@graph": [
            {
                "headline": "Storm",
                "@id": "http://n.example/1",
                "articleBody": "It rains.",
                "inLanguage": "en",
            },
            {"name": {"@value": "Ada"}, "sameAs": ["http://a.example/", "not a link"]},
            {"name": "Nobody"},
        ],
    }
    found = parse_json_ld(json.dumps(data).encode(), "http://n.example/", "application/ld+json")
    assert (found.title, found.language) == ("Storm", "en")
    assert [(block.text, block.link) for block in found.blocks] == [
        ("Storm", "http://n.example/1"),
        ("It rains.", ""),
        ("Ada", "http://a.example/"),
        ("Nobody", ""),
    ]


def test_objects_may_lie_deep_in_each_other() -> None:
    data = b'{"a":[' * 150 + b'{"name": "deep"}' + b"]}" * 150
    assert parse_json_ld(data, "http://n.example/", "application/ld+json").title == "deep"
