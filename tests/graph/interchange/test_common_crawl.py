"""Vertices and edges as Common Crawl has them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError, MissingError
from webstrata.graph.interchange.common_crawl import iter_names, open_common_crawl

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, vertices: str, edges: str) -> Path:
    (folder / "uk-vertices.txt.gz").write_bytes(gzip.compress(vertices.encode()))
    (folder / "uk-edges.txt.gz").write_bytes(gzip.compress(edges.encode()))
    return folder / "uk-edges.txt.gz"


def test_a_graph_of_domains_is_read_with_its_names(tmp_path: Path) -> None:
    path = write(tmp_path, "0\tuk.a\t3\n1\tuk.b\t1\n2\tuk.münchen\t1\n", "0\t2\n1\t0\n")
    stream = open_common_crawl(path)
    assert stream.num_nodes == 3
    assert [(s.tolist(), t.tolist()) for s, t in stream.blocks] == [([0, 1], [2, 0])]
    names = [name for block in iter_names(tmp_path / "uk-vertices.txt.gz") for name in block.to_pylist()]
    assert names == ["uk.a", "uk.b", "uk.münchen"]


@pytest.mark.parametrize(
    ("vertices", "edges", "message"),
    [
        ("0\ta\n2\tb\n", "0\t0\n", "vertices.txt.gz, line 2: expected the vertex 1, got 2"),
        (
            "0\ta\n1\tb\n",
            "0\t2\n",
            "edges.txt.gz, line 1: expected two node numbers from 0 to 1, got '0\\\\t2'",
        ),
        ("a\nb\n", "0\t0\n", "from line 1 on: expected a number, a tab and a name"),
    ],
)
def test_what_does_not_fit_is_said_with_its_line(
    tmp_path: Path, vertices: str, edges: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        list(open_common_crawl(write(tmp_path, vertices, edges)).blocks)


def test_both_files_are_needed(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"no files uk-vertices\.txt\.gz and uk-edges\.txt\.gz"):
        open_common_crawl(tmp_path / "uk")
