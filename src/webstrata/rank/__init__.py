"""Scores of nodes by the links between them."""

from webstrata.rank.pagerank import PageRank, pagerank

__all__ = ["PageRank", "pagerank"]
