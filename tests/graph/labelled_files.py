"""Writes labelled graphs bit by bit, as the description of WebGraph's format has it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from webstrata.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CLASS = "it.unimi.dsi.webgraph.labelling"


def gamma(number: int) -> str:
    """A number in γ: as many zeros as the number plus one has bits after its first, and these bits."""
    bits = f"{number + 1:b}"
    return "0" * (len(bits) - 1) + bits


def pack(bits: str) -> bytes:
    """Bits to bytes, the first the highest, filled up by zeros."""
    padded = bits + "0" * (-len(bits) % 8)
    return bytes(int(padded[place : place + 8], 2) for place in range(0, len(padded), 8))


def write_labelled(
    basename: Path,
    arcs: Sequence[tuple[int, int, int]],
    *,
    spec: str = "GammaCodedIntLabel(time)",
    num_nodes: int | None = None,
) -> Path:
    """Write arcs with masks; of lists the numbers of the bits."""
    ordered = sorted(arcs)
    below = Graph.from_arcs([arc[:2] for arc in ordered], num_nodes=num_nodes)
    below.write(basename.with_name(f"{basename.name}-below"))
    width = int(spec.rpartition(",")[2].strip(")")) if "," in spec else 0
    ends, bits = [0], ""
    for node in range(below.num_nodes):
        for _, _, mask in (arc for arc in ordered if arc[0] == node):
            if spec.startswith("Gamma"):
                bits += gamma(mask)
            elif spec.startswith("FixedWidthIntLabel"):
                bits += f"{mask:0{width}b}" if width else ""
            else:
                members = [bit for bit in range(64) if mask >> bit & 1]
                bits += gamma(len(members)) + "".join(f"{member:0{width}b}" for member in members)
        ends.append(len(bits))
    gaps = [ends[0], *(end - start for start, end in pairwise(ends))]
    basename.with_name(f"{basename.name}.labels").write_bytes(pack(bits))
    basename.with_name(f"{basename.name}.labeloffsets").write_bytes(pack("".join(map(gamma, gaps))))
    lines = [
        "#BitStreamArcLabelledImmutableGraph properties",
        f"graphclass = {CLASS}.BitStreamArcLabelledImmutableGraph",
        f"underlyinggraph = {basename.name}-below",
        f"labelspec = {CLASS}.{spec}",
    ]
    basename.with_name(f"{basename.name}.properties").write_text("\n".join(lines) + "\n")
    return basename
