"""A collection that went through the whole pipeline, made once for all tests of report and pipeline."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.once import make_once
from webstrata.pipeline import Pipeline
from webstrata.pipeline.context import Context
from webstrata.serve.report import write_report

if TYPE_CHECKING:
    from pathlib import Path

CONFIG: dict[str, dict[str, object]] = {
    "run": {"snapshots": ["2026-01", "2026-02"], "invitro": "tiny", "invitro_seed": 7},
    "crawl": {"max_crawl_delay": "20ms"},
    "simulate": {"policy": ["breadth-first", "oracle"], "relevant": "topic:1", "runs": 2},
}


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two months of the tiny web, through all stages; not to be changed."""
    return make_once(tmp_path_factory, "whole", make_whole) / "uk"


def make_whole(folder: Path) -> None:
    uk = ws.create(folder / "uk", title="The <UK>")
    context = Context(uk, CONFIG, "uk.toml", write_report=write_report)
    context.remember()
    pipeline = Pipeline(context)
    for _ in pipeline.run():
        pass
    (note,) = (note for outcome in pipeline.outcomes for note in outcome.notes)
    assert "no labels of hosts" in note


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> ws.Collection:
    """The same, to be changed."""
    shutil.copytree(whole, tmp_path / "uk", symlinks=True)
    return ws.open(tmp_path / "uk")
