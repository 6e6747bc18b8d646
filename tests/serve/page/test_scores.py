"""What is spam by labels and by models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata import testing
from webstrata.serve.page import scores
from webstrata.serve.page.labels import FILE
from webstrata.serve.page.search import show_search
from webstrata.serve.page.site import Site

if TYPE_CHECKING:
    import pytest


class Model:
    """Stands for a model of spam."""

    task = "spam"
    threshold = 0.6


def test_labels_win_over_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    uk = testing.collection()
    uk.working_folder(FILE).write_text("host,label\nreef.example,news\nkitchen.example,spam\n")
    found = {"reef.example": 0.9, "pills.example": 0.7, "garden.example": 0.5}
    monkeypatch.setattr(scores, "load_models", lambda _: [Model()])
    monkeypatch.setattr(scores, "find_scores", lambda *_: ({"spam": found}, ""))
    assert scores.find_spam(Site(uk, "uk")) == ["kitchen.example", "pills.example"]


def test_spam_is_hidden_from_results_counts_and_hosts() -> None:
    uk = testing.collection()
    uk.working_folder(FILE).write_text("host,label\npills.example,spam\n")
    site = Site(uk, "uk")
    shown, hidden = show_search(site, q="pills OR fish"), show_search(site, q="pills OR fish", hide_spam=True)
    assert "pills.example" in {row["host"] for row in shown.rows}
    assert "pills.example" not in {row["host"] for row in hidden.rows}
    assert "pills.example" not in {one["host"] for one in hidden.facts["hosts"]}
    assert hidden.facts["total"] < shown.facts["total"]
    assert [mark.count for mark in hidden.marks] < [mark.count for mark in shown.marks]
    rest = [row["url"] for row in shown.rows if row["host"] != "pills.example"]
    assert [row["url"] for row in hidden.rows][: len(rest)] == rest


def test_a_host_without_a_score_has_no_reasons(site: Site) -> None:
    assert scores.explain_host(site, "2026-06", "reef.example") == []
