"""Host graphs of the web spam data sets, as published: one line per host, links with their numbers.

=============================================  ==========================================================
``uk-2007-05.hostgraph_weighted.graph-txt``    WEBSPAM-UK2007 and DC2010: the number of hosts on the first
                                               line; then one line per host, from host 0 on, with its
                                               out-links ``dest1:nlinks1 dest2:nlinks2 …``
``uk-2006-05.hostgraph_weighted.txt``          WEBSPAM-UK2006: ``src -> dest1:nlinks1 dest2:nlinks2 …``
=============================================  ==========================================================

``dest`` is the number of a host and ``nlinks`` the number of page-to-page links between the two hosts, as the
pages "Graph of UK-2007", "URLs and hyperlinks of UK-2006" (chato.cl/webspam) and "Graph of EU-2010"
(dms.sztaki.hu) describe them. There the pairs of a line may have commas after them. Hosts are named by a file
``…hostnames.txt`` in the same folder, one line per host: ``ID NAME`` (UK2007), ``NAME ID`` (DC2010) or the
name alone. Files may be packed by gzip.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from webstrata.errors import FormatError
from webstrata.graph.interchange.text import ArcStream, LineReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    Block = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]

_PAIRS = re.compile(rb"(?:\d+:\d+[ ,]*)*")
_HOSTS = 1 << 14
"""Hosts of a block."""


def read_hostnames(path: Path) -> list[str]:
    r"""The names of hosts by their numbers.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk-2007-05.hostnames.txt"
    >>> _ = path.write_text("0 www.a.co.uk\n1 b.co.uk\n")
    >>> read_hostnames(path)
    ['www.a.co.uk', 'b.co.uk']
    """
    found: list[str] = []
    reader = LineReader(path)
    while (line := reader.readline()) is not None:
        words = line.decode("utf-8", "replace").split()
        if not words:
            continue
        number = str(len(found))
        if len(words) > 1 and number not in (words[0], words[1]):
            raise FormatError(
                f"{path}, line {reader.line - 1}: expected the name of host {number}, got "
                f"{' '.join(words)[:60]!r}; hosts are numbered from 0 on, and none may be missing"
            )
        found.append((words[1] if words[0] == number else words[0]) if len(words) > 1 else words[0])
    if not found:
        raise FormatError(f"{path}: there is no host in it; expected a line `ID NAME` for each host")
    return found


def find_hostnames(path: Path) -> Path | None:
    """The file of host names in the folder of a host graph or of labels.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "WEBSPAM-UK2007-hostnames.txt").touch()
    >>> find_hostnames(folder / "WEBSPAM-UK2007-SET1-labels.txt").name
    'WEBSPAM-UK2007-hostnames.txt'
    """
    folder = path if path.is_dir() else path.parent
    found = sorted(file for file in folder.glob("*hostnames*.txt*") if file.is_file())
    return found[0] if found else None


def iter_weighted(path: Path) -> tuple[int | None, Iterator[Block]]:
    r"""The number of hosts where the file has it, and blocks of sources, targets and numbers of links.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.hostgraph_weighted.graph-txt"
    >>> _ = path.write_text("3\n1:7 2:1\n\n0:4\n")
    >>> number, blocks = iter_weighted(path)
    >>> number, [[part.tolist() for part in block] for block in blocks]
    (3, [[[0, 0, 2], [1, 2, 0], [7, 1, 4]]])
    """
    reader = LineReader(path)
    first = reader.readline()
    if first is None:
        raise FormatError(f"{path}: this file is empty; expected a host graph")
    if b"->" in first:
        return None, _blocks(path, reader, None, first)
    if not first.strip().isdigit():
        raise FormatError(
            f"{path}, line 1: expected the number of hosts or `src -> dest:nlinks …`, got "
            f"{first[:40].decode('utf-8', 'replace')!r}; this is no host graph of a web spam data set"
        )
    return int(first), _blocks(path, reader, int(first), None)


def _blocks(path: Path, reader: LineReader, number: int | None, line: bytes | None) -> Iterator[Block]:
    sources: list[int] = []
    pairs: list[npt.NDArray[np.int64]] = []
    host = 0
    if line is None:
        line = reader.readline()
    while line is not None:
        text = line.strip()
        if number is None and text:
            head, arrow, text = text.partition(b"->")
            if not arrow or not head.strip().isdigit():
                raise FormatError(f"{path}, line {reader.line - 1}: expected `src -> dest:nlinks …`")
            host, text = int(head), text.strip()
        if not _PAIRS.fullmatch(text):
            raise FormatError(
                f"{path}, line {reader.line - 1}: expected pairs dest:nlinks, got "
                f"{text[-40:].decode('utf-8', 'replace')!r}; the file is cut off or damaged"
            )
        if number is not None and host >= number and text:
            raise FormatError(f"{path}, line {reader.line - 1}: there are more than {number} hosts")
        numbers = np.array(re.findall(rb"\d+", text), np.int64).reshape(-1, 2)
        if number is not None and len(numbers) and numbers[:, 0].max() >= number:
            raise FormatError(
                f"{path}, line {reader.line - 1}: host {int(numbers[:, 0].max())} is linked to, and there "
                f"are {number}"
            )
        sources += [host] * len(numbers)
        pairs.append(numbers)
        host += 1
        if len(pairs) >= _HOSTS:
            yield _pack(sources, pairs)
            sources, pairs = [], []
        line = reader.readline()
    if number is not None and host < number:
        raise FormatError(
            f"{path}: it has lines for {host} hosts, and {number} on its first line; the file is cut off"
        )
    if pairs:
        yield _pack(sources, pairs)


def _pack(sources: list[int], pairs: list[npt.NDArray[np.int64]]) -> Block:
    joined = np.concatenate(pairs)
    return np.array(sources, np.int64), joined[:, 0], joined[:, 1]


def open_webspam(path: Path) -> ArcStream:
    r"""The arcs of a host graph, with the names of the hosts where the folder has them; weights are left out.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "uk.hostgraph_weighted.graph-txt").write_text("2\n1:7\n0:4\n")
    >>> _ = (folder / "uk.hostnames.txt").write_text("0 a.co.uk\n1 b.co.uk\n")
    >>> stream = open_webspam(folder / "uk.hostgraph_weighted.graph-txt")
    >>> stream.num_nodes, [block.to_pylist() for block in stream.names()]
    (2, [['a.co.uk', 'b.co.uk']])
    """
    number, blocks = iter_weighted(path)
    named = find_hostnames(path)
    names = read_hostnames(named) if named else None
    if names is not None and number is not None and len(names) != number:
        raise FormatError(f"{path}: it has {number} hosts, and {named} names {len(names)}; they do not fit")

    def arcs() -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        for sources, targets, _ in blocks:
            yield sources, targets

    listed = None if names is None else lambda: iter([pa.array(names, pa.string())])
    return ArcStream(arcs(), number if names is None else len(names), names=listed)
