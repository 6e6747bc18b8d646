"""How fast, and how well, a graph is understood: beside NetworKit, `webgraph-algo` and WebGraph in Java.

`components`: seconds from arrays of arcs (those of cnr-2000, 325 557 nodes and 3 216 152 arcs) to the
strongly connected components; each side makes its own graph of them, and both must find as many.
`components-files` and `components-large`: the same from the files of a BVGraph, cnr-2000 and that of
`bench.graph_build`, beside the crate's Tarjan; the promise is a ratio of at least 0.83.

`distances`: how many pairs of nodes are within each distance, on the graph with all arcs both ways, as
NetworKit's approximation (ANF) knows undirected, connected graphs only: 64 counters of either, seconds of
processor time of all threads. `details` has the mean distance that came out. `balls-java`: the same on
cnr-2000 with its transpose, both from files, beside HyperBall of WebGraph in Java, 256 registers each.
`balls-error`: the error of harmonic centrality that comes out of both, of 300 nodes, against visits; root of
the mean square, relative. `details` has its mean, which is the bias.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import graph as access
from bench.frame import PEERS, BenchError, Call, Figure, Peer, main
from bench.rank import find_graph, load_rows, load_sources, prepare

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAMPLE = 300


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


def find_components_of_files(place: str) -> dict[str, Any]:
    """Ours: seconds from files to components."""
    from webstrata.graph import Graph
    from webstrata.graph.structure import strong_components

    wanted = json.loads((Path(place) / "wanted.json").read_text())
    started, cpu = time.perf_counter(), time.process_time()
    found = strong_components(Graph.open(Path(place) / wanted["name"]))
    seconds = time.perf_counter() - started
    return {"value": seconds, "cpu": time.process_time() - cpu, "components": len(found)}


def find_components_with_crate(place: str) -> dict[str, Any]:
    """Seconds of the crate."""
    return access.read_with_crate(place, "components")


def prepare_both(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Copy cnr-2000 and its transpose, and find the centrality of some nodes."""
    import numpy as np

    from webstrata.graph import Graph
    from webstrata.graph.structure import distances

    access.prepare(folder, quick)
    for extension in ("graph", "offsets", "properties"):
        name = f"{access.NAME}-t.{extension}"
        (folder / name).write_bytes(find_graph().with_name(name).read_bytes())
    turned = Graph.open(folder / f"{access.NAME}-t", mapped=False)
    nodes = access.draw_nodes(turned.num_nodes, 30 if quick else SAMPLE)
    centralities = []
    for node in nodes.tolist():
        away = distances(turned, [node])
        centralities.append(float((1 / away[away > 0]).sum()))
    np.save(folder / "nodes.npy", nodes)
    np.save(folder / "harmonic.npy", np.array(centralities))


def _balls(place: str) -> tuple[float, npt.NDArray[np.float32], list[float]]:
    """Processor seconds, centralities and pairs, by ours."""
    from webstrata.graph import Graph
    from webstrata.graph.structure.balls import grow_balls

    graph, turned = (Graph.open(Path(place) / f"{access.NAME}{end}") for end in ("", "-t"))
    started = time.process_time()
    balls = grow_balls(turned, graph, registers=64, runs=4)
    return time.process_time() - started, balls.harmonic, balls.neighbourhood.tolist()


def _balls_java(place: str) -> tuple[float, npt.NDArray[np.float32], list[float]]:
    """The same of WebGraph in Java."""
    import resource

    import numpy as np

    basename, out = Path(place) / access.NAME, Path(f"{place}-java")
    out.mkdir(exist_ok=True)
    words = ["java", "-Xmx4g", "-cp", f"{access.JARS}/*", "it.unimi.dsi.webgraph.algo.HyperBall", "-l", "8"]
    words += ["-h", str(out / "harmonic"), "-n", str(out / "pairs"), f"{basename}-t", str(basename)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise BenchError(f"HyperBall in Java failed: {done.stderr.strip().splitlines()[-1:]}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    pairs = np.loadtxt(out / "pairs", ndmin=1)
    return seconds, np.fromfile(out / "harmonic", ">f4").astype(np.float32), pairs.tolist()


def _mean(pairs: list[float]) -> float:
    steps = [after - before for before, after in itertools.pairwise(pairs)]
    return sum(step * place for place, step in enumerate(steps, 1)) / sum(steps)


def time_balls(place: str) -> dict[str, Any]:
    """Ours: processor seconds."""
    seconds, _, pairs = _balls(place)
    return {"value": seconds, "mean": _mean(pairs)}


def time_balls_java(place: str) -> dict[str, Any]:
    """Processor seconds of WebGraph in Java, its start included."""
    seconds, _, pairs = _balls_java(place)
    return {"value": seconds, "mean": _mean(pairs)}


def _error(place: str, found: npt.NDArray[np.float32]) -> dict[str, Any]:
    import numpy as np

    true = np.load(Path(place) / "harmonic.npy")
    kept = true > 0
    errors = found[np.load(Path(place) / "nodes.npy")][kept] / true[kept] - 1
    return {
        "value": float(np.sqrt((errors**2).mean())),
        "bias": float(errors.mean()),
        "nodes": int(kept.sum()),
    }


def err(place: str) -> dict[str, Any]:
    """Ours: the error of centralities."""
    return _error(place, _balls(place)[1])


def err_java(place: str) -> dict[str, Any]:
    """The error of WebGraph in Java."""
    return _error(place, _balls_java(place)[1])


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
    Figure(
        name="components-files",
        ours=Call("bench.structure:find_components_of_files"),
        theirs=Call("bench.structure:find_components_with_crate"),
        peer=access.Built("webgraph-rs (webgraph-algo's Tarjan)"),
        prepare=access.prepare,
        data="graph-access",
        measure="answer",
        rounds=7,
        quick_rounds=5,
    ),
    Figure(
        name="components-large",
        ours=Call("bench.structure:find_components_of_files"),
        theirs=Call("bench.structure:find_components_with_crate"),
        peer=access.Built("webgraph-rs (webgraph-algo's Tarjan)"),
        prepare=access.prepare_large,
        data="graph-build",
        measure="answer",
        rounds=2,
        warm_up=False,
        in_quick=False,
    ),
    Figure(
        name="balls-java",
        ours=Call("bench.structure:time_balls"),
        theirs=Call("bench.structure:time_balls_java"),
        peer=access.Built("WebGraph 3.6.12 (Java)"),
        prepare=prepare_both,
        data="graph-balls",
        measure="answer",
        rounds=2,
        warm_up=False,
        in_quick=False,
    ),
    Figure(
        name="balls-error",
        ours=Call("bench.structure:err"),
        theirs=Call("bench.structure:err_java"),
        peer=access.Built("WebGraph 3.6.12 (Java)"),
        prepare=prepare_both,
        data="graph-balls",
        measure="answer",
        unit="",
        rounds=1,
        warm_up=False,
        in_quick=False,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
