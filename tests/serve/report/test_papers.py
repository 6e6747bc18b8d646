"""Tables have the name of a paper only where its preset made what they show."""

from __future__ import annotations

from webstrata import testing
from webstrata.serve.report.papers import cite


def test_a_table_of_parts_that_a_preset_did_not_make_says_so() -> None:
    uk = testing.collection()
    assert cite(uk, [], "paper:wiki", "WIKI, table 2").startswith("our settings;")
    uk["2026-06"].rank("pagerank", solver="power")
    parts = ["2026-06/rank-pagerank"]
    assert cite(uk, parts, "paper:wiki", "WIKI, figure 4") == "WIKI, figure 4"
    uk["2026-05"].rank("pagerank", solver="gauss-seidel")
    assert cite(uk, [*parts, "2026-05/rank-pagerank"], "paper:wiki", "WIKI, figure 4") == (
        "our settings; WIKI, figure 4 with the preset paper:wiki"
    )
