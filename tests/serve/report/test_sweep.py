"""Measured crawls in the report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webstrata import testing
from webstrata.errors import FormatError
from webstrata.serve.report.sheet import Sheet
from webstrata.serve.report.sweep import FILE, make_sweep, read_sweep

POINT = {
    "pages_per_second": 90.0, "megabytes_per_second": 1.8, "cpu_load": 0.4, "pages_per_cpu_second": 225.0,
    "front": 12,
}  # fmt: skip
RESULTS: dict[str, Any] = {
    "format": 1, "quick": True, "latency": "100ms", "absent": {"Nutch": "not installed"},
    "machine": {"cores": 2, "load_before": 0.1, "load_after": 2.0},
    "figure_3": [{"fetchers": 4, **POINT}],
    "figure_4": [{"ip_delay": 0.5, "host_delay": 4.0, **POINT}],
    "table_1": [{"crawler": "webstrata", **POINT}],
}  # fmt: skip


def test_results_in_a_collection_are_shown_with_who_is_missing() -> None:
    uk = testing.collection()
    folder = uk.working_folder("reports")
    folder.mkdir(exist_ok=True)
    (folder / FILE).write_text(json.dumps(RESULTS))
    (sheet,) = make_sweep(uk)
    assert isinstance(sheet, Sheet)
    assert sheet.tables[0].rows == [["webstrata", 90.0, 1.8, 0.4, 225.0]]
    assert sheet.tables[2].rows[0][:3] == [0.5, 4.0, 12]
    assert "Nutch (not installed)" in sheet.text[0]
    assert "--quick" in sheet.notes[0]


@pytest.mark.parametrize("lost", ["format", "figure_4", "machine", "absent"])
def test_a_file_of_something_else_is_refused(lost: str) -> None:
    path = testing.scratch() / FILE
    path.write_text(json.dumps({name: value for name, value in RESULTS.items() if name != lost}))
    with pytest.raises(FormatError, match="these are not results of bench"):
        read_sweep(path)
