"""`webstrata plane`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.rank.months import make_months
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_plane_of_a_snapshot_is_data_and_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uk = make_months(tmp_path).path
    assert run(["plane", str(uk), "2026-02", "--json", "--plots", str(tmp_path / "pictures")]) == 0
    document = json.loads(capsys.readouterr().out)
    snapshot = ws.open(uk)["2026-02"]
    one, other = snapshot.rank("pagerank"), snapshot.rank("cheirank")
    assert document["correlator"] == pytest.approx(140 * float(one.scores @ other.scores) - 1)
    assert sum(nodes for _, _, nodes in document["density"]) == 140
    assert "black" in (tmp_path / "pictures" / "plane.svg").read_text()
    assert run(["plane", str(uk), "2026-02", "--level", "host"]) == 0
    assert "10 nodes, correlator κ" in capsys.readouterr().out
    assert run(["plane", str(uk), "2026-12"]) == 2
