"""The page of the hosts with the highest scores."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from webstrata.classify.learning.reasons import FeatureReason
from webstrata.serve.figures.scores import write_scores

if TYPE_CHECKING:
    from pathlib import Path


class Scores:
    """Three hosts, with the same reasons for each."""

    model = SimpleNamespace(
        task="spam", training={"positives": 1, "negatives": 30, "auc": 0.9}, threshold=0.5
    )
    warnings = ("few labels",)
    rows = (
        {"host": "<b>.example", "score": 0.75},
        {"host": "b.example", "score": 0.5},
        {"host": "c.example", "score": 0.25},
    )

    def explain(self, host: str, *, most: int) -> list[FeatureReason]:
        return [FeatureReason("B", f"words of {host}", 9.0, 2.0, 8.0, 0.1)] * most


def test_hosts_and_reasons_are_escaped_and_limited(tmp_path: Path) -> None:
    scores: Any = Scores()
    write_scores(scores, tmp_path / "page.html", "uk 2026-06", limit=2)
    page = (tmp_path / "page.html").read_text()
    assert "<td>&lt;b&gt;.example</td><td>0.750</td>" in page
    assert "c.example" not in page
    assert page.count("B words of b.example is 9") == 3
    assert "The 2 hosts of uk 2026-06 with the highest scores" in page
    assert "1 host that are and 30 that are not" in page
    assert "Warning: few labels." in page
