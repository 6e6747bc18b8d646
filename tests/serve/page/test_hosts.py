"""The pages about hosts as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata import testing
from webstrata.serve.page.hosts import show_host, show_hosts
from webstrata.serve.page.site import Site

if TYPE_CHECKING:
    from pathlib import Path


def test_hosts_are_sorted_and_filtered_as_asked(site: Site) -> None:
    by_rank = show_hosts(site, sort="rank").rows
    assert [row["rank"] for row in by_rank] == [1, 2, 3, 4, 5]
    assert [row["host"] for row in show_hosts(site, q="KITCH").rows] == ["kitchen.example"]
    assert sum(row["pages"] for row in by_rank) == len(site.collection["2026-06"].urls)


def test_links_inside_a_host_count_neither_way(site: Site) -> None:
    pills = next(row for row in show_hosts(site).rows if row["host"] == "pills.example")
    assert (pills["inlinks"], pills["outlinks"]) == (0, 0)


def test_a_host_has_its_pages_through_time(site: Site) -> None:
    facts = show_host(site, "Garden.example").facts
    assert [(one["date"], one["pages"]) for one in facts["history"]] == [
        ("2026-04", 2), ("2026-05", 3), ("2026-06", 3),
    ]  # fmt: skip


def test_a_model_gives_scores_and_reasons(tmp_path: Path) -> None:
    pages = {f"http://h{number}.example/": "<p>cheap pills " * (number + 1) for number in range(12)}
    june = testing.snapshot_of(pages)
    (tmp_path / "labels.csv").write_text(
        "host,label\n" + "\n".join(f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12))
    )
    june.classify_features(sets="A")
    model = tmp_path / "spam.model"
    june.classify_train(tmp_path / "labels.csv", library="small", folds=2, output=model)
    site = Site(ws.open(june.collection.path), "uk", models=(str(model),))
    view = show_hosts(site, sort="score")
    predicted = {row["host"]: row["score"] for row in june.classify_predict(model).rows}
    assert view.facts["tasks"] == ["spam"]
    assert {row["host"]: row["scores"]["spam"] for row in view.rows} == predicted
    scores = [row["scores"]["spam"] for row in view.rows]
    assert scores == sorted(scores, reverse=True)
    (told,) = show_host(site, "h11.example").facts["scores"]
    assert told["score"] == predicted["h11.example"]
    assert told["reasons"]
    assert {"feature", "value", "usual", "effect"} <= set(told["reasons"][0])
