"""Graphs of nodes in row-key order: compressed or in memory, and what their degrees look like."""

from webstrata.graph.bvgraph import BVGraph, CompressedSize, compress
from webstrata.graph.power_law import PowerLawFit, fit_power_law
from webstrata.graph.rows import RowsGraph
from webstrata.graph.view import Graph

__all__ = [
    "BVGraph",
    "CompressedSize",
    "Graph",
    "PowerLawFit",
    "RowsGraph",
    "compress",
    "fit_power_law",
]
