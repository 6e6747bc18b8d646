"""An answer in its forms: rows, table, plain data, subgraph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import webstrata as ws


def test_all_forms_of_an_answer_say_the_same(uk: ws.Collection) -> None:
    answer = uk.changes("flood", "2026-01", "2026-02")
    rows, table, document = list(answer), answer.to_arrow(), answer.to_dict(3)
    assert [row.url for row in rows] == table["url"].to_pylist() == answer.urls == list(answer.graph.urls)
    assert table["reached_by_links"].to_pylist() == [row.reached_by_links for row in rows]
    assert table["new_words"].to_pylist() == [row.new_words for row in rows]
    assert "reached_by_links" in document["answers"][0]
    assert table["score"].to_pylist() == sorted(table["score"].to_pylist(), reverse=True)
    assert table["preference"].to_numpy().sum() == pytest.approx(1)
    assert [row["url"] for row in document["answers"]] == answer.urls[:3]
    assert json.loads(json.dumps(document))["stages"][0]["stage"] == "seeds"
    for row in rows:
        assert row.change == pytest.approx(row.content + row.inlinks + row.outlinks)
        assert row.reached_by_links == (row.text == 0)
        assert row.through or not row.reached_by_links
        assert row.is_aligned == ("?" not in row.url)
    assert len(answer.reasons(2)) == 2
    assert answer.graph.after.num_arcs == len(answer.candidates.arcs_after)
    assert repr(answer) == f"<ChangeAnswer to 'flood': {len(rows)} pages, 2026-01 to 2026-02>"
