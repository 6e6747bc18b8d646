"""Answers as rows and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.search.hits import HITS

if TYPE_CHECKING:
    import webstrata as ws
    from webstrata.search.index import TextIndex


def test_answers_have_dates_nodes_and_snippets_without_markup(
    index: TextIndex, indexed: ws.Collection
) -> None:
    table = index.search("tropical", at="2026-06").to_arrow()
    assert table.schema == HITS
    first = table.to_pylist()[0]
    assert first["url"] == "http://www.sea.example/"
    assert first["snapshots"] == ["2026-06"]
    assert "tropical fish" in first["snippet"]
    urls = indexed["2026-06"].urls
    hits = index.search("fish", at="2026-06")
    assert [urls[int(node)] for node in hits.nodes] == hits.urls
    assert len(index.search("no such words").to_arrow()) == 0


def test_text_beside_main_content_is_shown_where_the_words_are_there_alone(index: TextIndex) -> None:
    [hit] = index.search("menu")
    assert hit.snippet.startswith("Menu")
