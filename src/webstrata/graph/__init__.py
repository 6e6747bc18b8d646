"""Graphs of nodes in row-key order: compressed, and what their degrees look like."""

from webstrata.graph.bvgraph import CompressedSize, compress, load
from webstrata.graph.power_law import PowerLawFit, fit_power_law

__all__ = ["CompressedSize", "PowerLawFit", "compress", "fit_power_law", "load"]
