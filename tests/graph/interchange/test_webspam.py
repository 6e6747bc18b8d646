"""Host graphs of the web spam data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.classify.published.files import HOSTS, write_uk2006, write_uk2007
from webstrata.errors import FormatError
from webstrata.graph.hosts import NamedGraph
from webstrata.graph.interchange.formats import convert, guess_format
from webstrata.graph.interchange.webspam import iter_weighted, read_hostnames

if TYPE_CHECKING:
    from pathlib import Path


def test_the_host_graph_of_uk2007_becomes_a_graph_with_names(tmp_path: Path) -> None:
    path = write_uk2007(tmp_path / "data") / "links" / "uk-2007-05.hostgraph_weighted.graph-txt.gz"
    assert guess_format(path) == "webspam"
    assert convert(path, tmp_path / "uk", "bvgraph") == (HOSTS, 2 * HOSTS)
    graph = NamedGraph(tmp_path, "uk")
    assert graph.names[3] == "www.h3.co.uk"
    assert graph.successors(3).tolist() == [4, 10]
    _, blocks = iter_weighted(path)
    sources, targets, links = next(blocks)
    assert (sources[:2].tolist(), targets[:2].tolist(), links[:2].tolist()) == ([0, 0], [1, 7], [1, 2])


def test_the_host_graph_of_uk2006_has_arrows(tmp_path: Path) -> None:
    path = write_uk2006(tmp_path / "data") / "uk-2006-05.hostgraph_weighted.txt"
    assert guess_format(path) == "webspam"
    assert convert(path, tmp_path / "uk", "bvgraph") == (HOSTS, HOSTS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3\n1:7\n", "it has lines for 1 hosts, and 3 on its first line; the file is cut off"),
        ("2\n1:7\n0:", "line 3: expected pairs dest:nlinks, got '0:'; the file is cut off"),
        ("2\n1:7\n5:1\n", "host 5 is linked to, and there are 2"),
        ("host graph\n", "this is no host graph"),
        ("0 -> 1:2\n1 2:1\n", "expected `src -> dest:nlinks"),
        ("", "this file is empty"),
    ],
)
def test_a_damaged_host_graph_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "uk.hostgraph_weighted.graph-txt"
    path.write_text(text)
    with pytest.raises(FormatError) as raised:
        list(iter_weighted(path)[1])
    assert said in str(raised.value)


def test_host_names_are_numbered_in_order(tmp_path: Path) -> None:
    path = tmp_path / "hostnames.txt"
    path.write_text("a.eu 0\nb.eu 1\n")
    assert read_hostnames(path) == ["a.eu", "b.eu"]
    path.write_text("a.eu\nb.eu\n")
    assert read_hostnames(path) == ["a.eu", "b.eu"]
    path.write_text("0 a.eu\n2 b.eu\n")
    with pytest.raises(FormatError, match="line 2: expected the name of host 1"):
        read_hostnames(path)
