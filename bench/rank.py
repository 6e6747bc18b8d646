"""How fast ranks are found, beside igraph's prpack, NetworKit, python-graphblas and SciPy.

`pagerank-PEER`: the score of every node of cnr-2000 (325 557 nodes, 3 216 152 arcs), loading included. Each
side begins with files: ours with the BVGraph and its transpose, as a snapshot has them; a peer with arrays of
rows, of which it makes its graph. The promise is a ratio of 2 with the fastest of them. igraph stops by a
rule of its own, at an error of some 6 · 10⁻¹², and ours is asked for as much; the others go to a bound of
10⁻⁹, and ours to the error that they then have. `details` has the sum of all differences to scores with an
error of 10⁻¹³.

`pagerank-solve-igraph`: the same without loading, with one thread on both sides; the promise is 1. Each side
begins with the graph as it has it in memory, ours with rows, so that what is made of it for sweeps counts.
`pagerank-compressed`: scores straight from the compressed lists beside scores from lists in memory, both from
files and to the same tolerance, processor seconds; the promise is 0.2, and 0.33 of `rank-compressed`, on an
in-vitro graph of more than 100 million arcs.
`pagerank-passes`: passes of Gauss–Seidel beside those of power iteration, to the same error; the promise is
1.67.

`rank-all`: PageRank, CheiRank, 2DRank and the correlator of that large graph, loading included; beside SciPy
products for the two and NumPy for the rest, to the same errors. The promise is 2 minutes. `--quick` takes
cnr-2000 for both; the large graph is that of `bench.graph_build` where it is there already.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import DATA, OURS, PEERS, ROOT, BenchError, BuiltIn, Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    Arrays = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]
    Scores = npt.NDArray[np.float64]

NAME = "cnr-2000"
ALPHA = 0.85
LIKE_IGRAPH, LIKE_POWER = 2e-11, 7e-10
"""Tolerances of ours that lead to the error of igraph, and to that of power iteration to a bound of 10⁻⁹."""


def find_graph() -> Path:
    """The basename of the real graph below the folder of test data."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    data = (Path(named) if named else ROOT.parent / "shared" / "data") / "graph"
    if not (data / f"{NAME}.graph").is_file():
        raise BenchError(f"{data}: {NAME} is not there; name the folder of test data in WEBSTRATA_TEST_DATA")
    return data / NAME


# ---- inputs


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the real graph as files and as arrays, small or not, and its scores."""
    import numpy as np

    from webstrata.graph import Graph
    from webstrata.rank import pagerank

    graph = Graph.open(find_graph())
    _write(folder, graph)
    scores = pagerank(graph, transpose=Graph.open(folder / "turned"), tolerance=1e-13, solver="power").scores
    np.save(folder / "scores.npy", scores)


def prepare_large(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write a graph of more than 100 million arcs as files and as arrays; the real one for `--quick`."""
    from webstrata.graph import Graph, RowsGraph

    there = DATA / "full" / "graph-build" / "graph"
    if quick:
        _write(folder, Graph.open(find_graph()))
    elif there.with_name("graph.properties").is_file():
        _write(folder, Graph.open(there))
    else:
        from bench.graph_build import load_rows as make_rows

        _write(folder, RowsGraph(*make_rows(quick=False)))


def _write(folder: Path, graph: Any) -> None:  # noqa: ANN401
    import numpy as np

    graph.write(folder / "graph")
    words = ["graph", "convert", str(folder / "graph"), "--output", str(folder / "turned"), "--transpose"]
    words += ["--input-format", "bvgraph", "--format", "bvgraph", "--memory", "1GiB"]
    program = "from webstrata.cli import main; main()"
    subprocess.run([str(OURS / "python"), "-c", program, *words], check=True)
    offsets, targets = graph.rows()
    np.save(folder / "offsets.npy", offsets)
    np.save(folder / "targets.npy", targets)


def load_rows(place: str) -> Arrays:
    """Offsets and targets."""
    import numpy as np

    return np.load(Path(place) / "offsets.npy"), np.load(Path(place) / "targets.npy")


def load_sources(rows: Arrays) -> npt.NDArray[np.int64]:
    """The source of each arc."""
    import numpy as np

    return np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0]).astype(np.int64))


# ---- PageRank, loading included


def rank_ours(place: str) -> dict[str, Any]:
    """Ours: seconds from files to scores."""
    return _rank_ours(place, LIKE_POWER)


def rank_ours_like_igraph(place: str) -> dict[str, Any]:
    """Ours, as exact as igraph."""
    return _rank_ours(place, LIKE_IGRAPH)


def _rank_ours(place: str, tolerance: float) -> dict[str, Any]:
    from webstrata.rank import pagerank

    return _time(place, lambda: pagerank(_open(place), tolerance=tolerance).scores)


def _open(place: str, *, compressed: bool | None = None) -> Any:  # noqa: ANN401
    from webstrata.graph import Graph
    from webstrata.rank import Walk

    graph, turned = (Graph.open(Path(place) / name) for name in ("graph", "turned"))
    return Walk(graph, transpose=turned, compressed=compressed)


def rank_igraph(place: str) -> dict[str, Any]:
    """Seconds of igraph, with prpack."""
    return _time(place, lambda: _make_igraph(place).pagerank(damping=ALPHA, implementation="prpack"))


def _make_igraph(place: str) -> Any:  # noqa: ANN401
    import igraph
    import numpy as np

    rows = load_rows(place)
    arcs = np.stack([load_sources(rows), rows[1]], axis=1)
    return igraph.Graph(n=len(rows[0]) - 1, edges=arcs, directed=True)


def rank_networkit(place: str) -> dict[str, Any]:
    """Seconds of NetworKit."""
    import networkit as nk
    import numpy as np

    def rank() -> list[float]:
        rows = load_rows(place)
        arcs = load_sources(rows).astype(np.uint64), rows[1].astype(np.uint64)
        graph = nk.GraphFromCoo(arcs, n=len(rows[0]) - 1, directed=True)
        sinks = nk.centrality.SinkHandling.DistributeSinks
        tolerance = 1e-9 * (1 - ALPHA) / ALPHA
        found = nk.centrality.PageRank(graph, damp=ALPHA, tol=tolerance, distributeSinks=sinks)
        found.norm = nk.centrality.Norm.l1norm
        found.run()
        scores: list[float] = found.scores()
        return scores

    return _time(place, rank)


def rank_scipy(place: str) -> dict[str, Any]:
    """Seconds of power iteration with a product of SciPy."""
    return _time(place, lambda: _iterate(*_matrix(load_rows(place))))


def rank_graphblas(place: str) -> dict[str, Any]:
    """Seconds of power iteration with a product of SuiteSparse:GraphBLAS."""
    import graphblas as gb
    import numpy as np

    def rank() -> Scores:
        rows = load_rows(place)
        size = len(rows[0]) - 1
        matrix = gb.Matrix.from_csr(rows[0].astype(np.int64), rows[1].astype(np.int64), 1.0, ncols=size)
        turned = matrix.T.new()

        def multiply(passed: Scores) -> Scores:
            found = turned.mxv(gb.Vector.from_dense(passed), gb.semiring.plus_second).new()
            dense: Scores = found.to_dense(fill_value=0.0)
            return dense

        return _iterate(multiply, np.diff(rows[0]).astype(np.float64))

    return _time(place, rank)


def _matrix(rows: Arrays, *, inverse: bool = False) -> tuple[Callable[[Scores], Scores], Scores]:
    """A product with the matrix of predecessors (of successors), and what nodes divide by."""
    import numpy as np
    from scipy.sparse import csr_array

    size = len(rows[0]) - 1
    values = np.ones(len(rows[1]))
    matrix = csr_array((values, rows[1].astype(np.int32), rows[0].astype(np.int64)), shape=(size, size))
    turned = matrix.T.tocsr()
    one, other = (matrix, turned) if inverse else (turned, matrix)
    return lambda passed: one @ passed, np.diff(other.indptr).astype(np.float64)


def _iterate(multiply: Callable[[Scores], Scores], degrees: Scores) -> Scores:
    """Power iteration to a bound of 10⁻⁹."""
    import numpy as np

    size = len(degrees)
    idle, shares = degrees == 0, ALPHA / np.maximum(degrees, 1)
    scores, change = np.full(size, 1 / size), np.inf
    while change > 1e-9 * (1 - ALPHA) / ALPHA:
        rest = (ALPHA * scores[idle].sum() + 1 - ALPHA) / size
        stepped = multiply(scores * shares) + rest
        change = np.abs(stepped - scores).sum()
        scores = stepped
    return scores


def _time(place: str, rank: Callable[[], Any]) -> dict[str, Any]:
    import numpy as np

    started = time.perf_counter()
    scores = np.asarray(rank())
    seconds = time.perf_counter() - started
    return {"value": seconds, "error": float(np.abs(scores - np.load(Path(place) / "scores.npy")).sum())}


# ---- what it takes by itself


def solve_ours(place: str) -> dict[str, Any]:
    """Ours with one thread, the graph being there, as exact as igraph."""
    os.environ["RAYON_NUM_THREADS"] = "1"  # before the core starts its threads
    from webstrata.rank import pagerank

    walk = _open(place, compressed=False)
    _ = walk.lists, walk.shares
    return _time(place, lambda: pagerank(walk, tolerance=LIKE_IGRAPH).scores)


def solve_igraph(place: str) -> dict[str, Any]:
    """Prpack, which has one thread, the graph being there."""
    graph = _make_igraph(place)
    return _time(place, lambda: graph.pagerank(damping=ALPHA, implementation="prpack"))


def rank_files(place: str) -> float:
    """Processor seconds from files to scores, over compressed lists."""
    return _spend(place, compressed=True)


def rank_memory(place: str) -> float:
    """The same over lists in memory, which are made first."""
    return _spend(place, compressed=False)


def _spend(place: str, *, compressed: bool) -> float:
    from webstrata.rank import pagerank

    started = time.process_time()
    pagerank(_open(place, compressed=compressed))
    return time.process_time() - started


def count_sweeps(place: str) -> dict[str, Any]:
    """Passes of Gauss–Seidel, the last step included."""
    return _count(place, "gauss-seidel")


def count_steps(place: str) -> dict[str, Any]:
    """Passes of power iteration."""
    return _count(place, "power")


def _count(place: str, solver: str) -> dict[str, Any]:
    import numpy as np

    from webstrata.rank import pagerank

    tolerance = 1e-9 if solver == "power" else LIKE_POWER
    found = pagerank(_open(place), tolerance=tolerance, solver=solver)
    error = float(np.abs(found.scores - np.load(Path(place) / "scores.npy")).sum())
    return {"value": found.iterations, "bound": found.error_bound, "error": error}


# ---- all of it


def rank_all_ours(place: str) -> dict[str, Any]:
    """Ours: seconds from files to both ranks, 2DRank and the correlator."""
    from webstrata.rank import cheirank, describe_plane, pagerank, two_d_rank

    started = time.perf_counter()
    walk = _open(place)
    one, other = pagerank(walk), cheirank(walk)
    first = two_d_rank(one, other).order[0]
    kappa = describe_plane(one, other).correlator
    return {"value": time.perf_counter() - started, "first": int(first), "correlator": round(kappa, 6)}


def rank_all_scipy(place: str) -> dict[str, Any]:
    """The same with products of SciPy, and NumPy."""
    import numpy as np

    started = time.perf_counter()
    rows = load_rows(place)
    one, other = (_iterate(*_matrix(rows, inverse=inverse)) for inverse in (False, True))
    ranks = []
    for scores in (one, other):
        found = np.empty(len(scores), np.int64)
        found[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
        ranks.append(found)
    order = np.lexsort((ranks[0] < ranks[1], np.maximum(*ranks)))
    kappa = len(one) * float(one @ other) - 1
    return {"value": time.perf_counter() - started, "first": int(order[0]), "correlator": round(kappa, 6)}


def _figure(name: str, ours: str, theirs: str, peer: Peer, **more: Any) -> Figure:  # noqa: ANN401
    is_ours = peer.program or isinstance(peer, BuiltIn)
    python = OURS / "python" if is_ours else PEERS / "python"
    facts: dict[str, Any] = {"prepare": prepare, "data": "rank-cnr-2000", "rounds": 7, "quick_rounds": 3}
    return Figure(
        name=name,
        ours=Call(f"bench.rank:{ours}"),
        theirs=Call(f"bench.rank:{theirs}", python),
        peer=peer,
        measure="answer",
        **facts | more,
    )


OURSELVES = BuiltIn("ours, in another way")
LARGE: dict[str, Any] = {"prepare": prepare_large, "data": "rank-large", "rounds": 1, "quick_rounds": 3}
FIGURES = [
    _figure("pagerank-igraph", "rank_ours_like_igraph", "rank_igraph", Peer("igraph")),
    _figure("pagerank-networkit", "rank_ours", "rank_networkit", Peer("networkit")),
    _figure("pagerank-scipy", "rank_ours", "rank_scipy", Peer("scipy")),
    _figure("pagerank-graphblas", "rank_ours", "rank_graphblas", Peer("python-graphblas")),
    _figure("pagerank-solve-igraph", "solve_ours", "solve_igraph", Peer("igraph")),
    _figure("pagerank-compressed", "rank_files", "rank_memory", OURSELVES, in_quick=False),
    _figure("pagerank-passes", "count_sweeps", "count_steps", OURSELVES, unit="passes", rounds=1),
    _figure("rank-compressed", "rank_files", "rank_memory", OURSELVES, in_quick=False, **LARGE),
    _figure(
        "rank-all", "rank_all_ours", "rank_all_scipy", Peer("scipy"), warm_up=False, in_quick=False, **LARGE
    ),
]

if __name__ == "__main__":
    main(FIGURES)
