"""What of a snapshot a simulation reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.summaries.written import write_snapshot
from tests.temporal.months import add_month
from webstrata import errors
from webstrata.graph import Graph
from webstrata.simulate.web import StoredWeb
from webstrata.summaries import make_rows, write_archive

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ["org,a)/", "org,a)/x", "org,b)/"]


def test_links_to_what_was_not_captured_lead_nowhere(tmp_path: Path) -> None:
    snapshot = add_month(ws.create(tmp_path / "uk"), "2026-06", KEYS, [])
    with snapshot.write_part("graph", inputs=("urls",)) as build:
        for name in ("forward", "transpose"):
            Graph.from_arcs([(0, 3), (0, 1), (2, 4), (2, 0)], num_nodes=5).write(build.path / name)
    web = StoredWeb(snapshot)
    offsets, targets = web.graph.rows()
    assert (offsets.tolist(), targets.tolist()) == ([0, 1, 1, 2], [1, 0])
    assert web.homes().tolist() == [0, 2]


def test_parts_of_another_snapshot_are_refused(tmp_path: Path) -> None:
    snapshot = add_month(ws.create(tmp_path / "uk"), "2026-06", KEYS, [(0, 1)])
    with pytest.raises(errors.MissingError, match="no summaries, which relevance by text needs"):
        StoredWeb(snapshot).archive  # noqa: B018
    with snapshot.write_part("summaries") as build:
        write_archive(build.path, make_rows([(1, {0: 1})] * 2), texts=["fish"])
    with pytest.raises(errors.FormatError, match="the archive has 2 nodes, and the snapshot 3"):
        StoredWeb(snapshot).archive  # noqa: B018
    with snapshot.write_part("graph") as build:
        Graph.from_arcs([(0, 1)], num_nodes=2).write(build.path / "forward")
    with pytest.raises(errors.FormatError, match="the graph has 2 nodes, and there are 3 URLs"):
        StoredWeb(snapshot)
    with pytest.raises(errors.MissingError, match=r"no graph; call `snapshot.build\('graph'\)`"):
        StoredWeb(write_snapshot(tmp_path / "other", ["fish"]))


def test_links_stand_as_in_their_page_if_that_is_asked_for(months: ws.Collection) -> None:
    snapshot = months["2026-06"]
    plain, ordered = (StoredWeb(snapshot, link_order=order).lists for order in ("node", "page"))
    assert isinstance(plain, tuple)
    assert isinstance(ordered, tuple)
    assert plain[0].tolist() == ordered[0].tolist()
    differs = 0
    for node in range(len(snapshot.urls)):
        begin, end = int(plain[0][node]), int(plain[0][node + 1])
        assert np.array_equal(np.sort(ordered[1][begin:end]), plain[1][begin:end])
        differs += not np.array_equal(ordered[1][begin:end], plain[1][begin:end])
    assert differs > 0
    links = [link.url for link in snapshot.links[0]]
    urls = [snapshot.urls[int(node)] for node in ordered[1][: int(ordered[0][1])]]
    assert urls == [url for place, url in enumerate(links) if url in urls and url not in links[:place]]


def test_a_host_without_a_home_page_is_entered_at_the_page_with_most_links(tmp_path: Path) -> None:
    keys = ["org,a)/", "org,a)/x", "org,b)/about", "org,b)/contents", "org,b)/copyright"]
    snapshot = add_month(ws.create(tmp_path / "uk"), "2026-06", keys, [(1, 0), (3, 2), (3, 4), (4, 3)])
    assert StoredWeb(snapshot).homes().tolist() == [0, 3]
