"""Which URLs of two snapshots are one page, and which snapshots are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import webstrata as ws
from tests.temporal.months import make_months
from webstrata.errors import DateError, MissingError
from webstrata.temporal.align import Aligner, choose_snapshots

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("key", "static", "canonical"),
    [
        ("org,a)/", "org,a)/", "org,a)/"),
        ("org,a,www)/ https", "org,a,www)/ https", "org,a)/"),
        ("org,a,www)/b/index.php", "org,a,www)/b/index.php", "org,a)/b/"),
        ("org,a)/b/INDEX.HTM 8080 https", "org,a)/b/INDEX.HTM 8080 https", "org,a)/b/ 8080"),
        ("org,a)/b/reindex.html", "org,a)/b/reindex.html", "org,a)/b/reindex.html"),
        ("org,www)/", "org,www)/", "org,www)/"),
        ("org,a,www2)/", "org,a,www2)/", "org,a,www2)/"),
        ("::1)/ https", "::1)/ https", "::1)/"),
        ("org,a)/b?c=1", None, None),
    ],
)
def test_a_key_is_aligned_by_what_its_method_leaves_of_it(
    key: str, static: str | None, canonical: str | None
) -> None:
    keys = pa.array([key], pa.large_string())
    assert Aligner("static").keys(keys).to_pylist() == [static]
    assert Aligner("canonical").keys(keys).to_pylist() == [canonical]
    # what is aligned already stays as it is
    again = Aligner("canonical").keys(Aligner("canonical").keys(keys).fill_null("none"))
    assert again.to_pylist() == [canonical or "none"]


def test_learned_alignment_without_rules_takes_dynamic_urls_as_they_are() -> None:
    keys = pa.array(["org,a,www)/b?z=1&sid=2 https", "org,a)/;x=1"], pa.large_string())
    assert Aligner("learned").keys(keys).to_pylist() == ["org,a)/b?z=1&sid=2", "org,a)/;x=1"]


def test_snapshots_are_chosen_by_labels_and_ranges(tmp_path: Path) -> None:
    uk = make_months(
        tmp_path / "uk", {label: (["test)/"], []) for label in ("2026-01", "2026-02", "2026-04", "2026-05")}
    )

    def labels(words: str) -> list[str]:
        return [snapshot.date for snapshot in choose_snapshots(uk, words)]

    assert labels("") == uk.dates
    assert labels("2026-02..2026-04") == ["2026-02", "2026-04"]
    assert labels("2026-05,..2026-02") == ["2026-01", "2026-02", "2026-05"]
    assert labels("2026-04..") == ["2026-04", "2026-05"]
    for words, sentence in {
        "2026-01": "only 2026-01 is named, and it takes two snapshots to align",
        "2026-01..2026-03": "no snapshot 2026-03; known are 2026-01, 2026-02",
        "2026-05..2026-01": "the range ends before it begins",
        "2026-01,,2026-02": "a date is missing between commas",
    }.items():
        with pytest.raises(DateError, match=sentence):
            choose_snapshots(uk, words)
    uk.add("2026-06")
    with pytest.raises(MissingError, match=r"2026-06 has no graph; call `snapshot.build\("):
        choose_snapshots(uk)
    # a collection takes no more than 64, unless somebody else puts them there
    for year in range(1900, 1965):
        (uk.path / "snapshots" / str(year)).mkdir()
    with pytest.raises(DateError, match="70 snapshots are named, and a label has 64 bits; name fewer"):
        choose_snapshots(uk)


def test_one_snapshot_alone_cannot_be_aligned(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    uk.add("2026-01")
    with pytest.raises(DateError, match="it has 1 snapshot, and it takes two snapshots to align"):
        choose_snapshots(uk)
