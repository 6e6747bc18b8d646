"""Our ranks and those of a release."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.graph.releases.written import write_release
from webstrata.errors import MissingError, UsageError
from webstrata.rank.published import compare_published, correlate_ranks

if TYPE_CHECKING:
    from pathlib import Path


def make(folder: Path, *, ranks: bool = True) -> ws.Snapshot:
    chosen = random.Random(5)
    names = [f"org.s{number}" for number in range(80)]
    arcs = sorted({(chosen.choice(names), names[int(80 * chosen.random() ** 3)]) for _ in range(400)})
    cc = ws.create(folder / "cc")
    cc.add("2026-04").ingest(webgraph=write_release(folder / "r", names, arcs, ranks=ranks))
    return cc["2026-04"]


def test_our_ranks_agree_with_exact_ones_of_the_same_graph(tmp_path: Path) -> None:
    found = compare_published(make(tmp_path), limit=3)
    assert found.correlations["pagerank"] > 0.9999
    assert found.correlations["harmonic"] > 0.97  # counters estimate
    assert found.compared == {"harmonic": 80, "pagerank": 80}
    ten = next(row for row in found.agreements if (row["method"], row["depth"]) == ("pagerank", 10))
    assert (ten["common"], ten["kendall_tau"]) == (10, 1.0)
    assert [row["published"] for row in found.first] == [1, 2, 3, 1, 2, 3]
    assert found.to_arrow().num_rows == len(found.agreements)


def test_a_release_without_ranks_says_which_file_to_fetch(tmp_path: Path) -> None:
    snapshot = make(tmp_path, ranks=False)
    with pytest.raises(MissingError, match=r"without ranks by harmonic; put .*-ranks\.txt\.gz beside"):
        compare_published(snapshot)
    with pytest.raises(UsageError, match="cheirank: releases publish harmonic and pagerank"):
        compare_published(snapshot, ["cheirank"])


def test_correlation_puts_equal_scores_at_their_mean_rank() -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(3)
    one, other = rng.integers(0, 9, 200).astype(float), rng.random(200)
    assert correlate_ranks(one, other) == pytest.approx(spearmanr(one, other).statistic)
