"""webstrata build: any part by its name, with settings that are kept."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import webstrata as ws
from webstrata import testing
from webstrata.cli import run


def test_a_part_is_built_with_an_option_that_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    uk = testing.collection()
    assert run(["build", str(uk.path), "2026-06", "graph", "--window", "16"]) == 0
    out, err = capsys.readouterr()
    assert "2026-06/graph" in out
    assert "2026-05/graph" not in out
    assert "replacing the stored graph of 2026-06: window was 7, is 16" in err
    assert "window = 16\n" in (uk.path / "collection.toml").read_text()
    assert run(["build", str(uk.path), "2026-06", "graph"]) == 0
    assert capsys.readouterr().out == "Nothing to do: all of it is fresh.\n"
    assert run(["build", str(uk.path), "graph", "--json"]) == 0
    built = json.loads(capsys.readouterr().out)["built"]
    assert sorted(built) == ["2026-04/graph", "2026-05/graph"]
    assert built["2026-05/graph"]["settings"]["window"] == 16


def test_a_plain_align_keeps_the_settings_of_the_union(capsys: pytest.CaptureFixture[str]) -> None:
    uk = testing.collection()
    assert run(["align", str(uk.path), "--by", "learned"]) == 0
    before = uk.parts.record("temporal").settings
    assert run(["align", str(uk.path)]) == 0
    assert ws.open(uk.path).parts.record("temporal").settings == before
    assert before["by"] == "learned"
    assert capsys.readouterr().err.count("replacing") == 1


def test_help_lists_parts_and_their_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "--help"]) == 0
    out = capsys.readouterr().out
    assert "Compress the links between pages." in out
    assert "--window NUMBER" not in out
    assert run(["build", "uk", "graph", "--help"]) == 0
    assert "--window NUMBER" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["grahp"], "grahp is not a part (did you mean graph?)"),
        (["2026-06"], "name a part to build"),
        (["temporal", "--window", "3"], "No such option"),
        (["graph", "--window", "many"], "window is 'many'"),
        (["2030-01", "graph"], "no snapshot 2030-01"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["build", str(testing.collection().path), *words]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_python_runs_the_package_as_the_command() -> None:
    found = subprocess.run([sys.executable, "-m", "webstrata", "--version"], capture_output=True, check=True)
    assert found.stdout.decode().startswith("webstrata ")
