"""Graphs from every format to every other, and what is wrong with files said in a sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import networkx
import pytest
import scipy.io
import scipy.sparse

from tests.graph import reference
from webstrata.cli import run
from webstrata.cli.graph import convert as command_formats
from webstrata.errors import MissingError, UsageError
from webstrata.graph import Graph, RowsGraph
from webstrata.graph.interchange import FORMATS, convert, guess_format, open_arcs

LISTS = [[1, 3], [], [0, 2, 4], [2], [], []]
"""Nodes at the end have no arcs, and must not be lost."""
FILES = {
    "edges": "g.tsv.zst", "mtx": "g.mtx", "parquet": "g.parquet", "npz": "g.npz", "cc": "cc", "bvgraph": "bv",
}  # fmt: skip


@pytest.fixture
def graph() -> Graph:
    return RowsGraph(*reference.to_rows(LISTS))


@pytest.mark.parametrize("to", FILES)
@pytest.mark.parametrize("start", FILES)
def test_a_graph_goes_from_every_format_to_every_other(
    tmp_path: Path, graph: Graph, start: str, to: str
) -> None:
    (tmp_path / "out").mkdir()
    convert(graph, tmp_path / FILES[start], start)
    assert guess_format(tmp_path / FILES[start]) == start
    assert convert(tmp_path / FILES[start], tmp_path / "out" / FILES[to], to) == (6, 6)
    convert(tmp_path / "out" / FILES[to], tmp_path / "last", "bvgraph")
    found = Graph.open(tmp_path / "last").rows()
    assert reference.are_equal(found, graph.rows())
    # nothing of the way there is left
    assert not [file for file in tmp_path.rglob(".*")]


def test_other_programs_read_what_is_written(tmp_path: Path, graph: Graph) -> None:
    arcs = [(node, target) for node, row in enumerate(LISTS) for target in row]
    convert(graph, tmp_path / "g.graphml", "graphml")
    found = networkx.read_graphml(tmp_path / "g.graphml")
    assert sorted((int(u[1:]), int(v[1:])) for u, v in found.edges) == arcs
    assert found.number_of_nodes() == 6
    convert(graph, tmp_path / "g.mtx", "mtx")
    convert(graph, tmp_path / "g.npz", "npz")
    for matrix in (scipy.io.mmread(tmp_path / "g.mtx"), scipy.sparse.load_npz(tmp_path / "g.npz")):
        assert sorted(zip(*(column.tolist() for column in matrix.nonzero()), strict=True)) == arcs
    convert(graph, tmp_path / "g.txt.gz", "edges")
    lines = gzip.decompress((tmp_path / "g.txt.gz").read_bytes()).decode().splitlines()
    assert [tuple(map(int, line.split())) for line in lines[1:]] == arcs


def test_what_is_not_known_is_refused(tmp_path: Path, graph: Graph) -> None:
    with pytest.raises(UsageError, match="dot is no format; known are edges, "):
        convert(graph, tmp_path / "g", "dot")
    with pytest.raises(UsageError, match="graphml is not read"):
        open_arcs(tmp_path / "g.graphml")
    with pytest.raises(MissingError, match=r"no nothing\.properties"):
        convert(tmp_path / "nothing", tmp_path / "g", "edges")
    with pytest.raises(UsageError, match="webspam is read, and not written"):
        convert(graph, tmp_path / "g", "webspam")
    assert {name for name in FORMATS if FORMATS[name].writer} | {"bvgraph", "webspam"} == {*FORMATS}


def test_the_command_converts_and_says_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("uk.txt").write_text("0 1\n2 0\n0 1\n")
    assert run(["graph", "convert", "uk.txt", "--format", "bvgraph", "--window", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["arcs"] == 2
    assert "windowsize=0" in Path("uk.properties").read_text()
    assert run(["graph", "convert", "uk", "--output", "uk-t", "--format", "bvgraph", "--transpose"]) == 0
    assert run(["graph", "convert", "uk.txt", "--output", "again", "--format", "bvgraph", "--transpose"]) == 0
    assert Graph.open("uk-t").successors(1).tolist() == Graph.open("again").successors(1).tolist() == [0]
    assert run(["graph", "convert", "uk.txt", "--format", "bvgraph"]) == 2
    assert "say --force" in capsys.readouterr().err
    assert run(["graph", "check", "uk"]) == 0
    assert "uk is sound: 3 nodes, 2 arcs." in capsys.readouterr().out
    Path("odd.txt").write_text("0 1\n2 -5\n")
    assert run(["graph", "convert", "odd.txt", "--format", "mtx"]) == 2
    assert (
        "odd.txt, line 2: expected two node numbers from 0 to 4294967295, got '2 -5'"
        in capsys.readouterr().err
    )
    assert not Path("odd.mtx").exists()


def test_the_command_offers_to_read_what_can_be_read() -> None:
    assert set(command_formats.FORMATS) == set(FORMATS)
    readable = {name for name, found in FORMATS.items() if found.reader}
    assert set(command_formats.READ) == readable | {"bvgraph"}
