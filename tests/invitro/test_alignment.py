"""Alignments against the truth of webs with sessions and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.temporal.months import crawl_perfectly
from webstrata.invitro import Web
from webstrata.invitro.alignment import score_alignment
from webstrata.temporal.align import choose_snapshots
from webstrata.temporal.build import build_union
from webstrata.temporal.settings import TemporalSettings
from webstrata.temporal.union import StoredUnion

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_learned_finds_more_of_the_same_pages_and_none_that_differ(tmp_path: Path) -> None:
    web = Web("tiny", seed=5, session_share=0.4, sessions=3, dynamic_share=0.5, pages=600)
    uk = crawl_perfectly(tmp_path / "uk", web, 3)
    scores = {}
    for by in ("static", "canonical", "learned"):
        build_union(uk, choose_snapshots(uk), TemporalSettings(by=by))
        scores[by] = score_alignment(StoredUnion(uk), web)
    assert scores["static"].precision == scores["canonical"].precision == 1.0
    assert scores["learned"].precision == pytest.approx(1.0, abs=0.01)
    assert scores["learned"].recall > scores["canonical"].recall >= scores["static"].recall
