"""What was found beside what is true: equal after a whole crawl, and told to the page where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.collection.progress import Progress
from webstrata.invitro.truth import build_truth
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.sheet import Sheet
from webstrata.serve.report.truth import make_truth

if TYPE_CHECKING:
    from pathlib import Path


def test_a_whole_crawl_found_the_nodes_and_arcs_of_the_truth_and_was_polite(whole: Path) -> None:
    uk = ws.open(whole)
    web = ws.invitro.Web("tiny", seed=7)
    for month, sheet in enumerate(read_sheets(uk, KINDS["truth"], uk.states())):
        assert isinstance(sheet, Sheet)
        rows = {row[1]: row[2:] for row in sheet.tables[0].rows}
        graph = web.graph(month, view="collection")
        assert rows["nodes"] == [len(graph.urls), len(graph.urls), 0, 0, "equal"]
        assert rows["arcs"] == [len(graph.targets), len(graph.targets), 0, 0, "equal"]
        assert rows["pairs of duplicates"][2] == 0
        assert rows["requests"][3] == 0
        assert rows["requests"][4].startswith("polite (")


def test_what_was_missed_is_counted(copied: ws.Collection) -> None:
    snapshot = copied["2026-01"]
    build_truth(snapshot, ws.invitro.Web("tiny", seed=7), month=1)
    rows = {row[1]: row[2:] for row in make_truth(snapshot, Progress()).tables[0].rows}
    true = set(ws.invitro.Web("tiny", seed=7).graph(1, view="collection").urls)
    found = set(snapshot.urls)
    assert rows["nodes"] == [len(found), len(true), len(true - found), len(found - true), "differs"]
    assert rows["arcs"][-1] == "other nodes"
    snapshot.parts.remove("graph")
    rows = {row[1]: row[2:] for row in make_truth(snapshot, Progress()).tables[0].rows}
    assert rows["arcs"][-1] == "there is no graph"


def test_what_snapshots_have_in_common_is_compared_with_the_truth(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["alignment"], uk.states())
    assert isinstance(sheet, Sheet)
    hosts, pages = sheet.tables[0].rows
    assert hosts[1:] == ["hosts in common with 2026-01", 11, 11, 0, 0, "equal"]
    web = ws.invitro.Web("tiny", seed=7)
    static = [{url for url in web.graph(month, view="collection").urls if "?" not in url} for month in (0, 1)]
    label, what, found, true, missed, wrong, _ = pages
    assert (label, what, wrong) == ("2026-02", "pages in common with 2026-01", 0)
    assert found == len(static[0] & static[1])
    assert true == found + missed
