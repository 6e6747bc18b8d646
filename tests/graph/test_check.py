"""Files of a graph that are damaged in one place or another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.graph import reference
from webstrata.cli import run
from webstrata.graph import Graph
from webstrata.graph.check import check_graph
from webstrata.graph.compress import compress

if TYPE_CHECKING:
    from pathlib import Path

LISTS = [[(7 * node + step) % 300 for step in range(node % 9)] for node in range(300)]


@pytest.fixture
def basename(tmp_path: Path) -> Path:
    compress(*reference.to_rows(LISTS), tmp_path / "uk.2026")
    Graph.open(tmp_path / "uk.2026").transpose().write(tmp_path / "turned")
    return tmp_path / "uk.2026"


def change(path: Path, place: int, *, by: int = 0x55) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= by
    path.write_bytes(data)


def file(basename: Path, extension: str) -> Path:
    return basename.with_name(basename.name + extension)


def test_a_sound_graph_and_its_transpose_are_sound(basename: Path) -> None:
    before = sorted(basename.parent.iterdir())
    found = check_graph(basename, transpose=basename.with_name("turned"))
    assert (found.damage, found.notes) == ([], [])
    assert (found.num_nodes, found.num_arcs) == (300, sum(len(set(row)) for row in LISTS))
    assert sorted(basename.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("extension", "place", "message"),
    [
        (".graph", 100, r"uk\.2026\.graph, node \d+ at bit \d+: "),
        (".offsets", 40, r"uk\.2026\.offsets, node \d+: "),
        (".ef", 200, r"uk\.2026\.ef: it does not fit uk\.2026\.offsets"),
    ],
)
def test_a_byte_that_was_changed_is_found(basename: Path, extension: str, place: int, message: str) -> None:
    change(file(basename, extension), place)
    [sentence] = check_graph(basename).damage
    assert re.search(message, sentence), sentence


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("arcs=", "arcs=1", "it promises 1"),
        ("nodes=300", "nodes=299", "another graph"),
        ("version=0", "version=7", "expected version 0 or 1, got 7"),
        ("endianness=big", "endianness=little", "expected big-endian bits, got little"),
        ("windowsize=7", "windowsize=many", "expected a number as windowsize, got 'many'"),
        ("graphclass=it.unimi.dsi.webgraph.BVGraph", "graphclass=EFGraph", "expected a BVGraph, got EFGraph"),
    ],
)
def test_properties_of_something_else_are_found(basename: Path, old: str, new: str, message: str) -> None:
    path = file(basename, ".properties")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert any(message in sentence for sentence in check_graph(basename).damage)


def test_what_is_missing_or_of_another_version_is_noted(basename: Path) -> None:
    change(file(basename, ".ef"), 0)
    assert "another version" in check_graph(basename).notes[0]
    file(basename, ".offsets").unlink()
    found = check_graph(basename)
    assert (found.damage, len(found.notes)) == ([], 1)
    file(basename, ".properties").unlink()
    assert ".properties" in check_graph(basename).damage[0]


def test_a_transpose_of_another_graph_is_found(basename: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Graph.open(basename).write(basename.with_name("same"))
    assert run(["graph", "check", str(basename), "--transpose", str(basename.with_name("same"))]) == 2
    said = capsys.readouterr()
    assert "turned round; build it anew" in said.out
    assert "1 damaged; see above" in said.err
