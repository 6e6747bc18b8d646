"""How small a BVGraph is: bits per link by parameters, and what access costs with them.

`graph-bits-cnr`, `graph-bits-hc` and `graph-bits-best`: bits of ``.graph`` per link of cnr-2000 with the
default parameters, with window 16 and chains without a limit, and with the best parameters that leave chains
as short as by default, so that a list is as near. The peer is the crate's own tool with the same parameters,
for the last its ``bvgraphz`` with its defaults. None depends on the machine, so each has a floor in
`floors.toml`: a figure that misses it fails. `details` has nanoseconds of CPU time per arc at random access,
of one thread.

Offsets are not counted, as in the literature. Published figures of others are in docs/decisions/structure.md.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.floors import require
from bench.frame import BenchError, Call, Figure, Peer, digest_tree, main
from bench.graph import draw_nodes
from bench.graph_build import TOOL
from bench.rank import NAME, find_graph

PARAMETERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "graph-bits-cnr": ({}, ["-s"]),
    "graph-bits-hc": ({"window": 16, "chain": -1}, ["-s", "-w", "16", "--max-ref-count=-1"]),
    "graph-bits-best": (
        {"together": 10_000, "window": 64, "residual_code": "pi2", "reference_code": "gamma"},
        ["-s", "--bvgraphz"],
    ),
}
"""Ours, and the words of the tool."""


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Copy the graph."""
    for extension in ("graph", "offsets", "properties"):
        (folder / f"{NAME}.{extension}").write_bytes(find_graph().with_suffix(f".{extension}").read_bytes())


def compress_ours(place: str, name: str) -> dict[str, Any]:
    """Bits per link of ours, which must reach their floor."""
    from webstrata.graph import Graph, GraphSettings

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "graph"
        Graph.open(Path(place) / NAME).write(out, parameters=GraphSettings(**PARAMETERS[name][0]))
        bits = _bits(out)
        require(name, bits, digest_tree(Path(place), name))
        return {"value": bits, "ns": _time_access(out)}


def _bits(basename: Path) -> float:
    """By the properties: the length of the lists over the arcs."""
    lines = basename.with_name(f"{basename.name}.properties").read_text().splitlines()
    pairs = dict(line.split("=", 1) for line in lines if "=" in line)
    return int(pairs["length"]) / int(pairs["arcs"])


def _time_access(basename: Path) -> float:
    from webstrata.graph import Graph

    graph = Graph.open(basename, mapped=False)
    nodes = draw_nodes(graph.num_nodes, 200_000)
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        targets = graph.batch_successors(nodes)[1]
        best = min(best, (time.process_time() - start) * 1e9 / len(targets))
    return round(best, 1)


def compress_theirs(place: str, name: str) -> dict[str, Any]:
    """Bits per link of the crate's tool."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "graph"
        words = [TOOL, "to", "bvgraph", *PARAMETERS[name][1], str(Path(place) / NAME), str(out)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
        if done.returncode:
            raise BenchError(f"{TOOL} failed: {done.stderr.strip().splitlines()[-1:]}")
        return {"value": _bits(out)}


def _side(side: str, name: str) -> Call:
    return Call(f"bench.graph_bits:{side}", arguments=("{input}", name))


FIGURES = [
    Figure(
        name=name,
        ours=_side("compress_ours", name),
        theirs=_side("compress_theirs", name),
        peer=Peer("webgraph-cli", TOOL),
        prepare=prepare,
        data="cnr-2000-files",
        measure="answer",
        unit="bits per link",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
    )
    for name in PARAMETERS
]

if __name__ == "__main__":
    main(FIGURES)
