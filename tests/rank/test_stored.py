"""Rankings as parts of snapshots."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.rank.months import add_snapshot, make_months
from tests.sealing import seal
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.rank import RankSettings, pagerank, rank_snapshot, two_d_rank
from webstrata.rank.stored import RankedGraph

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    return make_months(tmp_path_factory.mktemp("ranked"))


def test_a_ranking_is_kept_with_what_made_it_and_read_again(months: ws.Collection) -> None:
    snapshot = months["2026-01"]
    found = snapshot.rank("pagerank", alpha=0.7)
    wanted = pagerank(snapshot.graph, alpha=0.7)
    assert np.abs(found.scores - wanted.scores).sum() < 2e-9
    assert found.error_bound is not None
    assert found.error_bound <= 1e-9
    assert found.top(1)[0].name == snapshot.urls[found.top(1)[0].node]
    record = snapshot.parts.record("rank-pagerank")
    assert record.settings["alpha"] == 0.7
    assert record.inputs == {"2026-01/graph": snapshot.parts.record("graph").checksum}
    again = snapshot.rank("pagerank", alpha=0.7)
    np.testing.assert_array_equal(again.scores, found.scores)
    assert snapshot.parts.record("rank-pagerank") == record
    assert (again.error_bound, again.iterations) == (found.error_bound, found.iterations)
    # how many are shown does not matter to scores, α does
    snapshot.rank("pagerank", alpha=0.7, top=3)
    assert snapshot.parts.record("rank-pagerank") == record
    snapshot.rank("pagerank", alpha=0.6)
    assert snapshot.parts.record("rank-pagerank").settings["alpha"] == 0.6


def test_hosts_and_domains_are_ranked_by_the_weights_of_their_arcs(months: ws.Collection) -> None:
    snapshot = months["2026-02"]
    for level, graph in (("host", snapshot.host_graph), ("domain", snapshot.domain_graph)):
        # settings of earlier rankings are kept in the file of the collection
        found = snapshot.rank(
            "pagerank",
            level=level,  # type: ignore[arg-type]
            alpha=0.85,
            tolerance=1e-12,
            weighted=True,
        )
        matrix = graph.to_scipy().toarray()
        matrix = 0.85 * matrix / matrix.sum(axis=1, keepdims=True)
        wanted = np.linalg.solve(np.eye(len(matrix)) - matrix.T, np.full(len(matrix), 0.15 / len(matrix)))
        assert np.abs(found.scores - wanted).sum() < 1e-11
        assert found.names == graph.names
        plain = snapshot.rank("pagerank", level=level, weighted=False)  # type: ignore[arg-type]
        assert np.abs(plain.scores - wanted).sum() > 1e-3 or level == "domain"


def test_two_d_rank_comes_from_both_parts(months: ws.Collection) -> None:
    snapshot = months["2026-03"]
    found = snapshot.rank("2drank")
    assert {"rank-pagerank", "rank-cheirank", "rank-2drank"} <= {record.name for record in snapshot.parts}
    wanted = two_d_rank(snapshot.rank("pagerank"), snapshot.rank("cheirank"))
    np.testing.assert_array_equal(found.order, wanted.order)


def test_another_preference_is_another_ranking(months: ws.Collection) -> None:
    snapshot = months["2026-01"]
    size = len(snapshot.urls)
    first = snapshot.rank("personalized", preference=np.arange(size) == 3)
    assert first.top(1)[0].node == 3
    second = snapshot.rank("personalized", preference=np.arange(size) == 5)
    assert second.top(1)[0].node == 5
    with pytest.raises(UsageError, match="nan"):
        snapshot.rank("personalized", preference=np.full(size, np.nan))


def test_scores_of_the_month_before_are_begun_with(months: ws.Collection) -> None:
    before = RankedGraph(months["2026-02"])
    settings = RankSettings(alpha=0.8)
    rank_snapshot(months["2026-02"], settings, graph=before)
    mapped = RankedGraph(months["2026-03"]).map_scores(before, np.arange(float(before.graph.num_nodes)))
    for node in (0, 20, 100):
        url = months["2026-03"].urls[node]
        there = months["2026-02"].urls.get(url)
        assert mapped[node] == (1 / before.graph.num_nodes if there is None else there)
    cold = pagerank(months["2026-03"].graph, alpha=0.8, tolerance=1e-12).scores
    warm = rank_snapshot(months["2026-03"], settings, before=before)
    assert np.abs(warm.scores - cold).sum() <= 1e-9
    with months["2026-03"].open_part("rank-pagerank") as part:
        assert json.loads((part.path / "ranking.json").read_text())["start"] == "2026-02"


def test_damage_and_nothing_to_rank_are_said(tmp_path: Path) -> None:
    months = make_months(tmp_path, pages=2)
    snapshot = months["2026-01"]
    snapshot.rank("degree")
    with snapshot.open_part("rank-degree") as part:
        facts, scores = part.path / "ranking.json", part.path / "scores.npy"
    scores.write_bytes(b"nothing")
    seal(snapshot, "rank-degree")
    with pytest.raises(FormatError, match=r"scores\.npy"):
        snapshot.rank("degree")
    np.save(scores, np.ones(3))
    seal(snapshot, "rank-degree")
    with pytest.raises(FormatError, match="3 scores"):
        snapshot.rank("degree")
    facts.write_text("[]")
    seal(snapshot, "rank-degree")
    with pytest.raises(FormatError, match=r"ranking\.json"):
        snapshot.rank("degree")
    empty = add_snapshot(months, "2026-09", [], np.zeros((0, 2), np.int64))
    with pytest.raises(UsageError, match="no nodes"):
        empty.rank("pagerank")
    with pytest.raises(MissingError, match="no graph of hosts"):
        empty.rank("pagerank", level="host")
