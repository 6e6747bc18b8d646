"""Feature sets as parts: made once, kept while nothing they depend on changes, joined by host."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from tests.sealing import seal
from webstrata import testing
from webstrata.classify.features import feature_sets
from webstrata.classify.features.feature_sets import build_features, build_set, load_features
from webstrata.classify.features.sets import SETS, FeatureSet
from webstrata.classify.learning.label_sheet import show_pages
from webstrata.classify.learning.lessons import predict_hosts
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, MissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import webstrata as ws

calls: list[str] = []


def build_one(snapshot: ws.Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    calls.append("one")
    return pa.table({"host": ["a.org", "b.org"], "words": pa.array([1, None], pa.float32())})


def build_two(snapshot: ws.Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    if not settings.query_words:
        raise MissingError("there are no query words")
    return pa.table({"host": ["b.org", "c.org"], "words": pa.array([2, 3], pa.float32())})


@pytest.fixture
def snapshot(fresh: ws.Snapshot) -> Iterator[ws.Snapshot]:
    calls.clear()
    one = FeatureSet(f"{__name__}:build_one", "One.", ("text",), ("ngram",))
    two = FeatureSet(f"{__name__}:build_two", "Two.", ("text",), ("query_words",), through_time=True)
    kept = dict(SETS)  # in their order
    SETS.clear()
    SETS.update({"one": one, "two": two})
    yield fresh
    SETS.clear()
    SETS.update(kept)


class Notes(Progress):
    """Remembers what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def note(self, sentence: str) -> None:
        self.said.append(sentence)


def test_a_set_is_made_again_when_what_it_heeds_changes_and_only_then(
    snapshot: ws.Snapshot, tmp_path: Path
) -> None:
    made = build_set(snapshot, "one", ClassifySettings())
    assert (made.hosts, made.features, made.pages, made.kept) == (2, 1, len(snapshot.urls), False)
    again = build_set(snapshot, "one", ClassifySettings(registers=128))
    assert again.kept
    assert again.cost == made.cost
    assert build_set(snapshot, "one", ClassifySettings(ngram=4)).kept is False
    words = tmp_path / "words.txt"
    words.write_text("fish")
    settings = ClassifySettings(query_words=str(words))
    assert [build_set(snapshot, "two", settings).kept for _ in range(2)] == [False, True]
    words.write_text("ship")
    assert build_set(snapshot, "two", settings).kept is False
    # an earlier month, which `two` is made from too
    with snapshot.collection.add("2026-05").write_part("text") as build:
        (build.path / "text.arrow").touch()
    assert build_set(snapshot, "two", settings).kept is False
    assert build_set(snapshot, "one", ClassifySettings(ngram=4)).kept
    assert calls == ["one", "one"]


def test_what_cannot_be_made_is_left_out_and_said_unless_it_was_named(snapshot: ws.Snapshot) -> None:
    progress = Notes()
    assert [made.name for made in build_features(snapshot, progress=progress)] == ["one"]
    assert progress.said == ["set two is left out: there are no query words"]
    with pytest.raises(MissingError, match="no query words"):
        build_features(snapshot, ClassifySettings(sets=("two",)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"query_words": "no.txt"}, "no.txt: nothing there to read"),
        ({"trusted": "no.txt"}, "no.txt: nothing there to read"),
        ({"stop_words": "no.txt"}, "no.txt: nothing there to read"),
        ({"earlier": ("2025-01",)}, "no snapshot 2025-01"),
    ],
)
def test_a_file_or_snapshot_that_was_named_and_is_not_there_is_no_set_left_out(
    snapshot: ws.Snapshot, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(MissingError, match=message):
        build_features(snapshot, ClassifySettings(**settings))
    assert "features-one" not in snapshot.parts


def test_sets_are_joined_by_host_and_what_is_missing_is_no_number(
    snapshot: ws.Snapshot, tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text("fish")
    build_features(snapshot, ClassifySettings(query_words=str(tmp_path / "words.txt")))
    hosts, names, values = load_features(snapshot, ["one", "two"])
    assert (hosts, names) == (["a.org", "b.org", "c.org"], ["one:words", "two:words"])
    np.testing.assert_array_equal(values, np.array([[1, np.nan], [np.nan, 2], [np.nan, 3]], np.float32))
    assert values.dtype == np.float32
    assert snapshot.features("one")["words"].to_pylist() == [1, None]


@pytest.mark.parametrize("name", [feature_sets.TABLE, feature_sets.FACTS])
def test_a_damaged_file_is_said(snapshot: ws.Snapshot, name: str) -> None:
    build_set(snapshot, "one")
    path = snapshot.path / "features-one" / name
    path.write_bytes(b"{}")
    seal(snapshot, "features-one")
    read: Callable[[], object] = (
        (lambda: snapshot.features("one"))
        if name == feature_sets.TABLE
        else (lambda: build_set(snapshot, "one"))
    )
    with pytest.raises(FormatError, match="again"):
        read()


def test_the_docs_name_every_feature_that_there_is(fresh: ws.Snapshot, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("fish")
    page = (Path(__file__).parents[3] / "docs" / "reference" / "features.md").read_text()
    names = ("A", "Aa", "B", "link")
    build_features(fresh, ClassifySettings(sets=names, query_words=str(tmp_path / "words.txt")))
    for name in names:
        table = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        told = re.findall(r"^\| `(\w+)` \| \S.* \|$", table, re.MULTILINE)
        assert told == fresh.features(name).column_names[1:]


def test_hosts_that_were_taken_down_have_no_features_and_no_scores() -> None:
    uk = testing.collection()
    june = uk["2026-06"]
    june.classify_features(sets="A")
    model = SimpleNamespace(
        task="spam", columns={"A": []}, statistics={}, scores=lambda matrix: np.arange(len(matrix.hosts))
    )
    uk.takedown("news.example", reason="an example")
    assert "news.example" not in june.features("A")["host"].to_pylist()
    assert "news.example" not in load_features(june, ["A"])[0]
    scored = [row["host"] for row in predict_hosts(june, model).rows]  # type: ignore[arg-type]
    assert len(scored) == 4
    assert "news.example" not in scored
    assert list(show_pages(june, "news.example")) == []
    uk.takedown("news.example", lift=True)
    assert "news.example" in june.features("A")["host"].to_pylist()
