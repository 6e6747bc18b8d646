"""The part `summaries`: the same words as counted plainly, the same bytes however the work was split."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.summaries import reference
from tests.summaries.written import write_snapshot
from webstrata.collection.check import check_collection
from webstrata.errors import MissingError, SettingError
from webstrata.summaries import SummariesSettings, build
from webstrata.summaries.build import build_summaries
from webstrata.summaries.stop_words import read_stop_words

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws

PLAIN = SummariesSettings(stemmer="none", min_df=1)
WORDS = [
    "fish",
    "reef",
    "shark",
    "Coral",
    "swim",
    "tide",
    "the",
    "of",
    "and",
    "waves’",
    "3.14",
    "Größe",
    "日本",
    "can't",
]


def make_texts(count: int) -> list[str | None]:
    random = np.random.default_rng(3)
    texts: list[str | None] = [
        " ".join(random.choice(WORDS, random.integers(0, 60))) + f" page{page // 2}" for page in range(count)
    ]
    texts[1], texts[count // 2] = None, ""
    return texts


def read_part(snapshot: ws.Snapshot) -> dict[str, bytes]:
    with snapshot.open_part("summaries") as part:
        return {path.name: path.read_bytes() for path in part.path.iterdir() if path.name != "part.toml"}


def test_summaries_are_the_counted_words_of_the_texts(tmp_path: Path) -> None:
    texts = make_texts(150)
    snapshot = write_snapshot(tmp_path / "uk", texts)
    build_summaries(snapshot, dataclasses.replace(PLAIN, min_df=2), workers=1)
    archive = snapshot.summaries
    stop_words = set(read_stop_words("en"))
    plain = [reference.count_terms(text or "", stop_words) for text in texts]
    df = {term: sum(term in counts for _, counts in plain) for _, counts in plain for term in counts}
    for node, (length, counts) in enumerate(plain):
        assert (node in archive) == (texts[node] is not None)
        if node in archive:
            summary = archive[node]
            found = dict(
                zip(archive.terms.texts(summary.terms.tolist()), summary.counts.tolist(), strict=True)
            )
            assert summary.length == length
            assert found == {term: count for term, count in counts.items() if df[term] >= 2}
    kept = sorted((term for term in df if df[term] >= 2), key=str.encode)
    assert archive.terms.texts() == kept
    assert archive.terms.df.tolist() == [df[term] for term in kept]
    assert archive.terms.cf.tolist() == [sum(counts[term] for _, counts in plain) for term in kept]


@pytest.mark.parametrize("coding", ["contexts", "codes"])
def test_the_bytes_are_the_same_however_the_work_was_split(
    coding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = make_texts(400)
    for module in ("build", "write"):
        monkeypatch.setattr(f"webstrata.summaries.{module}.CHUNK", 128)
    parts = []
    # a shard of everything, shards of one chunk each, and runs that are full after a few pages
    for name, page_bytes, memory in (("a", 1, 1 << 30), ("b", 1 << 23, 1 << 30), ("c", 1, 16 << 20)):
        monkeypatch.setattr(build, "_PAGE_BYTES", page_bytes)
        monkeypatch.setattr(build, "_RUN_SHARE", 1 if name != "c" else 1 << 12)
        snapshot = write_snapshot(tmp_path / name, texts)
        settings = dataclasses.replace(PLAIN, coding=coding, memory=memory)
        build_summaries(snapshot, settings, workers=1)
        parts.append(read_part(snapshot))
    assert parts[0].keys() == parts[1].keys() == parts[2].keys()
    for name in parts[0]:
        assert parts[0][name] == parts[1][name] == parts[2][name], name


def test_words_are_stemmed_and_stop_words_left_out(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "uk", ["Swimming swims the FISHES", "swim fish"])
    build_summaries(snapshot, SummariesSettings(min_df=1), workers=1)
    archive = snapshot.summaries
    assert archive.terms.texts() == ["fish", "swim"]
    assert archive[0].length == 4
    assert archive.matrix().toarray().tolist() == [[1, 2], [1, 1]]
    (tmp_path / "words.txt").write_text("swim\nswims\nswimming")
    other = SummariesSettings(min_df=1, stemmer="snowball:de", stop_words=str(tmp_path / "words.txt"))
    build_summaries(snapshot, other, workers=1)
    with snapshot.open_part("summaries") as part:
        assert part.counts["terms"] == 2  # "fish" and "the"


def test_what_cannot_be_built_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "uk", ["one fish", "two fish"])
    with pytest.raises(SettingError, match="none of the 2 different terms of 2 pages is in so many of them"):
        build_summaries(snapshot, SummariesSettings(), workers=1)
    with pytest.raises(SettingError, match="there is none for klingon"):
        build_summaries(snapshot, SummariesSettings(stemmer="snowball:klingon"), workers=1)
    with pytest.raises(MissingError, match="nothing there to read stop words"):
        build_summaries(snapshot, SummariesSettings(stop_words="no-such-file"), workers=1)
    assert "summaries" not in snapshot.parts
    empty = write_snapshot(tmp_path / "uk", [], label="2026-07")
    with pytest.raises(SettingError, match="none of the 0 different terms of 0 pages"):
        build_summaries(empty, SummariesSettings(), workers=1)


def test_what_is_refused_for_its_settings_leaves_nothing_behind(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "uk", make_texts(20))
    with pytest.raises(SettingError, match="choose a smaller one"):
        build_summaries(snapshot, dataclasses.replace(PLAIN, min_df=1000), workers=1)
    assert check_collection(snapshot.collection).notes == []
