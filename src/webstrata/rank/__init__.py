"""Scores of nodes by the links between them, and what follows from their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.rank.cheirank import cheirank as cheirank
    from webstrata.rank.degree import harmonic as harmonic
    from webstrata.rank.degree import indegree as indegree
    from webstrata.rank.degree import outdegree as outdegree
    from webstrata.rank.hits import HitsScores as HitsScores
    from webstrata.rank.hits import hits as hits
    from webstrata.rank.lists import read_list as read_list
    from webstrata.rank.methods import make_walk as make_walk
    from webstrata.rank.methods import rank_walk as rank_walk
    from webstrata.rank.pagerank import Pushed as Pushed
    from webstrata.rank.pagerank import pagerank as pagerank
    from webstrata.rank.pagerank import pagerank_many as pagerank_many
    from webstrata.rank.pagerank import push as push
    from webstrata.rank.plane import Plane as Plane
    from webstrata.rank.plane import describe_plane as describe_plane
    from webstrata.rank.ranking import Ranked as Ranked
    from webstrata.rank.ranking import Ranking as Ranking
    from webstrata.rank.settings import RankSettings as RankSettings
    from webstrata.rank.spectra import Spectrum as Spectrum
    from webstrata.rank.spectra import spectrum as spectrum
    from webstrata.rank.stability import Agreement as Agreement
    from webstrata.rank.stability import compare_orders as compare_orders
    from webstrata.rank.stored import rank_snapshot as rank_snapshot
    from webstrata.rank.trajectories import Trajectories as Trajectories
    from webstrata.rank.trust import choose_seeds as choose_seeds
    from webstrata.rank.trust import truncated_pagerank as truncated_pagerank
    from webstrata.rank.trust import trustrank as trustrank
    from webstrata.rank.tworank import two_d_rank as two_d_rank
    from webstrata.rank.walk import Walk as Walk

export(
    __name__,
    {
        "cheirank": ("cheirank",),
        "degree": ("harmonic", "indegree", "outdegree"),
        "hits": ("HitsScores", "hits"),
        "lists": ("read_list",),
        "methods": ("make_walk", "rank_walk"),
        "pagerank": ("Pushed", "pagerank", "pagerank_many", "push"),
        "plane": ("Plane", "describe_plane"),
        "ranking": ("Ranked", "Ranking"),
        "settings": ("RankSettings",),
        "spectra": ("Spectrum", "spectrum"),
        "stability": ("Agreement", "compare_orders"),
        "stored": ("rank_snapshot",),
        "trajectories": ("Trajectories",),
        "trust": ("choose_seeds", "truncated_pagerank", "trustrank"),
        "tworank": ("two_d_rank",),
        "walk": ("Walk",),
    },
    former={"Hits": "HitsScores"},
)
