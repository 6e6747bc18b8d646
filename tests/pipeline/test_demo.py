"""The folder of a demo, and the settings of its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.errors import ExistsError
from webstrata.pipeline.context import read_config
from webstrata.pipeline.demo import MONTHS, TITLE, SyntheticDemo, prepare_demo, suggest_next

if TYPE_CHECKING:
    from pathlib import Path


def test_an_earlier_demo_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    ws.create(prepare_demo(folder), title=TITLE).add("2025-12")
    assert not prepare_demo(folder).exists()
    assert prepare_demo(folder / "new", is_real=True) == folder / "new" / "docs"
    ws.create(tmp_path / "mine" / "web", title="Mine").add("2025-12")
    with pytest.raises(ExistsError, match="mine: this folder is not a demo; name another one"):
        prepare_demo(tmp_path / "mine")
    assert (tmp_path / "mine" / "web" / "snapshots" / "2025-12").is_dir()


@pytest.mark.parametrize("preset", MONTHS)
def test_its_settings_are_those_that_a_run_takes(tmp_path: Path, preset: str) -> None:
    demo = SyntheticDemo(preset)
    tables = read_config(demo.write_config(tmp_path))
    assert tables["run"]["snapshots"] == demo.snapshots
    assert len(demo.snapshots) == MONTHS[preset]
    assert ("labels" in tables["run"]) == (preset == "demo")


def test_commands_to_try_are_about_the_collection() -> None:
    uk = ws.testing.collection()
    for is_real in (False, True):
        assert all(str(uk.path) in action.command for action in suggest_next(uk, is_real=is_real))
