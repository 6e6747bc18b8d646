"""How fast a graph is understood: beside NetworKit.

Times are from arrays of arcs (those of cnr-2000, 325 557 nodes and 3 216 152 arcs) to the answer: each side
makes its own graph of them.

`components`: the strongly connected components; both must find as many. `distances`: how many pairs of nodes
are within each distance, on the graph with all arcs both ways, as NetworKit's approximation (ANF) knows
undirected, connected graphs only: 64 counters of either, seconds of processor time of all threads. `details`
has the mean distance that came out.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from bench.frame import PEERS, Call, Figure, Peer, main
from bench.pagerank import load_rows, load_sources, prepare

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def find_components(place: str) -> dict[str, Any]:
    """Ours: seconds from rows to components."""
    from webstrata.graph import RowsGraph
    from webstrata.graph.structure import strong_components

    rows = load_rows(place)
    started = time.perf_counter()
    number = len(strong_components(RowsGraph(*rows)))
    return {"value": time.perf_counter() - started, "components": number}


def find_components_theirs(place: str) -> dict[str, Any]:
    """Seconds of NetworKit."""
    import networkit as nk
    import numpy as np

    rows = load_rows(place)
    started = time.perf_counter()
    arcs = load_sources(rows).astype(np.uint64), rows[1].astype(np.uint64)
    graph = nk.GraphFromCoo(arcs, n=len(rows[0]) - 1, directed=True)  # it goes away if nobody holds it
    found = nk.components.StronglyConnectedComponents(graph)
    found.run()
    np.asarray(found.getPartition().getVector())
    return {"value": time.perf_counter() - started, "components": found.numberOfComponents()}


def count_pairs(place: str) -> dict[str, Any]:
    """Ours: processor seconds from rows to pairs within each distance."""
    from webstrata.graph import RowsGraph
    from webstrata.graph.order import symmetrize
    from webstrata.graph.structure.balls import grow_balls, mean_distance

    rows = load_rows(place)
    started = time.process_time()
    # two runs of 32 are the counters of one of 64
    balls = grow_balls(symmetrize(RowsGraph(*rows)), registers=32, runs=2)
    return {"value": time.process_time() - started, "mean": mean_distance(balls.neighbourhood)}


def count_pairs_theirs(place: str) -> dict[str, Any]:
    """Processor seconds of NetworKit."""
    import networkit as nk
    import numpy as np

    rows = load_rows(place)
    started = time.process_time()
    graph = nk.GraphFromCoo(_both_ways(load_sources(rows), rows[1]), n=len(rows[0]) - 1, directed=False)
    found = nk.distance.NeighborhoodFunctionApproximation(graph, r=7, k=64)
    found.run()
    curve = np.r_[len(rows[0]) - 1, found.getNeighborhoodFunction()]
    steps = np.diff(curve)
    mean = float(steps @ np.arange(1, len(steps) + 1) / steps.sum())
    return {"value": time.process_time() - started, "mean": mean}


def _both_ways(
    sources: npt.NDArray[np.int64], targets: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Every pair once, the smaller first, without loops."""
    import numpy as np

    low = np.minimum(sources, targets).astype(np.uint64)
    high = np.maximum(sources, targets).astype(np.uint64)
    keys = np.unique((low << np.uint64(32) | high)[low != high])
    return keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)


FIGURES = [
    Figure(
        name="components",
        ours=Call("bench.structure:find_components"),
        theirs=Call("bench.structure:find_components_theirs", PEERS / "python"),
        peer=Peer("networkit"),
        prepare=prepare,
        data="cnr-2000-rows",
        measure="answer",
        rounds=7,
        quick_rounds=5,
    ),
    Figure(
        name="distances",
        ours=Call("bench.structure:count_pairs"),
        theirs=Call("bench.structure:count_pairs_theirs", PEERS / "python"),
        peer=Peer("networkit"),
        prepare=prepare,
        data="cnr-2000-rows",
        measure="answer",
        rounds=3,
        quick_rounds=1,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
