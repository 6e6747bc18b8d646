"""Collections and snapshots: create, open, list; labels, settings files, staleness."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import labels
from webstrata import errors
from webstrata.collection import Collection, Snapshot
from webstrata.collection.collection import MAX_SNAPSHOTS
from webstrata.collection.settings import ResourcesSettings
from webstrata.collection.snapshot_dates import check_date
from webstrata.errors import (
    DateError,
    ExistsError,
    FormatError,
    MissingError,
    NewerFormatError,
    SettingError,
    UsageError,
    WebstrataError,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create(tmp_path / "uk", title="United Kingdom")


def build(
    holder: Collection | Snapshot, name: str, text: str = "x", inputs: tuple[str, ...] = (), renew: str = ""
) -> None:
    with holder.write_part(name, inputs=inputs, renew=renew) as build:
        (build.path / "a").write_text(text)


@given(labels)
def test_every_date_is_a_label(label: str) -> None:
    assert check_date(label) == label


@given(st.lists(labels, max_size=5))
def test_the_order_of_labels_is_the_order_of_their_text(tmp_path: Path, some: list[str]) -> None:
    path = tmp_path / "uk"
    collection = Collection.open(path) if path.exists() else Collection.create(path)
    for label in some:
        if len(collection) < MAX_SNAPSHOTS:
            collection.add(label)
    assert collection.dates == sorted(set(collection.dates))


@pytest.mark.parametrize(
    "label",
    [
        "",
        "26",
        "2026-13",
        "2026-6",
        "2026-02-30",
        "2026-06-12T2460",
        "June",
        "..",
        "2026/06",
        "٢٠٢٦",
        "2026-06 ",
    ],
)
def test_a_label_that_is_no_date_is_refused(collection: Collection, label: str) -> None:
    with pytest.raises(DateError, match="not a date; write it as 2026"):
        collection.add(label)
    assert len(collection) == 0


def test_a_collection_opens_with_its_title_and_snapshots(collection: Collection) -> None:
    collection.add("2026-06")
    collection.add("2026-05-01")
    again = Collection.open(collection.path)
    assert again.title == "United Kingdom"
    assert again.dates == ["2026-05-01", "2026-06"]
    assert "2026-06" in again
    assert again["2026-06"].date == "2026-06"


def test_files_and_foreign_folders_are_no_snapshots(collection: Collection) -> None:
    (collection.path / "snapshots" / "2026-01").touch()
    (collection.path / "snapshots" / "notes").mkdir()
    assert collection.dates == []


def test_no_more_snapshots_than_a_label_has_bits(collection: Collection) -> None:
    for year in range(1900, 1900 + MAX_SNAPSHOTS):
        collection.add(str(year))
    with pytest.raises(DateError, match="it has 64 snapshots, as many as a temporal label has bits"):
        collection.add("2026")
    assert collection.add("1900").date == "1900"
    assert len(collection) == 64


def test_adding_at_once_never_makes_one_too_many(collection: Collection) -> None:
    def add(year: int) -> bool:
        try:
            Collection.open(collection.path).add(str(year))
        except DateError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        added = sum(pool.map(add, range(1900, 1980)))
    assert added == len(collection) == MAX_SNAPSHOTS


def test_opening_reads_no_manifest_however_many_snapshots_there_are(collection: Collection) -> None:
    for year in range(1900, 1900 + MAX_SNAPSHOTS):
        snapshot = collection.add(str(year))
        (snapshot.path / "manifest.toml").write_text("format = 99")  # whoever reads it fails
    assert len(Collection.open(collection.path).dates) == 64


@pytest.mark.parametrize("title", ['say "hi"', "a\\b", "", "Zürich – 東京", "'", "# [x] = {", "\\u0041"])
def test_any_printable_title_comes_back(tmp_path: Path, title: str) -> None:
    assert Collection.create(tmp_path / "uk", title=title).title == (title or "uk")


@pytest.mark.parametrize("title", ["a\nb", "a\0b", "\udcff"])
def test_a_title_that_cannot_be_printed_is_refused_before_anything_is_made(
    tmp_path: Path, title: str
) -> None:
    with pytest.raises(UsageError, match="cannot be printed"):
        Collection.create(tmp_path / "uk", title=title)
    assert not (tmp_path / "uk").exists()


def test_creating_where_something_is_loses_nothing(collection: Collection, tmp_path: Path) -> None:
    with pytest.raises(ExistsError, match="there is a collection here already"):
        Collection.create(collection.path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a").write_text("mine")
    for name in ("mine", "mine/a"):
        with pytest.raises(ExistsError, match="something else is here already"):
            Collection.create(tmp_path / name)
    assert (tmp_path / "mine" / "a").read_text() == "mine"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["a"]


def test_creating_at_once_makes_one_collection(tmp_path: Path) -> None:
    def create(number: int) -> str:
        try:
            return Collection.create(tmp_path / "uk", title=str(number)).title
        except WebstrataError as error:
            return type(error).__name__

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(create, range(8)))
    (winner,) = [outcome for outcome in outcomes if outcome.isdigit()]
    assert {outcome for outcome in outcomes if not outcome.isdigit()} <= {"ExistsError", "LockedError"}
    assert Collection.open(tmp_path / "uk").title == winner


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("format = 2", NewerFormatError, "format 2 was written by a newer webstrata"),
        ("", FormatError, "`format` is None, and a whole number"),
        ("format = 'x'", FormatError, "`format` is 'x'"),
        ("format = ", FormatError, "this is not TOML"),
        ("\udcff", FormatError, "this is not TOML"),
        (
            "format = 1\n[croul]",
            SettingError,
            "croul is not a table (did you mean crawl?); known are ",
        ),
        ("format = 1\nresource = 3", SettingError, "did you mean resources?"),
    ],
)
def test_a_settings_file_that_cannot_be_is_refused(
    collection: Collection, text: str, kind: type[WebstrataError], sentence: str
) -> None:
    (collection.path / "collection.toml").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(kind) as error:
        Collection.open(collection.path)
    assert sentence in str(error.value)
    assert str(error.value).startswith(f"{collection.path}/collection.toml: ")


def test_a_place_that_is_no_collection_says_how_to_make_one(tmp_path: Path) -> None:
    for name, here in (("gone", "no such collection"), ("", "not a collection")):
        with pytest.raises(
            MissingError, match=rf"{here}.*; name another, or call `webstrata.create\("
        ) as error:
            Collection.open(tmp_path / name)
        assert f"run `webstrata new {tmp_path / name}` to create it" in error.value.explain()


def test_a_snapshot_that_is_not_there_is_said_with_those_that_are(collection: Collection) -> None:
    collection.add("2026-05")
    with pytest.raises(
        MissingError, match=r"no snapshot 2026-06 \(snapshots: 2026-05\); .* call `collection.add\("
    ):
        _ = collection["2026-06"]


def test_settings_come_from_option_environment_snapshot_collection_default(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = collection.add("2026-06")
    file = collection.path / "collection.toml"

    def workers(options: dict[str, object] | None = None) -> int:
        return Collection.open(collection.path)["2026-06"].settings(ResourcesSettings, options).workers

    assert workers() == 0
    file.write_text(file.read_text().replace("[resources]\n", "[resources]\nworkers = 1\n"))
    assert workers() == 1
    (snapshot.path / "snapshot.toml").write_text("[resources]\nworkers = 2\n")
    assert workers() == 2
    assert Collection.open(collection.path).settings(ResourcesSettings).workers == 1
    monkeypatch.setenv("WEBSTRATA_RESOURCES_WORKERS", "3")
    assert workers() == 3
    assert workers({"workers": "4"}) == 4


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[croul]", "croul is not a table"),
        ("resources = 3", "`resources` is not a table"),
        ("[resources]\nworkres = 3", "workres is not a setting of [resources] (did you mean workers?)"),
        ("[resources]\nworkers = 'a'", "workers is 'a', and a whole number was expected"),
        ("[resources", "this is not TOML"),
        ("title = 'x'", "title is not a table"),
    ],
)
def test_a_snapshot_file_that_cannot_be_is_refused(collection: Collection, text: str, sentence: str) -> None:
    snapshot = collection.add("2026-06")
    (snapshot.path / "snapshot.toml").write_text(text)
    with pytest.raises((SettingError, FormatError)) as error:
        snapshot.settings(ResourcesSettings)
    assert sentence in str(error.value)
    assert "snapshot.toml" in str(error.value)


def test_staleness_travels_along_the_chain_of_inputs(collection: Collection) -> None:
    may, june = collection.add("2026-05"), collection.add("2026-06")
    for snapshot in (may, june):
        build(snapshot, "links", snapshot.date)
        build(snapshot, "graph", inputs=("links",), renew="webstrata graph {collection} {snapshot}")
        build(snapshot, "ranks", inputs=("graph",))
    build(collection, "union", inputs=("2026-05/graph", "2026-06/graph"))
    build(collection, "labels", inputs=("union",))
    assert not any(state.stale for state in collection.states().values())
    build(june, "links", "changed")
    stale = {name: state.stale for name, state in collection.states().items() if state.stale}
    assert stale == {
        "2026-06/graph": ("2026-06/links",),
        "2026-06/ranks": ("2026-06/graph",),
        "/union": ("2026-06/graph",),
        "/labels": ("/union",),
    }
    assert collection.states()["2026-06/graph"].renew == f"webstrata build {collection.path} 2026-06 graph"
    build(june, "graph", "another", inputs=("links",))
    assert collection.states()["2026-06/graph"].stale == ()
    assert collection.states()["2026-06/ranks"].stale == ("2026-06/graph",)


def test_an_input_that_was_removed_makes_stale_and_one_rebuilt_alike_does_not(collection: Collection) -> None:
    snapshot = collection.add("2026-06")
    build(snapshot, "links")
    build(snapshot, "graph", inputs=("links",))
    build(snapshot, "links")  # the same bytes once more
    assert collection.states()["2026-06/graph"].stale == ()
    snapshot.parts.remove("links")
    assert collection.states()["2026-06/graph"].stale == ("2026-06/links",)


def test_an_input_that_is_not_there_is_said_before_the_build_begins(collection: Collection) -> None:
    with pytest.raises(MissingError, match="no part links"):
        collection.add("2026-06").write_part("graph", inputs=("links",))


def test_former_names_of_dates_work_with_a_warning(tmp_path: Path) -> None:
    uk = Collection.create(tmp_path / "uk")
    june = uk.add("2026-06")
    with pytest.warns(DeprecationWarning, match="called date now"):
        assert june.label == june.date == "2026-06"
    with pytest.warns(DeprecationWarning, match="called dates now"):
        assert uk.labels == uk.dates == ["2026-06"]
    with pytest.warns(DeprecationWarning, match="called DateError now"):
        assert errors.LabelError is DateError
