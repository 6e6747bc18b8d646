"""How fast PageRank is found: beside igraph's prpack and NetworKit.

The input are the arcs of cnr-2000 (325 557 nodes, 3 216 152 arcs) as arrays, and the answer is the score of
every node with an error of at most 10⁻⁹ in all. Times are from arrays to scores: each side makes its own
graph of them, which for ours is the transpose. igraph stops by a rule of its own, at an error of some 10⁻¹¹;
NetworKit is given the tolerance that leads to the same error. `details` has the sum of all differences to
scores with an error of 10⁻¹³, found by ours.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import PEERS, ROOT, BenchError, Call, Figure, Peer, main

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Arrays = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]

NAME = "cnr-2000"


def find_graph() -> Path:
    """The basename of the real graph below the folder of test data."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    data = (Path(named) if named else ROOT.parent / "shared" / "data") / "graph"
    if not (data / f"{NAME}.graph").is_file():
        raise BenchError(f"{data}: {NAME} is not there; name the folder of test data in WEBSTRATA_TEST_DATA")
    return data / NAME


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the rows of the real graph as arrays, small or not, and the scores."""
    import numpy as np

    from webstrata.graph import Graph
    from webstrata.rank import pagerank

    graph = Graph.open(find_graph())
    offsets, targets = graph.rows()
    np.save(folder / "offsets.npy", offsets)
    np.save(folder / "targets.npy", targets)
    np.save(folder / "scores.npy", pagerank(graph, tolerance=1e-13).scores)


def load_rows(place: str) -> Arrays:
    """Offsets and targets."""
    import numpy as np

    return np.load(Path(place) / "offsets.npy"), np.load(Path(place) / "targets.npy")


def load_sources(rows: Arrays) -> npt.NDArray[np.int64]:
    """The source of each arc."""
    import numpy as np

    return np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0]).astype(np.int64))


def rank_ours(place: str) -> dict[str, Any]:
    """Ours: seconds from rows to scores."""
    from webstrata.graph import RowsGraph
    from webstrata.rank import pagerank

    return _time(place, lambda rows: pagerank(RowsGraph(*rows), tolerance=1e-9).scores)


def rank_igraph(place: str) -> dict[str, Any]:
    """Seconds of igraph, with prpack."""
    import igraph
    import numpy as np

    def rank(rows: Arrays) -> list[float]:
        arcs = np.stack([load_sources(rows), rows[1]], axis=1)
        graph = igraph.Graph(n=len(rows[0]) - 1, edges=arcs, directed=True)
        scores: list[float] = graph.pagerank(damping=0.85, implementation="prpack")
        return scores

    return _time(place, rank)


def rank_networkit(place: str) -> dict[str, Any]:
    """Seconds of NetworKit."""
    import networkit as nk
    import numpy as np

    def rank(rows: Arrays) -> list[float]:
        arcs = load_sources(rows).astype(np.uint64), rows[1].astype(np.uint64)
        graph = nk.GraphFromCoo(arcs, n=len(rows[0]) - 1, directed=True)
        sinks = nk.centrality.SinkHandling.DistributeSinks
        found = nk.centrality.PageRank(graph, damp=0.85, tol=1e-9 * 0.15 / 0.85, distributeSinks=sinks)
        found.norm = nk.centrality.Norm.l1norm
        found.run()
        scores: list[float] = found.scores()
        return scores

    return _time(place, rank)


def _time(place: str, rank: Any) -> dict[str, Any]:  # noqa: ANN401
    import time

    import numpy as np

    rows = load_rows(place)
    started = time.perf_counter()
    scores = np.asarray(rank(rows))
    seconds = time.perf_counter() - started
    return {"value": seconds, "error": float(np.abs(scores - np.load(Path(place) / "scores.npy")).sum())}


FIGURES = [
    Figure(
        name=f"pagerank-{peer}",
        ours=Call("bench.pagerank:rank_ours"),
        theirs=Call(f"bench.pagerank:rank_{peer}", PEERS / "python"),
        peer=Peer(peer),
        prepare=prepare,
        data="cnr-2000-rows",
        measure="answer",
        rounds=7,
        quick_rounds=3,
    )
    for peer in ("igraph", "networkit")
]

if __name__ == "__main__":
    main(FIGURES)
