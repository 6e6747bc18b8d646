"""A given graph is read, or refused with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError
from webstrata.simulate.invitro.given import GivenGraph, read_graph
from webstrata.simulate.invitro.web import Web

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("urls", "arcs", "said"),
    [
        ("http://a.test/\n", "0 1\n", "line 1: node 1 has no address"),
        ("http://a.test/\n", "0\n", "line 1: `0` is no arc"),
        ("http://a.test/\n", "0 0\n0 x\n", "line 2: `0 x` is no arc"),
        ("http://a.test/\n", "0 0 3\n", "is no arc"),
    ],
)
def test_a_line_that_is_no_arc_is_named(tmp_path: Path, urls: str, arcs: str, said: str) -> None:
    (tmp_path / "urls").write_text(urls)
    (tmp_path / "arcs").write_text(arcs)
    with pytest.raises(FormatError, match=said):
        read_graph(tmp_path / "urls", tmp_path / "arcs")


def test_an_address_that_cannot_be_served_is_named() -> None:
    given = GivenGraph(["http://a.test/", "ftp://b.test/"], [(0, 1)])
    with pytest.raises(FormatError, match=r"line 2: `ftp://b\.test/`"):
        Web("tiny").serve(given=given)
