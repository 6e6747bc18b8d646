"""Graphs of nodes in row-key order: compressed or in memory, how they are built, and their degrees."""

from webstrata.graph.arcs import build_bvgraph, write_transpose
from webstrata.graph.bvgraph import BVGraph, CompressedSize, compress
from webstrata.graph.power_law import PowerLawFit, fit_power_law
from webstrata.graph.rows import RowsGraph
from webstrata.graph.settings import GraphSettings
from webstrata.graph.view import Graph

__all__ = [
    "BVGraph",
    "CompressedSize",
    "Graph",
    "GraphSettings",
    "PowerLawFit",
    "RowsGraph",
    "build_bvgraph",
    "compress",
    "fit_power_law",
    "write_transpose",
]
