"""Scores of nodes by the links between them, and what follows from their order."""

from webstrata.rank.cheirank import cheirank
from webstrata.rank.degree import harmonic, indegree, outdegree
from webstrata.rank.hits import Hits, hits
from webstrata.rank.lists import read_list
from webstrata.rank.methods import make_walk, rank_walk
from webstrata.rank.pagerank import Pushed, pagerank, pagerank_many, push
from webstrata.rank.plane import Plane, describe_plane
from webstrata.rank.ranking import Ranked, Ranking
from webstrata.rank.settings import RankSettings
from webstrata.rank.spectra import Spectrum, spectrum
from webstrata.rank.stability import Agreement, compare_orders
from webstrata.rank.stored import rank_snapshot
from webstrata.rank.trajectories import Trajectories
from webstrata.rank.trust import choose_seeds, truncated_pagerank, trustrank
from webstrata.rank.tworank import two_d_rank
from webstrata.rank.walk import Walk

__all__ = [
    "Agreement",
    "Hits",
    "Plane",
    "Pushed",
    "RankSettings",
    "Ranked",
    "Ranking",
    "Spectrum",
    "Trajectories",
    "Walk",
    "cheirank",
    "choose_seeds",
    "compare_orders",
    "describe_plane",
    "harmonic",
    "hits",
    "indegree",
    "make_walk",
    "outdegree",
    "pagerank",
    "pagerank_many",
    "push",
    "rank_snapshot",
    "rank_walk",
    "read_list",
    "spectrum",
    "truncated_pagerank",
    "trustrank",
    "two_d_rank",
]
