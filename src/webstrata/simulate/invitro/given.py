"""A given graph to be served: addresses, one per line, and arcs, two node numbers per line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class GivenGraph:
    """Addresses by node, and arcs."""

    urls: list[str]
    arcs: list[tuple[int, int]]


def read_graph(urls: Path, arcs: Path) -> GivenGraph:
    r"""Read a graph from its two files, refusing lines that are not what they should be.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "urls").write_text("http://a.test/\nhttp://b.test/\n")
    >>> _ = (folder / "arcs").write_text("0 1\n1 0\n")
    >>> read_graph(folder / "urls", folder / "arcs").arcs
    [(0, 1), (1, 0)]
    """
    with explained(urls, "read"):
        addresses = urls.read_text().split("\n")
    if addresses and addresses[-1] == "":
        addresses.pop()
    pairs = []
    with explained(arcs, "read"):
        lines = arcs.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        if not line and number == len(lines):
            break
        words = line.split()
        if len(words) != 2 or not all(word.isdecimal() for word in words):
            raise FormatError(
                f"{arcs}, line {number}: `{line}` is no arc; two node numbers were expected, and a file that "
                "ends in the middle of a line is truncated"
            )
        pairs.append((int(words[0]), int(words[1])))
    for number, (source, target) in enumerate(pairs, 1):
        if max(source, target) >= len(addresses):
            raise FormatError(
                f"{arcs}, line {number}: node {max(source, target)} has no address, and {urls} has "
                f"{len(addresses)}; one of the two files is truncated, or they belong to different graphs"
            )
    return GivenGraph(addresses, pairs)
