"""Graphs with labels on their arcs, as WebGraph's `BitStreamArcLabelledImmutableGraph` stores them.

The format is that of the class's own description (WebGraph 3.6), which LAW's labelled graphs are published
in:

====================  ==================================================================================
``.properties``       ``graphclass``: a class whose name ends in ``BitStreamArcLabelledImmutableGraph``;
                      ``underlyinggraph``: the basename of a BVGraph, relative to this file;
                      ``labelspec``: a class of labels with its arguments
``.labels``           the labels of all arcs in the order of the lists, big-endian bits
``.labeloffsets``     where the labels of each node begin, and where the last ones end: gaps in γ
====================  ==================================================================================

Labels are one of

- ``GammaCodedIntLabel(KEY)``: a number in γ;
- ``FixedWidthIntLabel(KEY,WIDTH)``: a number of WIDTH bits;
- ``FixedWidthIntListLabel(KEY,WIDTH)``: how many numbers follow, in γ, and these, of WIDTH bits each.

Classes are told by their names alone, so that those of ``it.unimi.dsi.big.webgraph`` are read too. Other
classes of labels are programs, and are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError
from webstrata.graph.arcs import BLOCK
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.properties import read_properties
from webstrata.graph.rows import RowsGraph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt

    Values = npt.NDArray[np.uint64]

GRAPH_CLASS = "BitStreamArcLabelledImmutableGraph"
KINDS = {"GammaCodedIntLabel": "gamma", "FixedWidthIntLabel": "fixed", "FixedWidthIntListLabel": "list"}
"""Classes of labels, and what the core calls their codings."""
_SPEC = re.compile(r"(?:[\w$]+\.)*(?P<name>[\w$]+)\((?P<arguments>[^()]*)\)")


@dataclass(frozen=True)
class LabelSpec:
    """What labels are."""

    kind: str
    """``gamma``, ``fixed`` or ``list``."""
    key: str
    width: int
    """Bits of a number; 0 for γ."""

    @classmethod
    def parse(cls, text: str, path: Path) -> LabelSpec:
        """What a `labelspec` says, or `FormatError` with the path it stands in.

        Examples
        --------
        >>> LabelSpec.parse("it.unimi.dsi.webgraph.labelling.FixedWidthIntLabel(time,12)", Path("uk"))
        LabelSpec(kind='fixed', key='time', width=12)
        """
        match = _SPEC.fullmatch(text.strip())
        if match is None or match["name"] not in KINDS:
            raise FormatError(f"{path}: labelspec is {text!r}; read are labels of {', '.join(KINDS)}")
        kind = KINDS[match["name"]]
        key, *others = [word.strip() for word in match["arguments"].split(",")]
        if kind == "gamma":
            return cls(kind, key, 0)
        if len(others) != 1 or not others[0].isdigit() or int(others[0]) > 31:
            raise FormatError(f"{path}: labelspec is {text!r}; expected a key and a width of at most 31 bits")
        return cls(kind, key, int(others[0]))


class ArcLabelledGraph:
    """A BVGraph whose arcs have labels, mapped.

    Parameters
    ----------
    basename
        That of ``.properties``, ``.labels`` and ``.labeloffsets``.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> folder = testing.scratch()
    >>> _ = Graph.from_arcs([(0, 1), (0, 2), (1, 0)]).write(folder / "uk")
    >>> lines = [
    ...     "graphclass = it.unimi.dsi.webgraph.labelling.BitStreamArcLabelledImmutableGraph",
    ...     "underlyinggraph = uk",
    ...     "labelspec = it.unimi.dsi.webgraph.labelling.FixedWidthIntLabel(time,4)",
    ... ]
    >>> _ = (folder / "uk-times.properties").write_text(chr(10).join(lines))
    >>> _ = (folder / "uk-times.labels").write_bytes(bytes([0x12, 0x70]))  # 1, 2 and 7
    >>> _ = (folder / "uk-times.labeloffsets").write_bytes(bytes([0x89, 0x2C]))  # 0, 8, 4 and 0 in γ
    >>> graph = ArcLabelledGraph(folder / "uk-times")
    >>> graph.graph.successors(0).tolist(), graph.labels(0).tolist(), graph.labels(1).tolist()
    ([1, 2], [1, 2], [7])
    """

    def __init__(self, basename: str | PathLike[str]) -> None:
        self.basename = Path(basename)
        path = self._file(".properties")
        with explained(path, "read"):
            properties = read_properties(path)
        named = properties.get("graphclass", "").rpartition(".")[2]
        if named != GRAPH_CLASS:
            raise FormatError(f"{path}: graphclass is {named or 'missing'}; expected {GRAPH_CLASS}")
        if missing := [name for name in ("underlyinggraph", "labelspec") if name not in properties]:
            raise FormatError(f"{path}: it has no {missing[0]}; it does not describe a labelled graph")
        self.spec = LabelSpec.parse(properties["labelspec"], path)
        below = self.basename.parent / properties["underlyinggraph"]
        if not below.with_name(below.name + ".properties").exists():
            raise MissingError(
                f"{below}.properties: no such file, and {path} names it; fetch the graph below too"
            )
        self.graph_path = below
        """The basename of the graph below."""
        self.graph = BVGraph(below)
        self._bytes = self._map(".labels")
        try:
            self.offsets = core.read_label_offsets(self._map(".labeloffsets"), self.graph.num_nodes)
        except FormatError as error:
            raise FormatError(f"{self._file('.labeloffsets')}: {error}; it is cut off or damaged") from None
        if int(self.offsets[-1]) > 8 * len(self._bytes):
            raise FormatError(
                f"{self._file('.labels')}: it has {8 * len(self._bytes)} bits, and the offsets end at "
                f"{int(self.offsets[-1])}; it is cut off or belongs to another graph"
            )

    @property
    def num_nodes(self) -> int:
        """How many nodes there are."""
        return self.graph.num_nodes

    @property
    def num_arcs(self) -> int:
        """How many arcs there are."""
        return self.graph.num_arcs

    @property
    def label_bits(self) -> int:
        """Bits of all labels."""
        return int(self.offsets[-1])

    def _file(self, extension: str) -> Path:
        return self.basename.with_name(self.basename.name + extension)

    def _map(self, extension: str) -> npt.NDArray[np.uint8]:
        path = self._file(extension)
        with explained(path, "read"):
            return np.memmap(path, np.uint8, "r") if path.stat().st_size else np.zeros(0, np.uint8)

    def labels(self, node: int) -> Values:
        """The labels of a node's arcs, in the order of its successors; `FormatError` where they are lists."""
        if self.spec.kind == "list":
            raise FormatError(f"{self._file('.properties')}: its labels are lists; `label_lists` reads them")
        return self._read(node, node + 1)[0]

    def label_lists(self, node: int) -> list[list[int]]:
        """The labels of a node's arcs as lists, in the order of its successors."""
        values, lengths = self._read(node, node + 1)
        if self.spec.kind != "list":
            return [[value] for value in values.tolist()]
        return [part.tolist() for part in np.split(values, np.cumsum(lengths)[:-1])] if len(lengths) else []

    def iter_labels(self, size: int = BLOCK) -> Iterator[tuple[int, Values, npt.NDArray[np.uint32]]]:
        """The labels of all arcs in blocks of nodes: first node, values, and of lists their lengths."""
        for first in range(0, self.num_nodes, size):
            yield first, *self._read(first, min(first + size, self.num_nodes))

    def iter_masks(self, num_snapshots: int, size: int = BLOCK) -> Iterator[tuple[int, Values]]:
        """The labels of all arcs as masks of snapshots, in blocks: the first node, and a mask for each arc.

        A number is a mask, bit 0 the oldest snapshot; a list has the numbers of snapshots. `FormatError`
        where a label has a snapshot that there is not, or none.
        """
        for first, values, lengths in self.iter_labels(size):
            masks = values
            if self.spec.kind == "list":
                if len(values) and int(values.max()) >= num_snapshots:
                    raise self._not_masks(f"the snapshot {int(values.max())}", num_snapshots)
                sources = np.repeat(np.arange(len(lengths)), lengths)
                masks = np.zeros(len(lengths), np.uint64)
                np.bitwise_or.at(masks, sources, np.uint64(1) << values)
            if len(masks) and num_snapshots < 64 and int(masks.max()) >> num_snapshots:
                raise self._not_masks(f"the label {int(masks.max())}", num_snapshots)
            if len(masks) and not masks.all():
                raise self._not_masks("an arc without any snapshot", num_snapshots)
            yield first, masks

    def _not_masks(self, what: str, num_snapshots: int) -> FormatError:
        return FormatError(
            f"{self._file('.labels')}: it has {what}, and there are {num_snapshots} snapshots; its labels "
            "are no masks of these"
        )

    def _read(self, first: int, end: int) -> tuple[Values, npt.NDArray[np.uint32]]:
        count = int(self.graph.outdegrees(np.arange(first, end, dtype=np.uint32)).sum(dtype=np.int64))
        begin, stop = int(self.offsets[first]), int(self.offsets[end])
        try:
            values, lengths, found = core.read_arc_labels(
                self._bytes, begin, count, self.spec.kind, self.spec.width
            )
        except FormatError as error:
            raise FormatError(f"{self._file('.labels')}, {error}; it is cut off or damaged") from None
        if found != stop:
            raise FormatError(
                f"{self._file('.labels')}: the labels of the nodes {first} to {end - 1} end at bit {found}, "
                f"and the offsets say {stop}; the files belong to different graphs"
            )
        return values, lengths

    def __repr__(self) -> str:
        return (
            f"<ArcLabelledGraph of {self.num_nodes} nodes and {self.num_arcs} arcs: {self.spec.kind} labels>"
        )


def write_arc_labels(basename: Path, arcs: Sequence[tuple[int, int, int]], *, width: int = 12) -> Path:
    """Write a small graph with a number of `width` bits on each arc as WebGraph does, and its basename.

    The graph below is ``BASENAME-below``. Everything is in memory: this is for examples and tests.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = write_arc_labels(testing.scratch() / "uk", [(0, 1, 1), (0, 2, 2)])
    >>> ArcLabelledGraph(path).labels(0).tolist()
    [1, 2]
    """
    ordered = sorted(arcs)
    below = RowsGraph.from_arcs([(source, target) for source, target, _ in ordered])
    below.write(basename.with_name(f"{basename.name}-below"))
    gaps = [0, *(width * int(degree) for degree in below.outdegrees())]
    codes = [f"{gap + 1:b}" for gap in gaps]
    streams = {
        ".labels": "".join(f"{label:0{width}b}" for *_, label in ordered),
        ".labeloffsets": "".join("0" * (len(code) - 1) + code for code in codes),
    }
    package = "it.unimi.dsi.webgraph.labelling"
    lines = (
        f"graphclass = {package}.{GRAPH_CLASS}",
        f"underlyinggraph = {basename.name}-below",
        f"labelspec = {package}.FixedWidthIntLabel(time,{width})",
    )
    with explained(basename, "write"):
        for extension, bits in streams.items():
            packed = np.packbits(np.array([int(bit) for bit in bits], np.uint8)).tobytes()
            basename.with_name(basename.name + extension).write_bytes(packed)
        basename.with_name(f"{basename.name}.properties").write_text("\n".join(lines) + "\n")
    return basename
