"""How fast, and in how much memory, a graph is built of arcs in no order: ours beside the crate's own tools.

`graph-build`: from a text of arcs, shuffled, to a BVGraph with its ``.ef``: ``webstrata graph convert
--format bvgraph`` beside ``webgraph from arcs`` and ``webgraph build ef``. `graph-build-memory`: the
largest resident size meanwhile. `graph-transpose`: from that graph to its transpose, with ``.ef``:
``webstrata graph convert --transpose`` beside ``webgraph transform transpose`` and ``webgraph build ef``,
and `graph-transpose-java` beside WebGraph's ``Transform transposeOffline``, in batches that take as much
memory. (Java has no tool that
builds a graph of numbered arcs in no order.) All have 1 GiB to sort in, and all cores. The promise is a ratio
of at least 0.83, and 100 million arcs in 2 GiB.

`graph-bits`: bits per link of what `graph-build` made; a ratio of 1 is the promise. There is no figure where
the two graphs have different numbers of arcs.

The graph is that of an in-vitro web of 5.3 million pages and more than 100 million links, made once (some
minutes, 2.5 GB); of `--quick`, cnr-2000 (LAW) from the folder `graph` of the third-party data that tests use
(`WEBSTRATA_TEST_DATA`), or a smaller in-vitro web where that is not there. What both sides write takes 2 GB
more, and is removed in the end.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import DATA, OURS, PEERS, BenchError, Call, Figure, Peer, Program, main
from bench.graph import JARS, Built

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOOL = str(PEERS / "webgraph")
PAGES = {"hosts": 550_000, "pages": 5_600_000, "content_links": 1.0}
FEW = {"hosts": 1_000, "pages": 100_000}


def find_real() -> Path | None:
    """The basename of cnr-2000, if it is there."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    found = Path(named) / "graph" / "cnr-2000" if named else None
    return found if found and found.with_suffix(".properties").exists() else None


def load_rows(*, quick: bool) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """The graph that is taken apart and built again."""
    if quick and (real := find_real()):
        from webstrata.graph import Graph

        return Graph.open(real).rows()
    from bench.invitro import make_web

    graph = make_web("realistic", **(FEW if quick else PAGES)).graph(0)
    return graph.offsets, graph.targets


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the arcs in no order, and the graph to transpose."""
    import numpy as np
    import pyarrow as pa

    from bench.graph import note_sums
    from webstrata.graph.arcs import iter_arcs
    from webstrata.graph.interchange.text import write_table
    from webstrata.graph.rows import RowsGraph

    offsets, targets = load_rows(quick=quick)
    graph = RowsGraph(offsets, targets)
    graph.write(folder / "graph")
    (folder / "nodes").write_text(str(graph.num_nodes))
    keys = np.concatenate([
        sources.astype(np.uint64) << np.uint64(32) | ends for sources, ends in iter_arcs(graph)
    ])  # fmt: skip
    np.random.default_rng(7).shuffle(keys)
    with pa.output_stream(str(folder / "arcs.tsv")) as stream:
        for start in range(0, len(keys), 1 << 20):
            some = keys[start : start + (1 << 20)]
            write_table(stream, {"s": some >> np.uint64(32), "t": some.astype(np.uint32)}, "\t")
    del keys
    note_sums(folder, "graph", 200_000 if quick else 1_000_000)


def _ours(source: str, out: str, *words: str) -> Program:
    options = ["--format", "bvgraph", "--force", "--memory", "1GiB"]
    return Program((str(OURS / "webstrata"), "graph", "convert", source, "--output", out, *words, *options))


def _theirs(command: str, out: str) -> Program:
    """The tool reads standard input, and makes `.ef` by a second command."""
    words = f"{command} && {TOOL} build ef {out}"
    return Program(("sh", "-c", words))


FROM_ARCS = (
    f"{TOOL} from arcs --num-nodes $(cat {{input}}/nodes) -m 1GiB {{input}}-theirs < {{input}}/arcs.tsv"
)
TRANSPOSE = f"{TOOL} transform transpose -m 1GiB {{input}}/graph {{input}}-turned-theirs"
# a batch is of arcs, two numbers of 4 bytes that are sorted in place
TRANSPOSE_JAVA = (
    f"java -Xmx2g -cp '{JARS}/*' it.unimi.dsi.webgraph.Transform transposeOffline "
    "{input}/graph {input}-turned-java 100000000"
)
BUILD = {
    "ours": _ours("{input}/arcs.tsv", "{input}-ours"),
    "theirs": _theirs(FROM_ARCS, "{input}-theirs"),
}


def count_bits(place: str) -> dict[str, dict[str, float]]:
    """Bits, arcs and nodes of what both sides made, by the properties that they wrote last."""
    found = {}
    for side in ("ours", "theirs"):
        text = Path(f"{place}-{side}.properties").read_text()
        pairs = {name: float(value) for name, value in re.findall(r"^(\w+)=([\d.]+)$", text, re.MULTILINE)}
        bits = pairs["length"] / pairs["arcs"]
        found[side] = {"value": bits, "arcs": pairs["arcs"], "nodes": pairs["nodes"]}
    if any(found["ours"][name] != found["theirs"][name] for name in ("arcs", "nodes")):
        raise BenchError(f"graph-bits: both sides built a graph, and these differ: {found}")
    return found


def bits_of_ours(place: str) -> dict[str, float]:
    """Bits per link of what `graph-build` made."""
    return count_bits(place)["ours"]


def bits_of_theirs(place: str) -> dict[str, float]:
    """Bits per link of what the tool made."""
    return count_bits(place)["theirs"]


def _figure(name: str, sides: dict[str, Program], measure: str, unit: str, **more: Any) -> Figure:  # noqa: ANN401
    facts: dict[str, Any] = {"peer": Peer("webgraph-cli", TOOL), "rounds": 3, "quick_rounds": 5}
    return Figure(
        name=name,
        ours=sides["ours"],
        theirs=sides["theirs"],
        prepare=prepare,
        data="graph-build",
        measure=measure,  # type: ignore[arg-type]
        unit=unit,
        warm_up=False,
        **facts | more,
    )


TURN = _ours("{input}/graph", "{input}-turned-ours", "--transpose", "--input-format", "bvgraph")
FIGURES = [
    _figure("graph-build", BUILD, "wall", "s"),
    _figure("graph-build-memory", BUILD, "peak", "bytes", rounds=1, quick_rounds=1),
    Figure(
        name="graph-bits",
        ours=Call("bench.graph_build:bits_of_ours"),
        theirs=Call("bench.graph_build:bits_of_theirs"),
        peer=Peer("webgraph-cli", TOOL),
        prepare=prepare,
        data="graph-build",
        measure="answer",
        unit="bits per link",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
    ),
    _figure(
        "graph-transpose",
        {"ours": TURN, "theirs": _theirs(TRANSPOSE, "{input}-turned-theirs")},
        "wall",
        "s",
    ),
    _figure(
        "graph-transpose-java",
        {"ours": TURN, "theirs": Program(("sh", "-c", TRANSPOSE_JAVA))},
        "wall",
        "s",
        peer=Built("WebGraph 3.6.12 (Java)"),
        rounds=1,
        in_quick=False,
    ),
]


def remove_results() -> None:
    """Remove what both sides wrote beside the inputs."""
    for path in DATA.glob("*/graph-build-*"):
        path.unlink()


if __name__ == "__main__":
    try:
        main(FIGURES)
    finally:
        remove_results()
