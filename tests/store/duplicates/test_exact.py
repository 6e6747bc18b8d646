"""Exact duplicates, scored against the truth of the in-vitro web."""

from __future__ import annotations

import shutil
from collections import defaultdict
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import webstrata as ws
from tests.crawl.test_run import crawl_web
from tests.store.crawls import Answer, write_crawl
from webstrata.store.build import build_store
from webstrata.store.duplicates.exact import find_classes, read_members, score, score_near, sum_classes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("preset", "seed"), [("tiny", 7), pytest.param("small", 7, marks=pytest.mark.slow)])
def test_classes_of_a_crawl_are_the_true_ones(
    tmp_path: Path, preset: str, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    web = ws.invitro.Web(preset, seed=seed)
    snapshot, _, _ = crawl_web(tmp_path, web)
    truth = web.graph()
    true_page = dict(zip(truth.urls, truth.pages.tolist(), strict=True))
    members = read_members(snapshot)
    found = score(members["label"].to_pylist(), [true_page[url] for url in members["url"].to_pylist()])
    by_digest = score(members["digest"].to_pylist(), [true_page[url] for url in members["url"].to_pylist()])
    with capsys.disabled():
        print(f"\n{preset}: all {found}, by digest alone {by_digest}")
    assert found.true > 50
    assert found.precision >= 0.99
    assert found.recall >= 0.99
    assert by_digest.precision >= 0.99


def test_classes_are_found_within_and_across_snapshots(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    one, two = (b"<p>" + text * 100 + b"</p>" for text in (b"one ", b"two 17 "))
    may: dict[str, bytes | Answer] = {
        "http://a.org/": one,
        "http://b.org/": one,
        "http://c.org/": two,
        "http://d.org/": two.replace(b"17", b"18"),
        "http://n.org/": Answer(two, status=404),
    }
    june = {"http://a.org/": one, "http://c.org/": two.replace(b"<p>", b"<p class=new>")}
    for label, answers in (("2026-05", may), ("2026-06", june)):
        build_store(uk.add(label), write_crawl(tmp_path / label, answers), parts=())  # type: ignore[arg-type]
    tables = [read_members(snapshot) for snapshot in uk]
    (within,) = find_classes(tables[0], "digest")
    assert within.urls == ["http://a.org/", "http://b.org/"]
    assert (within.count, within.snapshots, within.saved) == (2, ["2026-05"], 0)
    assert not list(find_classes(tables[1], "digest"))
    joined = pa.concat_tables(tables).unify_dictionaries()
    (same,) = find_classes(joined, "digest")
    assert (same.count, same.urls, same.snapshots) == (3, within.urls, ["2026-05", "2026-06"])
    alike = list(find_classes(joined, "fingerprint"))
    assert [(found.count, found.urls) for found in alike] == [(3, within.urls), (2, ["http://c.org/"])]
    assert all(len(found.value) == 16 for found in alike)
    totals = sum_classes(joined, "fingerprint")
    assert (totals.classes, totals.captures, totals.redundant) == (2, 5, 3)
    assert totals.bytes == sum(found.bytes for found in alike)


def test_what_a_revisit_saves_is_counted(tmp_path: Path) -> None:
    snapshot, _, _ = crawl_web(tmp_path, ws.invitro.Web("tiny", seed=7))
    totals = sum_classes(read_members(snapshot), "digest")
    assert totals.redundant > 20
    assert totals.saved > totals.bytes / 2


def test_a_snapshot_without_duplicates_has_no_classes(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    build_store(snapshot, write_crawl(tmp_path / "crawl", {}))
    members = read_members(snapshot)
    assert not list(find_classes(members, "digest"))
    assert sum_classes(members, "fingerprint").classes == 0
    with pytest.raises(ValueError, match="expected digest or fingerprint"):
        sum_classes(members, "colour")
    shutil.rmtree(tmp_path / "crawl")


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=15))
def test_a_score_counts_pairs(members: list[tuple[int, int]]) -> None:
    counts: dict[str, int] = defaultdict(int)
    for i, a in enumerate(members):
        for b in members[:i]:
            counts["found"] += a[0] == b[0]
            counts["true"] += a[1] == b[1]
            counts["both"] += a == b
    result = score([a for a, _ in members], [b for _, b in members])
    assert (result.found, result.true) == (counts["found"], counts["true"])
    assert result.precision == (counts["both"] / counts["found"] if counts["found"] else 1)
    assert result.recall == (counts["both"] / counts["true"] if counts["true"] else 1)


def test_pairs_that_grew_apart_do_not_count_and_pairs_that_are_near_do() -> None:
    labels, truth = [0, 0, 0, 3, 3], [1, 1, 2, 3, 4]
    near = {(0, 1): False, (0, 2): True, (1, 2): False, (3, 4): True}
    found = score_near(labels, truth, lambda one, other: near[one, other])
    # planted is (0, 1) alone, which is no near-duplicate any more; of four found one is planted, two are near
    assert found == (0.75, 1.0, 4, 0)
    assert score_near([0, 1], [0, 0], lambda one, other: True) == (1.0, 0.0, 0, 1)
