"""The language check, docs/words.py: what it finds, what it ignores, and that its numbers only fall."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def words() -> ModuleType:
    """docs/words.py."""
    spec = importlib.util.spec_from_file_location("words", ROOT / "docs" / "words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["words"] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(words: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project that the check reads instead of this one."""
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "ALLOWED", tmp_path / "docs" / "words.toml")
    for folder in ("docs/howto", "src/webstrata/crawl", "rust/src/crawl"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs" / "intros.toml").write_text("")
    return tmp_path


def phrases_of_page(words: ModuleType, text: str) -> list[tuple[int, str]]:
    return [found[:2] for passage in words.read_page(text) for found in words.find_phrases(passage)]


def phrases_of_python(words: ModuleType, text: str) -> list[tuple[int, str]]:
    return sorted(found[:2] for passage in words.read_python(text) for found in words.find_phrases(passage))


@pytest.mark.parametrize(
    ("sentence", "phrase"),
    [
        ("The crawl begins anew.", "anew"),
        ("A setting that is heeded.", "heeded"),
        ("The same command goes on from there.", "goes on"),
        ("A crawl that is gone on with.", "gone on"),
        ("Functions of yours are called.", "of yours"),
        ("The number is told in the report.", "is told"),
        ("Pages are told apart by their text.", "are told"),
        ("All if not told.", "if not told"),
        ("'june' is no date.", "is no date"),
        ("With all arcs turned round.", "turned round"),
        ("Pages are taken over from the month before.", "taken over"),
        ("A web that does not exist.", "web that does not exist"),
        ("The longest delay; who asks for more gets this.", "who asks"),
        ("One Parquet file a set, a row a host.", "a row a "),
        ("In place of a snapshot.", "In place of"),
        ("The line is passed over.", "is passed over"),
        ("Their sizes beside ours.", "beside"),
        ("Bits that nobody vouches for.", "vouches"),
        ("Settings are out of force.", "out of force"),
        ("A build that is broken off.", "broken off"),
    ],
)
def test_phrases_that_reviews_found_are_found(words: ModuleType, sentence: str, phrase: str) -> None:
    assert phrase in [found for _, found in phrases_of_page(words, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no limit, and there are no pages.",
        "The file is no longer read.",
        "Links to a page that does not exist are kept.",
        "Run the same command to resume.",
        "`webstrata crawl` is on a separate line: `is told anew`.",
        "[a link](page.md#functions-of-yours-anew) and { #it-goes on }",
        "<!-- anew -->",
        "A person reads a few pages a day.",
    ],
)
def test_plain_sentences_code_and_targets_of_links_are_left_alone(words: ModuleType, sentence: str) -> None:
    assert phrases_of_page(words, sentence) == []


def test_a_phrase_across_lines_is_found_in_its_line_and_blocks_of_code_are_not_read(
    words: ModuleType,
) -> None:
    page = "# Title\n\n```console\n$ echo anew\nanew\n```\n\nThe crawl goes\non, and the page\nis told.\n"
    assert phrases_of_page(words, page) == [(8, "goes on"), (10, "is told")]


def test_a_marked_paragraph_may_have_the_phrase_and_the_next_one_may_not(words: ModuleType) -> None:
    page = "It begins anew. <!-- words: ok -->\nAnd anew.\n\nAnd anew.\n"
    assert phrases_of_page(words, page) == [(4, "anew")]


def test_strings_and_comments_of_python_are_read_and_names_are_not(words: ModuleType) -> None:
    module = '''"""Begins anew."""
anew = 1  # beside
# a page that goes
# on
def f() -> str:
    return "the answer is " "told " f"{anew} afresh, {anew} times"
'''
    found = phrases_of_python(words, module)
    assert found == [(1, "anew"), (2, "beside"), (3, "goes on"), (6, "afresh"), (6, "is told")]


def test_a_marked_line_of_python_may_have_the_phrase(words: ModuleType) -> None:
    module = 'TEXT = "it begins anew"  # words: ok\nOTHER = "it begins anew"\n# anew  words: ok\n'
    assert phrases_of_python(words, module) == [(2, "anew")]


def test_comments_and_strings_of_rust_are_read(words: ModuleType) -> None:
    module = """//! Sums afresh.
let url = "http://anew";
let text = "goes on here"; // beside
// anew, words: ok
"""
    found = [one[:2] for passage in words.read_rust(module) for one in words.find_phrases(passage)]
    assert sorted(found) == [(1, "afresh"), (3, "beside"), (3, "goes on")]


def test_generated_pages_are_left_to_the_code_that_they_repeat(words: ModuleType, project: Path) -> None:
    (project / "docs" / "commands.md").write_text(f"# Commands\n\n{words.GENERATED}: -->\n\nanew\n")
    (project / "docs" / "howto" / "crawl.md").write_text("It begins anew.\n")
    assert {room: [str(one) for one in found] for room, found in words.find_all().items()} == {
        "docs/howto/crawl.md": ["docs/howto/crawl.md:1: “anew”: rather again, from the start"]
    }


def test_a_room_fails_above_its_number_and_the_number_only_falls(
    words: ModuleType, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = project / "src" / "webstrata" / "crawl" / "run.py"
    source.write_text("# anew\n\n# afresh\n")
    words.write_allowed({"src/crawl": 3})
    assert words.main([]) == 0
    assert "run `python docs/words.py --lower`" in capsys.readouterr().out
    assert words.main(["--lower"]) == 0
    assert words.read_allowed() == {"src/crawl": 2}
    assert words.main([]) == 0
    assert capsys.readouterr().out == ""
    source.write_text("# anew\n\n# afresh\n\n# heeded\n")
    assert words.main([]) == 1
    problems = capsys.readouterr().err
    assert problems.startswith("src/crawl: phrases to avoid: 3, allowed: 2; ")
    assert "    src/webstrata/crawl/run.py:5: “heeded”: rather use, obey, apply\n" in problems
    assert words.main(["--lower"]) == 0
    assert words.read_allowed() == {"src/crawl": 2}, "the number did not grow"
    source.write_text("")
    assert words.main(["--lower"]) == 0
    assert words.read_allowed() == {}


def test_a_page_without_a_number_may_have_no_phrase(
    words: ModuleType, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "README.md").write_text("It begins anew.\n")
    assert words.main([]) == 1
    assert "README.md: phrases to avoid: 1, allowed: 0" in capsys.readouterr().err


def test_a_source_file_belongs_to_its_room_and_a_page_to_itself(words: ModuleType) -> None:
    places = [
        "src/webstrata/crawl/run.py",
        "rust/src/rank/fold.rs",
        "src/webstrata/errors.py",
        "docs/index.md",
    ]
    assert [words.room_of(place) for place in places] == ["src/crawl", "rust/rank", "src", "docs/index.md"]


def test_lower_never_adds_a_room(words: ModuleType) -> None:
    assert words.lower({"src/rank": 2}, Counter({"src/rank": 1, "src/web": 1})) == {"src/rank": 1}
