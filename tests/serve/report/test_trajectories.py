"""Ranks through time: the first pages in every snapshot, and what they are filed under."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.rank.plane import describe_plane
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.rank import read_rankings
from webstrata.serve.report.sheet import Sheet
from webstrata.serve.report.trajectories import find_categories

if TYPE_CHECKING:
    from pathlib import Path


def test_pages_are_followed_through_all_snapshots(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["trajectories"], uk.states())
    assert isinstance(sheet, Sheet)
    sizes, by_pagerank, by_both, agreement = sheet.tables
    _, (pagerank, cheirank, _) = read_rankings(uk["2026-02"])
    assert sizes.rows[1][3] == round(describe_plane(pagerank, cheirank).correlator, 4)
    for ranks in (by_pagerank, by_both):
        assert ranks.columns == ["page", "2026-01", "2026-02"]
        assert [row[1] for row in ranks.rows] == list(range(1, 11))
    assert by_pagerank.rows != by_both.rows
    assert [row[0] for row in agreement.rows] == ["2026-02"]
    # figures 1 to 5 of the paper, and 6 to 8
    assert [figure.name.removeprefix("ranks-") for figure in sheet.figures] == [
        "pagerank-scores",
        "cheirank-scores",
        "densities",
        "members",
        "squares",
        "pagerank-trajectories",
        "pagerank-categories",
        "2drank-trajectories",
        "2drank-categories",
    ]


def test_every_node_of_a_snapshot_is_in_its_panel_of_the_plane(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["trajectories"], uk.states())
    assert isinstance(sheet, Sheet)
    rows = sheet.figures[2].spec["data"]["values"]
    for snapshot in uk:
        assert sum(row["nodes"] for row in rows if row["snapshot"].startswith(snapshot.date)) == len(
            snapshot.urls
        )


def test_pages_are_filed_under_their_topics_where_these_are_known(copied: ws.Collection) -> None:
    snapshot = copied["2026-01"]
    urls = list(snapshot.urls)[:40]
    topics = set(find_categories(snapshot, urls).values())
    assert len(topics) > 1
    snapshot.parts.remove("truth")
    found = find_categories(snapshot, urls)
    assert found[urls[0]] == "au"
    assert not topics & set(found.values())
