"""A crawl done again, against a queue in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.graph import Graph
from webstrata.temporal.recrawl import NO_LIMIT, Limits, Month, recrawl

NODES = 12
HOSTS = np.repeat(np.arange(4, dtype=np.uint32), 3)


def visit(arcs: set[tuple[int, int]], present: set[int], limits: Limits) -> set[int]:
    """Breadth-first by levels, each in the order of nodes."""
    level = [min(own) for host in range(4) if (own := {n for n in present if HOSTS[n] == host})]
    depths = dict.fromkeys(level, 0)
    kept: set[int] = set()
    room = dict.fromkeys(range(4), limits.pages_per_host)
    while level and len(kept) < limits.pages:
        fetched = []
        for node in level:
            if room[HOSTS[node]] > 0 and len(kept) < limits.pages:
                room[HOSTS[node]] -= 1
                kept.add(node)
                fetched.append(node)
        following = set()
        for node in fetched:
            for target in present - kept:
                depth = depths[node] + 1 if HOSTS[node] == HOSTS[target] else 0
                if (node, target) in arcs and depth <= limits.depth:
                    depths[target] = min(depths.get(target, NO_LIMIT), depth)
                    following.add(target)
        level = sorted(following)
    return kept


@given(
    st.sets(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1))),
    st.sets(st.integers(0, NODES - 1)),
    st.sampled_from([NO_LIMIT, 1, 2]),
    st.sampled_from([NO_LIMIT, 0, 1]),
    st.sampled_from([NO_LIMIT, 1, 5]),
)
def test_it_reaches_what_a_crawl_reaches(
    arcs: set[tuple[int, int]], present: set[int], per_host: int, depth: int, pages: int
) -> None:
    arcs = {(one, other) for one, other in arcs if one in present and other in present}
    offsets, targets = Graph.from_arcs(sorted(arcs) or np.zeros((0, 2), int), num_nodes=NODES).rows()
    month = Month(np.isin(np.arange(NODES), list(present)), offsets.astype(np.int64), targets)
    limits = Limits(pages_per_host=per_host, depth=depth, pages=pages)
    kept, depths = recrawl(month, HOSTS, limits)
    assert set(np.flatnonzero(kept).tolist()) == visit(arcs, present, limits)
    assert depths.sum() == kept.sum()
    fewer, _ = recrawl(month, HOSTS, Limits(seeds=0.5), seed=1)
    assert not (fewer & ~recrawl(month, HOSTS, Limits())[0]).any()
