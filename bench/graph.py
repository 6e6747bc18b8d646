"""How fast a BVGraph is read from Python: beside the loop of the crate `webgraph`, and WebGraph in Java.

The graph is cnr-2000 (325 557 nodes, 3 216 152 arcs), which fits into the caches, and for the figures that
end with ``-large`` that of `bench.graph_build`, which does not; in memory, on one thread. `graph-random` asks
for the successors of 1 000 000 nodes (`--quick`: 200 000), the same for all, drawn by splitmix64 with seed
42: we by one call of `batch_successors`, the others node by node in a loop of their own language.
`graph-sequential` goes through the whole graph, we in blocks. Each adds up all successors, and the sums must
be equal. Figures are nanoseconds of CPU time per arc, so that a busy machine hurts less; opening the graph
does not count. The goals are 1.3 times the crate at random access and 1.2 times in sequence (a ratio of 0.77
and 0.83).

`graph-open-large`: milliseconds until a mapped graph with its ``.ef`` is open, of both; `details` has by how
many bytes the process grew.

Our lists are checked for damage while they are decoded, and come as arrays; the crate's loop does neither.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import ROOT, BenchError, Call, Figure, Peer, main

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from webstrata.graph import Graph

NAME = "cnr-2000"
CRATE = ROOT / "rust" / "target" / "release" / "examples" / "webgraph_access"
JARS = ROOT / ".peers" / "webgraph"


class Built(Peer):
    """A peer that is there once a command was run."""

    def find_absence(self) -> str:
        """What to do about a peer that is not there; nothing where it is."""
        if self.name.startswith("webgraph-rs"):
            return (
                "" if shutil.which("cargo") else "cargo: install it, so that the loop of the crate is built"
            )
        if not shutil.which("java"):
            return "java: install it"
        return "" if list(JARS.glob("webgraph-*.jar")) else "WebGraph in Java: run `make peers`"


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Copy the graph, and note what all sides must find."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    data = (Path(named) if named else ROOT.parent / "shared" / "data") / "graph"
    if not (data / f"{NAME}.graph").is_file():
        raise BenchError(f"{data}: {NAME} is not there; name the folder of test data in WEBSTRATA_TEST_DATA")
    for extension in ("graph", "offsets", "properties"):
        (folder / f"{NAME}.{extension}").write_bytes((data / f"{NAME}.{extension}").read_bytes())
    note_sums(folder, NAME, 200_000 if quick else 1_000_000)


def prepare_large(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Make the graph of `bench.graph_build`."""
    from bench.graph_build import prepare

    prepare(folder, quick)


def note_sums(folder: Path, name: str, count: int) -> None:
    """Write down how many arcs all sides must find, and what their targets add up to."""
    from webstrata.graph import Graph

    graph = Graph.open(folder / name)
    random = graph.batch_successors(draw_nodes(graph.num_nodes, count))[1]
    blocks = [(len(targets), int(targets.sum(dtype="uint64"))) for _, (_, targets) in graph.iter_blocks()]
    wanted = {
        "name": name,
        "nodes": count,
        "random": {"arcs": len(random), "sum": int(random.sum(dtype="uint64"))},
        "sequential": {"arcs": sum(arcs for arcs, _ in blocks), "sum": sum(total for _, total in blocks)},
    }
    (folder / "wanted.json").write_text(json.dumps(wanted))


def _wanted(place: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(place) / "wanted.json").read_text())
    return found


def draw_nodes(num_nodes: int, count: int) -> npt.NDArray[np.uint32]:
    """Nodes by splitmix64 with seed 42."""
    import numpy as np

    with np.errstate(over="ignore"):
        drawn = np.uint64(42) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        drawn = (drawn ^ (drawn >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        drawn = (drawn ^ (drawn >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        drawn ^= drawn >> np.uint64(31)
    return (drawn % np.uint64(num_nodes)).astype(np.uint32)


@cache
def _open(place: str) -> Graph:
    os.environ["RAYON_NUM_THREADS"] = "1"  # read when the core first needs threads
    from webstrata.graph import Graph

    return Graph.open(Path(place) / _wanted(place)["name"], mapped=False)


def _agreed(place: str, mode: str, found: dict[str, Any]) -> dict[str, Any]:
    wanted = _wanted(place)[mode]
    if {name: found[name] for name in wanted} != wanted:
        raise BenchError(f"{mode}: the successors add up to {found}, and {wanted} was expected")
    return found


def read_randomly(place: str) -> dict[str, Any]:
    """Ours: one call for all nodes, then their sum."""
    import numpy as np

    graph = _open(place)
    nodes = draw_nodes(graph.num_nodes, _wanted(place)["nodes"])
    start = time.process_time()
    targets = graph.batch_successors(nodes)[1]
    total = int(targets.sum(dtype=np.uint64))
    seconds = time.process_time() - start
    found = {"value": seconds * 1e9 / len(targets), "arcs": len(targets), "sum": total}
    return _agreed(place, "random", found)


def read_sequentially(place: str) -> dict[str, Any]:
    """Ours: block by block."""
    import numpy as np

    graph = _open(place)
    arcs = total = 0
    start = time.process_time()
    for _, (_, targets) in graph.iter_blocks():
        arcs += len(targets)
        total += int(targets.sum(dtype=np.uint64))
    seconds = time.process_time() - start
    return _agreed(place, "sequential", {"value": seconds * 1e9 / arcs, "arcs": arcs, "sum": total})


@cache
def _build_crate() -> Path:
    """The program with the loop of the crate, compiled as our core is."""
    words = ["cargo", "build", "--quiet", "--release", "--example", CRATE.name]
    done = subprocess.run([*words, "--manifest-path", str(ROOT / "rust" / "Cargo.toml")], check=False)
    if done.returncode:
        raise BenchError("the loop of the crate could not be built; cargo says above why")
    return CRATE


def _ask(mode: str, place: str, *words: str) -> dict[str, Any]:
    found = run_peer(place, mode, *words)
    return _agreed(place, mode, found) if mode in _wanted(place) else found


def run_peer(place: str, mode: str, *words: str) -> dict[str, Any]:
    """What a program says of the graph of an input."""
    name = _wanted(place)["name"]
    # the crate writes a file beside the graph, and the input must stay as it is
    copy = Path(place).with_name(f"{Path(place).name}-peer")
    copy.mkdir(exist_ok=True)
    for file in Path(place).glob(f"{name}*.*"):
        if file.suffix != ".ef" and not (copy / file.name).exists():
            (copy / file.name).symlink_to(file)
    command = [*words, str(copy / name), mode, str(_wanted(place)["nodes"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"{words[0]} failed: {done.stderr.strip().splitlines()[-1:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def open_mapped(place: str) -> dict[str, Any]:
    """Ours: milliseconds until a mapped graph is open, and what it takes."""
    from webstrata.graph import Graph

    basename = Path(place) / _wanted(place)["name"]
    before = _resident()
    start = time.perf_counter()
    graph = Graph.open(basename)
    seconds = time.perf_counter() - start
    return {"value": seconds * 1e3, "grown": _resident() - before, "nodes": graph.num_nodes}


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_with_crate(place: str) -> dict[str, Any]:
    """Theirs: milliseconds until the crate has mapped the graph."""
    return read_with_crate(place, "open")


def read_with_crate(place: str, mode: str = "random") -> dict[str, Any]:
    """Theirs: the loop of the crate."""
    return _ask(mode, place, str(_build_crate()))


def scan_with_crate(place: str) -> dict[str, Any]:
    """Theirs: the loop of the crate, in sequence."""
    return read_with_crate(place, "sequential")


def read_with_java(place: str, mode: str = "random") -> dict[str, Any]:
    """Theirs: WebGraph in Java."""
    program = ROOT / "bench" / "peers" / "webgraph" / "Access.java"
    return _ask(mode, place, "java", "-cp", f"{JARS}/*", str(program))


def scan_with_java(place: str) -> dict[str, Any]:
    """Theirs: WebGraph in Java, in sequence."""
    return read_with_java(place, "sequential")


def _figure(name: str, ours: str, theirs: str, peer: str, **more: Any) -> Figure:  # noqa: ANN401
    large = name.endswith("-large")
    facts: dict[str, Any] = {
        "measure": "answer",
        "unit": "ns",
        "in_quick": not large,
        "rounds": 3 if large else 15,
        "prepare": prepare_large if large else prepare,
        "data": "graph-build" if large else "graph-access",
    }
    return Figure(
        name=name,
        ours=Call(f"bench.graph:{ours}"),
        theirs=Call(f"bench.graph:{theirs}"),
        peer=Built(peer),
        **facts | more,
    )


_CRATE, _JAVA = "webgraph-rs (the crate's own loop)", "WebGraph 3.6.12 (Java)"
FIGURES = [
    _figure("graph-random", "read_randomly", "read_with_crate", _CRATE),
    _figure("graph-sequential", "read_sequentially", "scan_with_crate", _CRATE),
    _figure("graph-random-java", "read_randomly", "read_with_java", _JAVA, in_quick=False, rounds=5),
    _figure("graph-sequential-java", "read_sequentially", "scan_with_java", _JAVA, in_quick=False, rounds=5),
    _figure("graph-random-large", "read_randomly", "read_with_crate", _CRATE),
    _figure("graph-sequential-large", "read_sequentially", "scan_with_crate", _CRATE),
    _figure("graph-random-java-large", "read_randomly", "read_with_java", _JAVA, rounds=1),
    _figure("graph-open-large", "open_mapped", "open_with_crate", _CRATE, unit="ms", rounds=5),
]

if __name__ == "__main__":
    main(FIGURES)
