"""Which files of a folder are a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.graph.releases.written import pack, write_release
from webstrata.errors import MissingError, UsageError
from webstrata.graph import Graph
from webstrata.graph.releases.files import find_release

if TYPE_CHECKING:
    from pathlib import Path


def test_numbered_files_are_found_by_their_list_of_paths(tmp_path: Path) -> None:
    found = find_release(write_release(tmp_path, files=2, ranks=True))
    assert [path.name for path in found.vertices] == ["part-00000-c000.txt.gz", "part-00001-c000.txt.gz"]
    assert (found.form, found.level, len(found.edges), len(found.ranks)) == ("text", "host", 2, 1)


def test_numbered_files_without_a_list_are_found_in_their_folders(tmp_path: Path) -> None:
    write_release(tmp_path, files=3)
    for path in tmp_path.glob("*.paths.gz"):
        path.unlink()
    found = find_release(tmp_path)
    assert (found.name, len(found.vertices), len(found.edges)) == (tmp_path.name, 3, 3)


def test_a_bvgraph_is_read_before_text_and_a_transposed_one_after_it(tmp_path: Path) -> None:
    write_release(tmp_path, name="cc-host")
    Graph.from_arcs([(0, 1)], num_nodes=5).write(tmp_path / "cc-host-t")
    assert find_release(tmp_path).form == "text"
    (tmp_path / "cc-host-edges.txt.gz").unlink()
    assert find_release(tmp_path).form == "BVGraph, transposed"
    Graph.from_arcs([(0, 1)], num_nodes=5).write(tmp_path / "cc-host")
    assert find_release(tmp_path).form == "BVGraph"


def test_a_domain_graph_is_known_by_its_third_column(tmp_path: Path) -> None:
    pack(tmp_path / "vertices.txt.gz", ["0\torg.a\t3"])
    pack(tmp_path / "edges.txt.gz", [])
    assert find_release(tmp_path).level == "domain"


def test_of_two_releases_in_a_folder_one_is_named(tmp_path: Path) -> None:
    write_release(tmp_path, name="one-host")
    write_release(tmp_path, name="two-host")
    with pytest.raises(UsageError, match=r"several releases \(one-host, two-host\); name one, as"):
        find_release(tmp_path)
    assert find_release(tmp_path / "two-host").name == "two-host"


@pytest.mark.parametrize(
    ("remove", "message"),
    [
        ("*-edges.txt.gz", "no arcs of cc-host; fetch cc-host-edges"),
        ("*-vertices.txt.gz", "no vertices of cc-host; fetch cc-host-vertices"),
        ("*", "no web graph release; a release has NAME-vertices"),
    ],
)
def test_what_is_missing_is_named_with_the_file_to_fetch(tmp_path: Path, remove: str, message: str) -> None:
    write_release(tmp_path, name="cc-host")
    for path in tmp_path.glob(remove):
        path.unlink()
    with pytest.raises(MissingError, match=message):
        find_release(tmp_path)


def test_a_folder_with_both_levels_asks_for_one(tmp_path: Path) -> None:
    write_release(tmp_path / "host")
    write_release(tmp_path / "domain")
    with pytest.raises(MissingError, match=r"name the folder of one level, as .*host"):
        find_release(tmp_path)


def test_a_listed_file_that_was_not_fetched_is_named(tmp_path: Path) -> None:
    write_release(tmp_path, files=2)
    (tmp_path / "edges" / "part-00001-c000.txt.gz").unlink()
    with pytest.raises(MissingError, match=r"lists .*edges/part-00001-c000\.txt\.gz, which is not there"):
        find_release(tmp_path)
