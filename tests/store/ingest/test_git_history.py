"""The history of a published site as snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.repositories import make_repository
from webstrata.archive.git_tree import call_git
from webstrata.errors import DateError, ExistsError, MissingError, UsageError
from webstrata.store.ingest import git_history
from webstrata.store.ingest.git_history import end_of_label, find_states, ingest_history
from webstrata.store.ingest.run import ingest_sources

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.store.ingest.run import IngestResult

STATES: list[tuple[str, dict[str, str | None]]] = [
    ("2026-01-10", {"content/index.html": "<p>Home <a href=a.html>A</a>", "content/a.html": "<p>A"}),
    ("2026-02-10", {"content/b.html": "<p>B"}),
    ("2026-03-10", {"content/a.html": None, "content/b.html": "<p>B anew"}),
]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "site", STATES)


def test_every_date_becomes_a_snapshot_of_the_last_commit_then(site: Path, tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    labels = ["2026-02-10", "2026-02-09", "2026-03"]
    result = ingest_history(uk, site, host="example.org", root="content", at=labels)
    home = "https://example.org/"
    assert {label: list(uk[label].urls) for label in uk.dates} == {
        "2026-02-09": [home, f"{home}a.html"],
        "2026-02-10": [home, f"{home}a.html", f"{home}b.html"],
        "2026-03": [home, f"{home}b.html"],
    }
    assert [each.committed.date().isoformat() for each in result.states] == [
        "2026-01-10", "2026-02-10", "2026-03-10",
    ]  # fmt: skip
    assert all(made.other_time == 0 for made in result.results.values())
    # all pages count as captured at the end of the date
    assert uk["2026-03"].capture(f"{home}b.html").payload == b"<p>B anew"
    assert uk["2026-03"].capture(home).time.isoformat() == "2026-03-31T23:59:59+00:00"


def test_the_same_command_keeps_what_is_complete_and_makes_the_rest(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uk = ws.create(tmp_path / "uk")
    made: list[int] = []

    def break_off(*given: object, **options: object) -> IngestResult:
        if made:
            raise KeyboardInterrupt
        made.append(1)
        return ingest_sources(*given, **options)  # type: ignore[arg-type]

    options = {"host": "example.org", "root": "content", "at": ["2026-01", "2026-02"]}
    monkeypatch.setattr(git_history, "ingest_sources", break_off)
    with pytest.raises(KeyboardInterrupt):
        ingest_history(uk, site, **options)  # type: ignore[arg-type]
    monkeypatch.undo()
    assert [label for label in uk.dates if "warc" in uk[label].parts] == ["2026-01"]
    assert list(ingest_history(uk, site, **options).results) == ["2026-02"]  # type: ignore[arg-type]
    assert not ingest_history(uk, site, **options).results  # type: ignore[arg-type]
    # of another host it is another site
    with pytest.raises(ExistsError, match="this snapshot has other captures already"):
        ingest_history(uk, site, host="example.com", root="content", at=["2026-01"])
    ingest_history(uk, site, host="example.com", root="content", at=["2026-01"], mode="again", scheme="http")
    assert next(iter(uk["2026-01"].urls)) == "http://example.com/"


def test_nothing_is_made_where_one_date_cannot_be_had(site: Path, tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    usual = {"host": "example.org", "root": "content", "at": ["2026-02"]}
    for changed, kind, why in (
        ({"at": ["2026-02", "june"]}, DateError, "'june': not a date"),
        (
            {"at": ["2026-02", "2025"]},
            MissingError,
            "no commit of HEAD at or before 2025-12-31T23:59Z; the first is",
        ),
        ({"at": []}, UsageError, "no date is given"),
        ({"at": [f"{2027 + year}" for year in range(65)]}, DateError, "more than 64 snapshots"),
        ({"root": "public"}, MissingError, "has no folder 'public'; choose another --root"),
        ({"branch": "gone"}, MissingError, "there is no branch or commit 'gone'"),
        ({"branch": "--all"}, MissingError, "there is no branch or commit '--all'"),
        ({"host": "http://example.org/"}, UsageError, "is not a host"),
        ({"scheme": "ftp"}, UsageError, "scheme 'ftp' is unknown; choose https or http"),
    ):
        with pytest.raises(kind, match=why):
            ingest_history(uk, site, **(usual | changed))  # type: ignore[arg-type]
    with pytest.raises(MissingError, match="this is not a git repository"):
        ingest_history(uk, tmp_path, **usual)  # type: ignore[arg-type]
    call_git(site, ["rm", "--quiet", "-r", "content"])
    (site / "content").mkdir()
    (site / "content" / "notes.txt").write_text("no page")
    call_git(site, ["add", "--all"])
    call_git(site, ["commit", "--quiet", "--message", "Empty"])
    with pytest.raises(MissingError, match="has no HTML file; choose another --root"):
        find_states(site, at=["2099"], root="content")
    assert uk.dates == []


def test_a_label_stands_for_its_time_to_the_end() -> None:
    assert end_of_label("2026").isoformat() == "2026-12-31T23:59:59+00:00"
    assert end_of_label("2025-12").isoformat() == "2025-12-31T23:59:59+00:00"
    assert end_of_label("2026-06-12").isoformat() == "2026-06-12T23:59:59+00:00"


def test_a_clock_that_was_wrong_hides_no_earlier_commit(tmp_path: Path) -> None:
    early, late = {"a.html": "<p>A"}, {"b.html": "<p>B"}
    site = make_repository(
        tmp_path / "site", [("2026-01-01", early), ("2030-01-01", {}), ("2026-02-01", late)]
    )
    [found] = find_states(site, at=["2026-01-15"])
    assert found.committed.isoformat() == "2026-01-01T12:00:00+00:00"
