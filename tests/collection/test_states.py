"""A part is stale by its inputs, its settings or the snapshots it was built without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.graph.settings import GraphSettings

if TYPE_CHECKING:
    from pathlib import Path


def write(holder: ws.Snapshot | ws.Collection, name: str, text: str = "", **words: object) -> None:
    with holder.write_part(name, **words) as build:  # type: ignore[arg-type]
        (build.path / "a").write_text(text)


def test_settings_that_differ_from_the_file_make_a_part_and_what_follows_stale(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    june = uk.add("2026-06")
    write(june, "links")
    write(june, "graph", settings=GraphSettings(), inputs=("links",))
    write(june, "rank-pagerank", inputs=("graph",))
    assert not any(state.is_stale for state in uk.states().values())
    uk.remember(GraphSettings, {"window": 16})
    states = uk.states()
    assert states["2026-06/graph"].changed == {"window": (7, 16)}
    assert states["2026-06/graph"].why == "window was 7, is 16"
    assert states["2026-06/rank-pagerank"].why == "2026-06/graph changed since"
    assert states["2026-06/graph"].renew == f"webstrata build {uk.path} 2026-06 graph"


def test_a_setting_of_a_snapshot_is_stronger(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    june = uk.add("2026-06")
    write(june, "graph", settings=GraphSettings())
    (june.path / "snapshot.toml").write_text("[graph]\nwindow = 3\n")
    assert uk.states()["2026-06/graph"].changed == {"window": (7, 3)}


def test_a_part_of_all_snapshots_is_stale_when_another_is_complete(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    for label in ("2026-05", "2026-06"):
        write(uk.add(label), "graph", label)
        write(uk[label], "urls", label)
    inputs = tuple(f"{label}/{part}" for label in uk.dates for part in ("graph", "urls"))
    write(uk, "temporal", inputs=inputs)
    assert not uk.states()["/temporal"].is_stale
    write(uk.add("2026-07"), "graph")
    assert not uk.states()["/temporal"].is_stale  # it cannot be united yet
    write(uk["2026-07"], "urls")
    assert uk.states()["/temporal"].why == "built without 2026-07/graph, 2026-07/urls"
