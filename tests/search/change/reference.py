"""What the stages of a change search compute, said slowly: plain loops over pages and arcs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Arc = tuple[int, int]


def change(before: tuple[int, int, int], after: tuple[int, int, int]) -> float:
    """|ln| of the ratios of in-degree, out-degree and words, each plus 1."""
    return sum(abs(math.log((then + 1) / (now + 1))) for then, now in zip(before, after, strict=True))


def expand(
    arcs: Iterable[Arc],
    seeds: Sequence[int],
    texts: Sequence[float],
    changes: Sequence[float],
    number: int,
) -> list[tuple[int, float]]:
    """The best neighbours with their scores: max BM25(u) + change(u) + change(v)."""
    scores: dict[int, float] = {}
    for one, other in arcs:
        for seed, page in ((one, other), (other, one)):
            if seed in seeds and page not in seeds:
                score = texts[seeds.index(seed)] + changes[seed] + changes[page]
                scores[page] = max(score, scores.get(page, -math.inf))
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:number]


def combine(texts: Sequence[float], changes: Sequence[float], alpha: float, saturation: float) -> list[float]:
    """p(u), of sum 1."""
    most = max(texts, default=0.0)
    found = [
        alpha * (text / most if most else 0.0) + (1 - alpha) * change / (change + saturation)
        for text, change in zip(texts, changes, strict=True)
    ]
    total = sum(found)
    return [value / total for value in found] if total else [1 / len(found)] * len(found)


def weigh(arcs: Sequence[Arc], hosts: Sequence[int]) -> list[float]:
    """One over the number of pages of a host that link to the same page."""
    return [
        1 / sum(hosts[other] == hosts[source] and to == target for other, to in arcs)
        for source, target in arcs
    ]


def weigh_new(before: Sequence[Arc], after: Sequence[Arc], hosts: Sequence[int], old: float) -> list[float]:
    """The same times 1 for an arc that came and `old` for another; none for a page's own; of sum |after|."""
    found = [
        0.0 if arc[0] == arc[1] else weight * (old if arc in before else 1.0)
        for arc, weight in zip(after, weigh(after, hosts), strict=True)
    ]
    total = sum(found)
    return [value * len(after) / total for value in found] if total else found


def pagerank(graph: Any, preference: list[float], restart: float) -> list[float]:  # noqa: ANN401
    """Personalized PageRank by NetworkX; what arrives at a page without links begins anew."""
    jumps = dict(enumerate(preference))
    found = networkx.pagerank(
        graph, alpha=1 - restart, personalization=jumps, dangling=jumps, tol=1e-13, max_iter=1000
    )
    return [found[node] for node in range(len(preference))]


def hits(graph: Any, preference: Sequence[float], supersource: float) -> tuple[list[float], list[float]]:  # noqa: ANN401
    """Authorities and hubs on a NetworkX graph that has the supersource as a node of its own.

    It is a hub whose score stays 1 and an authority whose score stays 1, with arcs of weight c p(v) both ways
    between it and every page.
    """
    pages, source = range(len(preference)), "supersource"
    graph = graph.copy()
    for page in pages:
        graph.add_edge(source, page, weight=supersource * preference[page])
        graph.add_edge(page, source, weight=supersource * preference[page])
    hubs = dict.fromkeys([*pages, source], 1.0)
    authorities = dict(hubs)
    # in both directions: the scores that are found, those they come from, the arcs, and which end gives
    directions = ((authorities, hubs, graph.in_edges, 0), (hubs, authorities, graph.out_edges, 1))
    change = 1.0
    while change > 1e-14:
        change = 0.0
        for scores, others, view, end in directions:
            sums = {
                page: sum(arc[2].get("weight", 1.0) * others[arc[end]] for arc in view(page, data=True))
                for page in pages
            }
            most = max(sums.values())
            for page, value in sums.items():
                change = max(change, abs(scores[page] - value / most))
                scores[page] = value / most
    return [authorities[page] for page in pages], [hubs[page] for page in pages]
