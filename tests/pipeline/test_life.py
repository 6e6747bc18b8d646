"""Removing and renaming snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.pipeline.revisits import HOME, TERMS, URLS
from webstrata import testing
from webstrata.collection.check import check_collection
from webstrata.errors import ExistsError, FormatError, LockedError, MissingError, UsageError
from webstrata.pipeline.life import finish_removal

if TYPE_CHECKING:
    from tests.stories.conftest import Command
    from webstrata.api import Collection

HOME_URL, _, _, COPY = URLS


def test_payloads_of_a_removed_snapshot_move_to_the_oldest_that_refers_to_them(revisits: Collection) -> None:
    uk = revisits
    assert uk["2026-06"].capture(HOME_URL).is_revisit
    removal = uk.remove("2026-04")
    assert removal.moved == {"2026-05": 2}
    uk = ws.open(uk.path)
    for label in ("2026-05", "2026-06"):
        for url, body in ((HOME_URL, HOME), (COPY, TERMS)):
            capture = uk[label].capture(url)
            assert capture.payload == body
            assert capture.is_revisit == (label == "2026-06")
        assert uk[label].text[uk[label].urls.node(HOME_URL)].title == "Home"
    assert not check_collection(uk).damage


@pytest.mark.parametrize(
    "point",
    [
        "remove.prepared",
        pytest.param("remove.renamed", marks=pytest.mark.long),
        pytest.param("build.named", marks=pytest.mark.long),
    ],
)
def test_a_killed_removal_is_completed_by_the_same_command(
    webstrata: Command, revisits: Collection, point: str
) -> None:
    uk = revisits
    words = ("remove", str(uk.path), "2026-04", "--yes")
    assert webstrata(*words, faults=f"crash at={point}").returncode == -9
    if point == "remove.prepared":
        assert uk["2026-04"].capture(HOME_URL).payload == HOME
    done = webstrata(*words)
    assert done.returncode == 0, done.stderr
    uk = ws.open(uk.path)
    assert uk.dates == ["2026-05", "2026-06"]
    assert not list((uk.path / "snapshots").glob(".*removed"))
    for label in uk.dates:
        assert uk[label].capture(COPY).payload == TERMS
        assert not uk[label].working_folder("edit").exists()
    assert not check_collection(uk).damage


def test_a_snapshot_that_is_written_is_not_removed(revisits: Collection) -> None:
    uk = revisits
    with ws.open(uk.path)["2026-04"].parts.writing(), pytest.raises(LockedError):
        uk.remove("2026-04")
    (uk["2026-06"].path / "crawl").mkdir()
    (uk["2026-06"].path / "crawl" / "journal").touch()
    with pytest.raises(UsageError, match="2026-06: the crawl of this snapshot has not ended"):
        uk.remove("2026-04")
    assert uk.dates == ["2026-04", "2026-05", "2026-06"]


def test_a_removed_collection_is_gone_even_if_the_command_was_killed(webstrata: Command) -> None:
    uk = testing.collection()
    assert webstrata("remove", str(uk.path), "--yes", faults="crash at=remove.renamed").returncode == -9
    assert not uk.path.exists()
    assert [path.name for path in uk.path.parent.iterdir()] == [".uk.removed"]
    assert finish_removal(uk.path)
    assert not list(uk.path.parent.iterdir())
    with pytest.raises(MissingError):
        ws.open(uk.path)


def test_a_rename_leaves_parts_of_snapshots_fresh_and_payloads_in_reach(revisits: Collection) -> None:
    uk = revisits
    uk.build("graph", workers=1)
    before = [record.built for snapshot in uk for record in snapshot.parts if record.name == "graph"]
    uk.rename("2026-04", "2026-04-15")
    uk = ws.open(uk.path)
    assert not [name for name, state in uk.states().items() if state.is_stale]
    assert [record.built for each in uk for record in each.parts if record.name == "graph"] == before
    assert uk["2026-06"].capture(HOME_URL).payload == HOME
    assert uk["2026-04-15"].pages[0]["crawl"] == "2026-04-15"
    assert "2026-04-15/warc" in uk["2026-05"].parts.record("pages").inputs
    uk.build("text", snapshots=["2026-05"], again=True, workers=1)
    assert uk["2026-05"].text[0].title == "Home"
    assert not check_collection(uk).damage


@pytest.mark.parametrize(
    "point",
    [
        "rename.pages",
        pytest.param("rename.begun", marks=pytest.mark.long),
        pytest.param("rename.renamed", marks=pytest.mark.long),
        pytest.param("rename.manifests", marks=pytest.mark.long),
    ],
)
def test_a_killed_rename_is_completed_by_the_same_command(
    webstrata: Command, revisits: Collection, point: str
) -> None:
    uk = revisits
    words = ("rename", str(uk.path), "2026-04", "2026-04-15")
    assert webstrata(*words, faults=f"crash at={point}").returncode == -9
    done = webstrata(*words)
    assert done.returncode == 0, done.stderr
    uk = ws.open(uk.path)
    assert uk.dates == ["2026-04-15", "2026-05", "2026-06"]
    assert not [name for name, state in uk.states().items() if state.is_stale]
    assert not (uk.path / "renaming.json").exists()
    assert not check_collection(uk).damage


def test_a_snapshot_that_lends_payloads_stays_before_those_that_borrow(revisits: Collection) -> None:
    uk = revisits
    with pytest.raises(UsageError, match="must stay the earlier"):
        uk.rename("2026-04", "2026-07")
    with pytest.raises(ExistsError, match="this snapshot exists"):
        uk.rename("2026-04", "2026-05")
    with pytest.raises(MissingError, match="no snapshot 2026-03"):
        uk.rename("2026-03", "2026-02")
    assert uk.dates == ["2026-04", "2026-05", "2026-06"]


def test_a_rename_leaves_parts_of_the_collection_fresh() -> None:
    uk = testing.collection()
    uk.build("changes", "sheet-trajectories", workers=1)
    before = {record.name: record.settings for record in uk.parts}
    found = [(hit.url, hit.score) for hit in uk.search("tropical fish", at="2026-05")]
    changes = [change.url for change in uk.changes("storm", "2026-05", "2026-06")]
    uk.rename("2026-05", "2026-05-15")
    uk = ws.open(uk.path)
    # what is drawn has labels in it
    assert [name for name, state in uk.states().items() if state.is_stale] == ["/sheet-trajectories"]
    assert {record.name: record.settings for record in uk.parts} == before
    assert list(uk.temporal.facts.snapshots) == ["2026-04", "2026-05-15", "2026-06"]
    assert [(hit.url, hit.score) for hit in uk.search("tropical fish", at="2026-05-15")] == found
    assert [change.url for change in uk.changes("storm", "2026-05-15", "2026-06")] == changes
    assert not check_collection(uk).damage
    uk.rename("2026-05-15", "2026-07")  # in another order, bits of labels are others
    assert {"/text_index", "/temporal"} <= {name for name, state in uk.states().items() if state.is_stale}


@pytest.mark.parametrize("crash", ["rename.parts", "rename.manifests"])
def test_a_rename_that_was_killed_keeps_parts_of_the_collection(webstrata: Command, crash: str) -> None:
    uk = testing.collection()
    words = ("rename", str(uk.path), "2026-05", "2026-05-15")
    assert webstrata(*words, faults=f"crash at={crash}").returncode == -9
    done = webstrata(*words)
    assert done.returncode == 0, done.stderr
    uk = ws.open(uk.path)
    assert not [name for name, state in uk.states().items() if state.is_stale]
    assert not check_collection(uk).damage


def test_the_union_can_be_built_again_after_a_rename_and_a_removal() -> None:
    uk = testing.collection()
    uk.rename("2026-05", "2026-05-01")
    uk.remove("2026-04")
    uk.build("temporal", "text_index", workers=1)
    assert list(uk.temporal.facts.snapshots) == ["2026-05-01", "2026-06"]
    hits = list(uk.search("tropical fish", at="2026-05-01"))
    assert hits[0].url == "http://reef.example/fish"


@pytest.mark.parametrize(
    "journal",
    [
        "",
        "{",
        "[]",
        '{"old": "2026-06"}',
        '{"old": 1, "new": 2, "pages": {}}',
        '{"old": "2026-05", "new": ".."}',
    ],
)
def test_a_damaged_journal_of_a_rename_is_reported_and_nothing_is_moved(journal: str) -> None:
    uk = testing.collection()
    path = uk.path / "renaming.json"
    path.write_text(journal)
    with pytest.raises(FormatError, match=r"renaming\.json: not the journal of a rename .*restore it"):
        uk.rename("2026-06", "2026-07")
    with pytest.raises(FormatError, match=r"renaming\.json"):
        uk.remove("2026-06")
    path.unlink()
    assert ws.open(uk.path).dates == ["2026-04", "2026-05", "2026-06"]
    uk.rename("2026-06", "2026-07")
    assert "2026-07" in uk
