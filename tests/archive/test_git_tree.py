"""Pages of a commit, read from a repository."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from tests.store.repositories import make_repository
from webstrata.archive.git_tree import GitState, call_git, list_files, read_git
from webstrata.archive.tally import Tally
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

NOON = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)
FILES = {
    "README.md": "no page",
    "content/index.html": "<p>Home",
    "content/a b/index.html": "<p>Folder",
    "content/a b/ü.htm": "<p>Umlaut",
    "content/plain": "<!doctype html><p>No ending",
    "content/LICENSE": "no page",
    "content/style.css": "p {}",
}


def test_files_below_the_root_have_the_urls_of_a_static_server(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "site", [("2026-01-01", FILES)])
    (repository / "content" / "link.html").symlink_to("/etc/passwd")
    call_git(repository, ["add", "--all"])
    call_git(repository, ["commit", "--quiet", "--message", "A link"])
    tally = Tally()
    records = list(
        read_git(repository, GitState("HEAD", "content", NOON), tally, base_url="https://example.org/")
    )
    assert {record.url: record.block for record in records} == {
        "https://example.org/": b"<p>Home",
        "https://example.org/a%20b/": b"<p>Folder",
        "https://example.org/a%20b/%C3%BC.htm": b"<p>Umlaut",
        "https://example.org/plain": b"<!doctype html><p>No ending",
    }
    assert {record.get("WARC-Date") for record in records} == {"2026-06-01T12:00:00Z"}
    assert tally.left_out == {"not HTML": 2}


def test_a_bare_repository_is_read_in_the_same_way_whatever_the_working_copy_has(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "site", [("2026-01-01", FILES)])
    call_git(tmp_path, ["clone", "--quiet", "--bare", "site", "bare.git"])
    (repository / "content" / "new.html").write_text("<p>Not committed")
    found = [list_files(place, "HEAD", "content") for place in (repository, tmp_path / "bare.git")]
    assert found[0] == found[1]
    assert len(found[0]) == 6


def test_contents_that_are_missing_count_as_damage(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "site", [("2026-01-01", FILES)])
    blob = next(file.blob for file in list_files(repository, "HEAD", "content") if file.path == b"index.html")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    tally = Tally()
    state = GitState("HEAD", "content", NOON)
    assert len(list(read_git(repository, state, tally, base_url="https://example.org/"))) == 3
    assert [(damage.file, damage.what) for damage in tally.damage] == [
        ("index.html", f"the repository has no contents of blob {blob}")
    ]


def test_what_git_refuses_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = make_repository(tmp_path / "site", [("2026-01-01", FILES)])
    with pytest.raises(UsageError, match="`git ls-tree` failed: "):
        list_files(repository, "nothing", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="the program git is not installed"):
        list_files(repository, "HEAD", "")
