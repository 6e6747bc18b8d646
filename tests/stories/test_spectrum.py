"""`webstrata spectrum`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.graph.linked import link_pages
from webstrata.cli import run
from webstrata.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path

ARCS = [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (2, 5), (3, 0)]


def test_the_spectrum_of_a_snapshot_is_told_and_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link_pages(tmp_path / "uk", 6, ARCS)
    words = ["spectrum", str(tmp_path / "uk"), "2026-06", "--bound", "0.5"]
    assert run(words) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[4].split() == ["N", "N_l", "N_s", "N_d", "d_max", "N_circ", "N_1", "n_A"]
    assert lines[5].split() == ["6", "7", "2", "1", "2", "2", "1", "4"]
    assert "http://test/00" in said.out
    assert said.err.startswith("n_A = 4 on 4 nodes (")
    assert run([*words, "--inverse", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["matrix"] == "G*"
    assert document["vectors"][0]["nodes"][0]["url"].startswith("http://test/")
    assert run(["show", str(tmp_path / "uk")]) == 0
    assert "spectrum-inverse" in capsys.readouterr().out


def test_files_of_a_graph_give_data_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Graph.from_arcs(ARCS).write(tmp_path / "web")
    folder = tmp_path / "data"
    words = [
        "spectrum",
        str(tmp_path / "web"),
        "--output",
        str(folder),
        "--plots",
        str(tmp_path / "pictures"),
    ]
    assert run([*words, "--arnoldi", "2", "--memory", "1"]) == 0
    said = capsys.readouterr()
    assert "on disk, since" in said.err
    assert "There are no invariant subspaces" in said.out
    assert sorted(path.name for path in folder.iterdir()) == [
        "eigenvalues.parquet", "spectrum.json", "subspaces.parquet", "vectors.parquet"
    ]  # fmt: skip
    assert json.loads((folder / "spectrum.json").read_text())["table"]["n_A"] == 2
    assert (tmp_path / "pictures" / "spectrum.html").is_file()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--arnoldi", "7"], "n_A is 7, and the core has 6 nodes; take an n_A of at most 6"),
        (["--arnoldi", "-1"], "must be 0 or more"),
        (["--bound", "0"], "must be above 0 and at most 1"),
        (["--bound", "1.5"], "must be above 0 and at most 1"),
        (["--tolerance", "0"], "must be between 1e-14 and 0.01"),
        (
            ["--memory", "1", "--arnoldi", "2"],
            "name a folder for it, allow more memory, or take a smaller n_A",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Graph.from_arcs(ARCS).write(tmp_path / "web")
    assert run(["spectrum", str(tmp_path / "web"), *words]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert sentence in said[0]


def test_an_empty_graph_a_folder_and_nothing_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Graph.from_arcs([]).write(tmp_path / "empty")
    assert run(["spectrum", str(tmp_path / "empty")]) == 2
    assert "the graph has no nodes" in capsys.readouterr().err
    assert run(["spectrum", str(tmp_path)]) == 2
    assert "this is a folder" in capsys.readouterr().err
    assert run(["spectrum", str(tmp_path / "nothing")]) == 2
    Graph.from_arcs([(0, 0), (1, 1)]).write(tmp_path / "loops")
    capsys.readouterr()
    assert run(["spectrum", str(tmp_path / "loops"), "--bound", "1"]) == 0
    assert "There is no core: every node is in a subspace." in capsys.readouterr().out
    assert run(["spectrum", str(tmp_path / "loops"), "--bound", "1", "--arnoldi", "1"]) == 2
    assert "there is no core" in capsys.readouterr().err
