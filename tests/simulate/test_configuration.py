"""What a configuration tells, and what it notices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import webstrata as ws
from tests.temporal.months import add_month
from webstrata.simulate.configuration import differences, make_configuration
from webstrata.simulate.settings import SimulateSettings

if TYPE_CHECKING:
    from pathlib import Path


def test_a_part_or_a_file_that_changed_is_noticed(tmp_path: Path) -> None:
    snapshot = add_month(ws.create(tmp_path / "uk"), "2026-06", ["org,a)/"], [])
    good, policy = tmp_path / "good.txt", tmp_path / "mine.py"
    good.write_text("http://a.org/ sports")
    policy.write_text("1")
    settings = SimulateSettings(policy=("random", f"{policy}:Mine"), relevant=f"labels:{good}#sports")
    told = make_configuration(snapshot, settings, ["graph", "urls", "graph"])
    assert list(told["inputs"]) == ["2026-06/graph", "2026-06/urls"]
    assert list(told["files"]) == [str(good), str(policy)]
    assert SimulateSettings.read(options=told["simulate"], environment={}) == settings
    assert differences(told, snapshot) == []
    policy.write_text("2")
    good.unlink()
    told["inputs"]["2026-06/graph"] = "sha256:0"
    assert differences(told, snapshot) == [
        "2026-06/graph is another one now; the numbers will be others",
        f"{good} is not there any more; the numbers will be others",
        f"{policy} is another one now; the numbers will be others",
    ]
    # a query is no file, however long
    make_configuration(snapshot, replace(settings, relevant="query:" + "fish " * 200), [])
