"""Data sets as published, stored in a snapshot, and the tables of SPAM by one command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.classify.published.files import write_dc2010, write_uk2006, write_uk2007
from webstrata.classify.published.dataset import find_published, prepare, store_features
from webstrata.cli import run
from webstrata.errors import FormatError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
def test_uk2007_gives_tables_6_to_11_on_its_official_test_set_by_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_uk2007(tmp_path / "data")
    ws.create(tmp_path / "uk")
    words = ["classify", "experiment", str(tmp_path / "uk"), "--webspam", str(data), "--library", "small"]
    more = ["--draws", "2", "--output", str(tmp_path / "out"), "--json"]
    assert run([*words, *more]) == 0
    found = json.loads(capsys.readouterr()[0])
    tables = {table["key"]: table for table in found["tables"]}
    assert found["snapshot"] == "2007-05"
    assert "18 hosts of the test set" in found["measured"]
    assert {"table 6", "table 7", "table 10", "table 11", "link weights", "table 13"} <= set(tables)
    features = {row[0]: row[1] for name in ("table 6", "table 7") for row in tables[name]["rows"]}
    assert features["Content (A)"] == 50
    assert features["Content (Aa)"] == 24
    assert features["Content (B)"] == 96
    assert features["Link"] == 8
    assert tables["table 5"]["rows"][-1][:3] == ["spam, test set", 6, 12]
    assert all(float(row[2]) > 0.8 for row in tables["table 6"]["rows"])
    assert found["figure 2"][0]["draws"] == 2


def test_dc2010_has_genres_and_term_vectors(tmp_path: Path) -> None:
    data = write_dc2010(tmp_path / "data")
    snapshot = ws.create(tmp_path / "eu").add("2010-03")
    labels, test = prepare(snapshot, data)
    assert sorted(labels.tasks) == ["commercial", "news", "spam"]
    assert test is not None
    assert test.find("news")["h41.co.uk"] is True
    assert len(snapshot.features("bm25").to_arrow()) == 60


def test_uk2006_has_labels_by_name(tmp_path: Path) -> None:
    data = write_uk2006(tmp_path / "data")
    snapshot = ws.create(tmp_path / "uk").add("2006-05")
    labels, test = prepare(snapshot, data)
    assert find_published(data).date == "2006-05"
    assert len(labels.find("spam")) == 40
    assert test is not None
    assert len(test.find("spam")) == 20


def test_what_is_stored_is_kept_and_never_mixed(tmp_path: Path) -> None:
    data = write_uk2007(tmp_path / "data")
    snapshot = ws.create(tmp_path / "uk").add("2007-05")
    made = store_features(snapshot, find_published(data))
    assert [one.name for one in made] == ["A", "Aa", "B", "link", "temporal-link"]
    assert all(one.kept for one in store_features(snapshot, find_published(data)))
    other = write_uk2007(tmp_path / "other")
    with pytest.raises(UsageError, match="name another snapshot"):
        store_features(snapshot, find_published(other))


def test_a_model_of_published_features_is_refused_for_pages_of_our_own(tmp_path: Path) -> None:
    from tests.classify.web import make_web

    data = write_uk2007(tmp_path / "data")
    published = ws.create(tmp_path / "uk").add("2007-05")
    store_features(published, find_published(data))
    labels = data / "labels" / "WEBSPAM-UK2007-SET1-labels.txt"
    model = published.classify_train(
        labels, sets=["A"], library="small", folds=2, output=tmp_path / "a.model"
    )
    assert len(published.classify_predict(model).rows) == 60
    june = make_web(tmp_path / "web")
    june.classify_features(sets="A")
    with pytest.raises(UsageError, match="looks at HST_1 of features A, which are made without it"):
        june.classify_predict(tmp_path / "a.model")
    with pytest.raises(UsageError, match="computed from its pages"):
        store_features(june, find_published(data))


def test_features_of_an_unknown_host_and_unknown_attributes_are_told_in_one_sentence(tmp_path: Path) -> None:
    from tests.classify.published.files import HOSTS, write_arff
    from webstrata.collection.progress import Progress

    class Notes(Progress):
        notes: list[str] = []  # noqa: RUF012

        def note(self, text: str) -> None:
            self.notes.append(text)

    data = write_uk2007(tmp_path / "data")
    snapshot = ws.create(tmp_path / "uk").add("2007-05")
    temporal = data / "features" / "temporal-2007-05-2007-06.arff"
    write_arff(temporal, ["IDR", "progress"], 6)
    progress = Notes()
    prepare(snapshot, data, progress=progress)
    assert f"{temporal}: 1 attribute of no known measure left out (progress, …)" in progress.notes
    temporal.write_text(temporal.read_text() + f"{HOSTS},0.5,0.5,spam\n")
    later = ws.create(tmp_path / "later").add("2007-05")
    with pytest.raises(FormatError, match=f"there is no host {HOSTS}; .* ends at {HOSTS - 1}"):
        prepare(later, data)
    assert not list(later.parts)


def test_a_folder_without_the_data_or_with_damaged_files_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingError, match="no files of WEBSPAM-UK2006"):
        find_published(tmp_path / "empty")
    with pytest.raises(MissingError, match="nothing there to list"):
        find_published(tmp_path / "nowhere")
    data = write_uk2007(tmp_path / "data")
    snapshot = ws.create(tmp_path / "uk").add("2007-05")
    (data / "features" / "iris.arff").write_text("@relation iris\n@attribute x real\n@data\n5\n")
    with pytest.raises(FormatError, match="relation 'iris'"):
        prepare(snapshot, data)
    assert not list(snapshot.parts)  # nothing half-written
