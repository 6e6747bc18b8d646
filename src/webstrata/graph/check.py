"""Whether the files of a BVGraph are whole and belong together.

Checked is, in this order, and what depends on something damaged is left out:

1. ``.properties``: its keys, the version, the byte order, and the codes, and whether the statistics in it are
   those of these bits;
2. ``.graph``: every list is decoded from the first bit on, without help of the other files; the arcs are as
   many as the properties say;
3. ``.offsets``: every list begins where it says;
4. ``.ef``: it is what the crate makes of these places, byte for byte; one of another version is only noted,
   as it is not used;
5. the transpose, if there is one: it has the same arcs, turned round (by a sum of hashes of 64 bits, so that
   two graphs that differ pass for the same once in 2⁶⁴ cases).
"""

from __future__ import annotations

import filecmp
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.collection.tables import Table
from webstrata.errors import WebstrataError
from webstrata.graph.arcs import iter_arcs
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.properties import find_contradiction, read_properties

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

    from webstrata.api import Snapshot

_BLOCK = 1 << 18
_EF_HEADER = 80
"""Bytes in which a file of another version of the crate differs: magic, versions and the hash of the type."""
_NEEDED = ("nodes", "arcs", "windowsize", "maxrefcount", "minintervallength")


@dataclass
class GraphCheck(Table):
    """What was found out about the files of a graph."""

    num_nodes: int = 0
    num_arcs: int = 0
    damage: list[str] = field(default_factory=list)
    """What is wrong, a sentence each."""
    notes: list[str] = field(default_factory=list)
    """What is unusual and does no harm."""

    empty_columns = ("kind", "finding")

    def to_rows(self) -> list[dict[str, str]]:
        """One row per finding."""
        return [
            {"kind": kind, "finding": sentence}
            for kind, sentences in (("damage", self.damage), ("note", self.notes))
            for sentence in sentences
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain data: nodes, arcs and findings."""
        return asdict(self)


def check_graph(
    basename: str | PathLike[str],
    *,
    transpose: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> GraphCheck:
    """Everything that is wrong with the files of a graph, and with its transpose where one is named.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> basename = testing.scratch() / "uk"
    >>> _ = Graph.from_arcs([(0, 1), (1, 0), (1, 1)]).write(basename)
    >>> check_graph(basename)
    GraphCheck(num_nodes=2, num_arcs=3, damage=[], notes=[])
    >>> _ = basename.with_suffix(".graph").write_bytes(bytes(8))
    >>> check_graph(basename).damage[0].partition("uk.graph, ")[2]
    'node 0 at bit 0: the bits end within a list; ...
    """
    progress = progress or Progress()
    found = GraphCheck()
    seen = _check_files(Path(basename), found, progress)
    if transpose is not None:
        other = GraphCheck()
        turned = _check_files(Path(transpose), other, progress, turned=True)
        found.damage += other.damage
        found.notes += other.notes
        if seen is not None and turned is not None and (seen != turned or found.num_nodes != other.num_nodes):
            found.damage.append(
                f"{transpose}: its {other.num_arcs} arcs of {other.num_nodes} nodes are not those of "
                f"{basename} turned round; build it anew"
            )
    return found


def _check_files(
    basename: Path, found: GraphCheck, progress: Progress, *, turned: bool = False
) -> int | None:
    """Look at the files of one graph; the sum of its arcs' hashes, if all could be read."""
    properties = basename.with_name(basename.name + ".properties")
    try:
        with explained(properties, "read"):
            pairs = read_properties(properties)
    except WebstrataError as error:
        found.damage.append(str(error))
        return None
    _check_properties(properties, pairs, found)
    with tempfile.TemporaryDirectory(prefix="webstrata-") as folder:
        # seen through links to the files that are to be believed
        alone = _linked(basename, Path(folder) / "alone", ".graph", ".properties")
        try:
            graph = BVGraph(alone, compared=False, progress=progress)
            total = _sum_arcs(graph, found, basename, progress, turned=turned)
        except WebstrataError as error:
            found.damage.append(str(error).replace(str(alone), str(basename)))
            return None
        found.num_nodes = graph.num_nodes
        [end] = graph.places(graph.num_nodes, graph.num_nodes).tolist()
        if wrong := find_contradiction(pairs, graph.num_nodes, found.num_arcs, end):
            found.damage.append(f"{properties}: {wrong}; it belongs to another graph")
        if basename.with_name(basename.name + ".offsets").exists():
            with_offsets = _linked(basename, Path(folder) / "offsets", ".graph", ".properties", ".offsets")
            _check_offsets(basename, graph, with_offsets, found)
        else:
            found.notes.append(f"{basename}.offsets: it is not there; lists are found by going through them")
        _check_ef(basename, graph, Path(folder), found)
    return total


def _check_properties(path: Path, pairs: dict[str, str], found: GraphCheck) -> None:
    for name in _NEEDED:
        if not pairs.get(name, "").isdigit():
            found.damage.append(
                f"{path}: expected a number as {name}, got {pairs.get(name)!r}; restore the file"
            )
    if (version := pairs.get("version", "0")) not in ("0", "1"):
        found.damage.append(f"{path}: expected version 0 or 1, got {version}; it is of a newer program")
    if (order := pairs.get("endianness", "big")) != "big":
        found.damage.append(f"{path}: expected big-endian bits, got {order}; convert the graph")
    if "BVGraph" not in (kind := pairs.get("graphclass", "BVGraph")):
        found.damage.append(f"{path}: expected a BVGraph, got {kind}")


def _sum_arcs(graph: BVGraph, found: GraphCheck, basename: Path, progress: Progress, *, turned: bool) -> int:
    """Decode everything, count, and add up a hash of each arc, those of a transpose turned round."""
    total = np.uint64(0)
    with progress.task(f"checking {basename.name}", total=graph.num_arcs, unit="arcs") as task:
        for sources, targets in iter_arcs(graph, _BLOCK):
            pair = (targets, sources) if turned else (sources, targets)
            total = total + _hash(*pair).sum(dtype=np.uint64)
            found.num_arcs += len(sources)
            task.advance(len(sources))
    if found.num_arcs != graph.num_arcs:
        found.damage.append(
            f"{basename}.properties: it promises {graph.num_arcs} arcs, and {found.num_arcs} are in "
            f"{basename.name}.graph; it belongs to another graph"
        )
    return int(total)


def _hash(sources: npt.NDArray[np.uint32], targets: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """A number of 64 bits for each arc, by the finalizer of splitmix64."""
    keys = sources.astype(np.uint64) << np.uint64(32) | targets.astype(np.uint64)
    keys ^= keys >> np.uint64(30)
    keys *= np.uint64(0xBF58476D1CE4E5B9)
    keys ^= keys >> np.uint64(27)
    keys *= np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def _check_offsets(basename: Path, graph: BVGraph, linked: Path, found: GraphCheck) -> None:
    try:
        other = BVGraph(linked, compared=False)
    except WebstrataError as error:
        found.damage.append(str(error).replace(str(linked), str(basename)))
        return
    for start in range(0, graph.num_nodes, _BLOCK):
        true, said = graph.places(start, start + _BLOCK), other.places(start, start + _BLOCK)
        if not np.array_equal(true, said):
            place = int(np.argmax(true != said))
            found.damage.append(
                f"{basename}.offsets, node {start + place}: its list begins at bit {true[place]}, and "
                f"the file says {said[place]}; remove the file, or restore it"
            )
            return


def _check_ef(basename: Path, graph: BVGraph, folder: Path, found: GraphCheck) -> None:
    path = basename.with_name(basename.name + ".ef")
    if not path.exists() or any(f"{basename}.offsets" in sentence for sentence in found.damage + found.notes):
        return
    made = folder / "made.ef"
    core.bv_write_ef(basename, made, graph.num_nodes)
    if filecmp.cmp(path, made, shallow=False):
        return
    with path.open("rb") as ours, made.open("rb") as theirs:
        is_same_version = ours.read(_EF_HEADER) == theirs.read(_EF_HEADER)
    if is_same_version:
        found.damage.append(f"{path}: it does not fit {basename.name}.offsets; remove it, it is made anew")
    else:
        found.notes.append(f"{path}: it is of another version, and not used")


def _linked(basename: Path, link: Path, *extensions: str) -> Path:
    """A basename at which only some of the files are."""
    for extension in extensions:
        link.with_name(link.name + extension).symlink_to(
            basename.with_name(basename.name + extension).absolute()
        )
    return link


def check_stored(snapshot: Snapshot, *, progress: Progress | None = None) -> GraphCheck:
    """Everything that is wrong with the graph of a snapshot and its transpose.

    Examples
    --------
    >>> from webstrata import testing
    >>> check_stored(testing.snapshot()).damage
    []
    """
    from webstrata.graph.build import FORWARD, TRANSPOSE

    with snapshot.open_part("graph") as part:
        folder = Path(part.path)
        return check_graph(folder / FORWARD, transpose=folder / TRANSPOSE, progress=progress)
