"""Settings of a pipeline come from one file or another by one rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import DateError, FormatError, SettingError
from webstrata.graph.settings import GraphSettings
from webstrata.pipeline.context import Context, read_config

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_is_stronger_than_the_collection_and_the_environment_than_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws.create(tmp_path / "uk")
    text = (tmp_path / "uk" / "collection.toml").read_text()
    (tmp_path / "uk" / "collection.toml").write_text(text.replace("[graph]\n", "[graph]\nwindow = 3\n", 1))
    uk = ws.open(tmp_path / "uk")
    assert Context(uk).settings(GraphSettings).window == 3
    context = Context(uk, {"graph": {"window": 5}}, "uk.toml")
    assert context.settings(GraphSettings).window == 5
    monkeypatch.setenv("WEBSTRATA_GRAPH_WINDOW", "6")
    assert context.settings(GraphSettings).window == 6


def test_what_fits_a_web_holds_unless_a_file_says_otherwise(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    fitting = {"host_delay": 0.01, "ip_delay": 0.002}
    found = Context(uk, {"crawl": {"host_delay": "4s"}}).settings(CrawlSettings, fitting=fitting)
    assert (found.host_delay, found.ip_delay) == (4.0, 0.002)


def test_snapshots_are_those_named_or_those_there(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    uk.add("2026-02")
    assert Context(uk).labels == ["2026-02"]
    context = Context(uk, options={"snapshots": "2026-03,2026-02"})
    assert context.labels == ["2026-02", "2026-03"]
    assert [snapshot.date for snapshot in context.snapshots] == ["2026-02"]
    with pytest.raises(DateError, match="not a date"):
        Context(uk, options={"snapshots": "soon"}).labels  # noqa: B018


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "uk.toml"
    path.write_text("[run\n")
    with pytest.raises(FormatError, match=r"uk.toml: this is not TOML .*; mend the line"):
        read_config(path)
    path.write_text("run = 3\n")
    with pytest.raises(SettingError, match=r"uk.toml: `run` is not a table"):
        read_config(path)
    path.write_text("[run]\nsnapshot = '2026-01'\n")
    uk = ws.create(tmp_path / "uk")
    with pytest.raises(
        SettingError, match=r"uk.toml, \[run\]: snapshot is not a setting of \[run\] .did you mean snapshots"
    ):
        Context(uk, read_config(path), str(path)).labels  # noqa: B018
