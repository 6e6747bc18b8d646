"""Graphs of nodes in row-key order: compressed or in memory, how they are built, and their degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.graph.arcs import build_bvgraph as build_bvgraph
    from webstrata.graph.arcs import write_transpose as write_transpose
    from webstrata.graph.bvgraph import BVGraph as BVGraph
    from webstrata.graph.bvgraph import CompressedSize as CompressedSize
    from webstrata.graph.bvgraph import compress as compress
    from webstrata.graph.power_law import PowerLawFit as PowerLawFit
    from webstrata.graph.power_law import fit_power_law as fit_power_law
    from webstrata.graph.rows import RowsGraph as RowsGraph
    from webstrata.graph.settings import GraphSettings as GraphSettings
    from webstrata.graph.view import Graph as Graph

export(
    __name__,
    {
        "arcs": ("build_bvgraph", "write_transpose"),
        "bvgraph": ("BVGraph", "CompressedSize", "compress"),
        "power_law": ("PowerLawFit", "fit_power_law"),
        "rows": ("RowsGraph",),
        "settings": ("GraphSettings",),
        "view": ("Graph",),
    },
)
