"""A part that is declared is built, run, shown, named in errors and listed in the docs."""

from __future__ import annotations

import json
import runpy
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.conftest import ROOT
from webstrata.cli import run
from webstrata.collection.declarations import SnapshotPart, declare, find_part, forget, load_parts
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.collection.progress import Progress


def count_words(snapshot: Any, _settings: None, *, workers: int, progress: Progress) -> None:  # noqa: ANN401
    with snapshot.write_part("word-count", inputs=("text",), progress=progress) as build:
        (build.path / "words").write_text(str(len(snapshot.text)))
        build.count(pages=1)


@pytest.fixture
def scratch() -> Iterator[SnapshotPart]:
    """One declaration and one builder."""
    part = SnapshotPart("word-count", "Count the words of pages.", inputs=("text",), build=count_words)
    declare(part)
    yield part
    forget("word-count")


@pytest.fixture
def uk(tmp_path: Path) -> ws.Collection:
    page = tmp_path / "a.html"
    page.write_text("<title>A</title>Hello world")
    words = ["ingest", str(tmp_path / "uk"), "2026-06", str(page), "--base-url", "http://a.uk/"]
    assert run(["new", str(tmp_path / "uk")]) == 0
    assert run(words) == 0
    return ws.open(tmp_path / "uk")


def test_a_scratch_part_needs_one_declaration_and_one_builder(
    uk: ws.Collection, scratch: SnapshotPart, capsys: pytest.CaptureFixture[str]
) -> None:
    june = uk["2026-06"]
    # the error about it
    with pytest.raises(MissingError, match=r"no part word-count .* call `snapshot.build\('word-count'\)`"):
        june.open_part(scratch.name)
    # the plan of a run
    capsys.readouterr()
    assert run(["run", str(uk.path), "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)["plan"]
    assert ("word-count", "2026-06/word-count", "due") in [(p["stage"], p["what"], p["state"]) for p in plan]
    # the help of `build`
    assert run(["build", "--help"]) == 0
    assert "Count the words of pages." in capsys.readouterr().out
    assert run(["show", str(uk.path), "2026-06", "--json"]) == 0
    capsys.readouterr()
    # the same error as a command
    with pytest.raises(MissingError) as caught:
        june.open_part(scratch.name)
    assert f"run `webstrata build {uk.path} 2026-06 word-count`" in caught.value.explain()
    # the docs page of parts
    pages = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert "| `word-count` |" in pages["write_parts"]()
    # a run of all stages
    assert uk.run(first="word-count", last="word-count")[0]["built"] == 1
    uk["2026-06"].parts.remove("word-count")
    # build, from the command line and from Python
    assert run(["build", str(uk.path), "word-count"]) == 0
    assert "2026-06/word-count" in capsys.readouterr().out
    assert june.build("word-count") == {}
    assert list(june.build("word-count", again=True)) == ["2026-06/word-count"]
    # show, and staleness
    assert run(["show", str(uk.path)]) == 0
    assert "word-count" in capsys.readouterr().out
    june.build("text", again=True, main="low-slope")
    assert uk.states()["2026-06/word-count"].is_stale


def test_inputs_come_before_what_is_built_from_them() -> None:
    seen: set[str] = set()
    for name, part in load_parts().items():
        inputs = {each.removeprefix("/") for each in part.inputs} & set(load_parts())
        assert inputs <= seen, name
        seen.add(name)


def test_an_unknown_part_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"grpah is no part .did you mean graph..; known are"):
        find_part("grpah")


def test_every_part_that_is_built_has_a_sentence_and_a_builder() -> None:
    for part in load_parts().values():
        assert part.help.endswith("."), part.name
        assert part.help[0].isupper(), part.name
        for name in (*part.together,):
            assert name in load_parts(), name
