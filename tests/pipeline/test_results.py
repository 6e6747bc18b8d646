"""What a run did or would do, as tables."""

from __future__ import annotations

import webstrata as ws
from webstrata.pipeline.results import RunResult


def test_a_plan_lists_what_is_due_with_the_call_and_the_command() -> None:
    uk = ws.testing.collection()
    with uk["2026-06"].open_part("links") as part, uk["2026-06"].write_part("links") as build:
        for path in part.path.iterdir():
            (build.path / path.name).write_bytes(path.read_bytes())
        (build.path / "note.txt").write_text("changed")
    plan = uk.run(first="graph", last="graph", dry_run=True)
    assert plan.summary == "1 of 3 jobs would be done; 2 are fresh."
    (row,) = plan.tables()["Plan"].to_arrow().to_pylist()
    assert (row["what"], row["call"]) == ("2026-06/graph", "snapshot.build('graph')")
    assert row["command"] == f"webstrata build {uk.path} 2026-06 graph"
    assert plan.to_dict()["plan"][2]["state"] == "due"


def test_a_run_counts_its_jobs_and_names_failures() -> None:
    failure = {"stage": "graph", "job": "2026-06/graph", "error": "broken", "exit_code": 1}
    counts = {"built": 2, "fresh": 1, "left_out": 0, "failed": 1, "seconds": 1.25}
    row = {"stage": "graph", **counts, "state": "failed", "notes": ["a: b"], "failures": [failure]}
    result = RunResult("stages", [row], {"off": ["crawl"]})
    assert result.failures == ["graph, 2026-06/graph: broken"]
    assert result.summary == "2 built in 1.2 s.\ngraph, left out: a: b\nSwitched off: crawl."
    assert list(result.tables()["Stages"].headings.values())[-2:] == ["time", "state"]
