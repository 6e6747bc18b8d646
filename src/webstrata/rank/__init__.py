"""Scores of nodes by the links between them."""

from webstrata.rank.pagerank import PageRank, pagerank
from webstrata.rank.spectrum import Spectrum, spectrum

__all__ = ["PageRank", "Spectrum", "pagerank", "spectrum"]
