"""The rule that derives questions from commits, and the questions that are committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.change_questions import (
    LISTING,
    MAX_QUESTIONS,
    SITES,
    Question,
    Site,
    derive,
    is_query,
    is_right,
    read_questions,
    write_questions,
)
from tests.store.repositories import make_repository

if TYPE_CHECKING:
    from pathlib import Path

WORDS = " ".join(f"word{number}" for number in range(60))


def test_subjects_that_say_nothing_are_no_queries() -> None:
    assert is_query("Add post about SQL joins", 1)
    assert is_query("[FLINK-123] Add release notes (#7)", 2)
    for subject, repeats in (
        ("Rebuild the whole website", 3),
        ("Merge branch with new pages", 1),
        ('Revert "Add post about joins"', 1),
        ("[FLINK-123] Fix typo (#17)", 1),
        ("Publish 8ac48eb0c1d2", 1),
    ):
        assert not is_query(subject, repeats), subject


def test_a_page_is_right_if_it_is_new_or_a_fifth_of_its_words_are() -> None:
    page = f"<html><script>var no</script><p>{WORDS}</p>".encode()
    assert is_right(None, page)
    assert not is_right(None, b"<p>just a few words")
    assert not is_right(page, page + b"<p>and some more")
    assert is_right(page, page + b" ".join(b"other%d" % number for number in range(50)))
    # comments, scripts and tags are no words
    assert not is_right(page, page + b"<!--" + WORDS.encode() + b"--><b class='x'>" * 60)


def test_the_subject_of_a_rebuild_is_that_of_the_one_commit_before_it(tmp_path: Path) -> None:
    (tmp_path / "a+b").mkdir()
    states: list[tuple[str, dict[str, str | None]]] = [
        ("2026-01-01", {"content/index.html": "<p>Home"}),
        ("2026-02-01", {"posts/joins.md": "Joins"}),
        ("2026-02-02", {"content/joins.html": f"<p>{WORDS}", "content/index.html": "<p>Home, joins"}),
    ]
    subjects = ("Begin the site", "Write about SQL joins", "Rebuild website")
    make_repository(tmp_path / "a+b" / "repo", states, subjects)
    site = Site("a", "a/b", "main", "content", "example.org", ("2026-01-01", "2026-03-01"), "tune")
    [question] = derive(site, tmp_path)
    assert question.subject == "Write about SQL joins"
    assert (question.before, question.after) == ("2026-01-01", "2026-03-01")
    assert question.right == ("https://example.org/joins.html",)
    write_questions("a", [question], tmp_path / "questions")
    assert read_questions("a", tmp_path / "questions") == [question]


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_every_site_has_questions_of_its_own_dates_and_host(site: Site) -> None:
    questions = read_questions(site.name)
    assert 60 <= len(questions) <= MAX_QUESTIONS
    assert len({question.commit for question in questions}) == len(questions)
    for question in questions:
        assert isinstance(question, Question)
        assert site.dates.index(question.after) == site.dates.index(question.before) + 1
        assert question.right
        for url in question.right:
            assert url.startswith(f"https://{site.host}/")
            assert not LISTING.search(url.removeprefix(f"https://{site.host}/"))
