"""What a graph with time takes on disk, in bits per link instance, and what its labels cost to read.

`temporal-size-*`: graph, pointers and labels of nodes and arcs with theirs, file sizes of all of it; we as
`align` builds it, beside the coding of TIME (WebGraph's own parameters, one Huffman code per label of a
source) in the same run. Four real histories of published sites are in the folder of test data; the full run
adds the in-vitro web, twelve months of `uk-2007` with a million pages in all. Its months are taken from the
truth about it, as a perfect crawl would have them, static addresses only as in TIME; nothing is crawled.
`details` has bits per label, codebooks included, and for the in-vitro web the share of hosts and URLs that
months have in common, by how far they are apart (TIME, tables 2 and 3). The goal is at most 0.70 of TIME's
bits in all, and half of its bits per label.

`temporal-separate`, `-gzip`, `-parquet`: the same arcs as one BVGraph a snapshot with pointers, as a
compressed text of arcs with masks, and as Parquet with zstd (neither has random access).
`temporal-raphtory`, `-raphtory-at`: Raphtory, which keeps histories in memory: bytes by which its process
grows, beside our files, and the time per arc for the successors of random nodes at one month.

CPU time per arc on one thread, lists of random nodes: `temporal-loop` and `-loop-time` are loops in Rust that
add up targets and labels, beside the same without labels (ours and TIME's coding: at most 2.5 and 1.5 times
as long, a ratio of 0.4 and 0.67). `temporal-batch` are arrays that Python gets, 512 nodes at a time, beside
the loop over the same nodes (1.3, 0.77). `temporal-at-*` is one month read in order beside the union without
labels (1.5, 0.67), of each history. The full run has the first three and the last on the in-vitro web too,
`-large`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
import zlib
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.frame import DATA, PEERS, ROOT, BenchError, BuiltIn, Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from webstrata.graph import Graph
    from webstrata.temporal.labels import LabelledGraph

REAL = ("docs-churning", "docs-versions", "docs-partial-crawl", "site-rebuilt")
PAGES = 720_000
"""Of a month of the in-vitro web; a million over all months."""
MONTHS = 12
BATCH = 512
SCANNED = 16_000_000
"""Arcs that are read in order in one round; a small graph, of which once takes no millisecond, many times."""
IN_VITRO = "in-vitro"


class Union(NamedTuple):
    """Arcs in order with their labels, and labels of nodes."""

    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]
    labels: npt.NDArray[np.uint64]
    nodes: npt.NDArray[np.uint64]

    @property
    def num_link_instances(self) -> int:
        """Arcs counted in each month."""
        from webstrata.temporal.labels.write import count_bits

        return int(count_bits(self.labels).sum())

    def month(self, number: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Rows of the arcs of a month."""
        import numpy as np

        kept = (self.labels >> np.uint64(number) & np.uint64(1)).astype(bool)
        offsets = np.zeros(len(self.nodes) + 1, np.uint64)
        np.cumsum(np.bincount(self.sources[kept], minlength=len(self.nodes)), out=offsets[1:])
        return offsets, self.targets[kept]


# ---- inputs


def _real(name: str) -> Callable[[Path, bool], None]:
    def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
        named = os.environ.get("WEBSTRATA_TEST_DATA")
        data = (Path(named) if named else ROOT.parent / "shared" / "data") / "temporal"
        for what in ("arcs", "nodes"):
            file = data / f"{name}.{what}.parquet"
            if not file.is_file():
                raise BenchError(
                    f"{file}: it is not there; name the folder of test data in WEBSTRATA_TEST_DATA"
                )
            (folder / f"{what}.parquet").write_bytes(file.read_bytes())

    return prepare


def prepare_in_vitro(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """The union of all months by their truth, in row-key order."""
    write_in_vitro(folder, 5_000 if quick else PAGES)


def write_in_vitro(folder: Path, pages: int) -> None:
    """The union of a web with so many pages a month; memory for 8 bytes a link instance."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from webstrata.invitro import Web
    from webstrata.web.row_key import row_keys

    web = Web("uk-2007", pages=pages, hosts=max(pages // 100, 20), months=MONTHS)
    numbers: dict[str, int] = {}
    present: list[npt.NDArray[np.int64]] = []
    keys: list[npt.NDArray[np.uint64]] = []
    hosts: dict[str, int] = {}
    for month in range(MONTHS):
        graph = web.graph(month, view="collection")
        for host in {url.split("/", 3)[2] for url in graph.urls}:
            hosts[host] = hosts.get(host, 0) | 1 << month
        ids = np.array(
            [-1 if "?" in url else numbers.setdefault(url, len(numbers)) for url in graph.urls], np.int64
        )
        sources = ids[np.repeat(np.arange(graph.num_nodes), np.diff(graph.offsets).astype(np.int64))]
        targets = ids[graph.targets]
        static = (sources >= 0) & (targets >= 0)
        present.append(ids[ids >= 0])
        keys.append(sources[static].astype(np.uint64) << np.uint64(32) | targets[static].astype(np.uint64))
    rank = np.empty(len(numbers), np.uint64)
    rank[pc.sort_indices(pa.array(row_keys(numbers), pa.large_string()))] = np.arange(len(numbers))
    nodes = np.zeros(len(numbers), np.int32)
    for month, ids in enumerate(present):
        nodes[rank[ids].astype(np.int64)] |= 1 << month
    for month, found in enumerate(keys):
        # source, target and month in one number, the source first
        source, target = rank[found >> np.uint64(32)], rank[found & np.uint64(0xFFFFFFFF)]
        keys[month] = (source << np.uint64(28) | target) << np.uint64(6) | np.uint64(month)
    pq.write_table(pa.table({"label": nodes}), folder / "nodes.parquet", compression="zstd")
    masks = pa.array([hosts[host] for host in sorted(hosts)], pa.int32())
    pq.write_table(pa.table({"label": masks}), folder / "hosts.parquet", compression="zstd")
    kind = pa.schema([(name, pa.int32()) for name in ("source", "target", "label")])
    # a range of sources at a time
    step = len(numbers) // 8 + 1
    with pq.ParquetWriter(folder / "arcs.parquet", kind, compression="zstd") as writer:
        for begin in range(0, len(numbers), step):
            low, high = np.uint64(begin << 34), np.uint64((begin + step) << 34)
            some = np.concatenate([found[(found >= low) & (found < high)] for found in keys])
            some.sort()
            arcs = some >> np.uint64(6)
            starts = np.flatnonzero(np.diff(arcs, prepend=np.uint64(1 << 63)))
            bits = np.left_shift(1, (some & np.uint64(63)).astype(np.int32), dtype=np.int32)
            labels = np.bitwise_or.reduceat(bits, starts) if len(starts) else bits
            arcs = arcs[starts]
            columns = [arcs >> np.uint64(28), arcs & np.uint64((1 << 28) - 1), labels]
            writer.write_table(pa.table([column.astype(np.int32) for column in columns], schema=kind))


@cache
def load(place: str) -> Union:
    """The arcs of an input."""
    import numpy as np
    import pyarrow.parquet as pq

    arcs = pq.read_table(Path(place) / "arcs.parquet")
    nodes = pq.read_table(Path(place) / "nodes.parquet")["label"].to_numpy().astype(np.uint64)
    source, target, label = (arcs[name].to_numpy() for name in ("source", "target", "label"))
    return Union(source.astype(np.uint32), target.astype(np.uint32), label.astype(np.uint64), nodes)


# ---- sizes


_WRITERS = (
    "rust/Cargo.lock",
    "rust/src/graph/bvgraph/write.rs",
    "rust/src/temporal/labels/runs.rs",
    "src/webstrata/graph/compress.py",
    "src/webstrata/graph/settings.py",
    "src/webstrata/temporal/labels/codes.py",
    "src/webstrata/temporal/labels/container.py",
    "src/webstrata/temporal/labels/write.py",
)
"""All that says what the files of a union are, so that they are not made twice."""


def _version() -> str:
    found = hashlib.sha256()
    for name in _WRITERS:
        found.update((ROOT / name).read_bytes())
    return found.hexdigest()[:16]


@cache
def build(place: str, coding: str) -> Path:
    """The files of a union in one of the codings, kept until something that makes them changes."""
    import numpy as np

    from webstrata.graph.compress import compress
    from webstrata.graph.settings import GraphSettings
    from webstrata.temporal.labels import UNION_GRAPH, write_labels

    name = f"{Path(place).parent.name}-{Path(place).name}-{coding}"
    folder = DATA / "built" / f"{name}-{_version()}"
    if folder.exists():
        return folder / "union"
    # whole or not at all, and whoever else makes it makes the same
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(mkdtemp(prefix=".", dir=folder.parent))
    union, basename = load(place), beside / "union"
    offsets = np.zeros(len(union.nodes) + 1, np.uint64)
    np.cumsum(np.bincount(union.sources, minlength=len(union.nodes)), out=offsets[1:])
    parameters = UNION_GRAPH if coding == "runs" else GraphSettings()
    compress(offsets, union.targets, basename, parameters=parameters)
    write_labels(
        basename,
        basename,
        node_labels=union.nodes,
        arc_labels=union.labels,
        num_snapshots=MONTHS,
        coding=coding,
    )
    for old in folder.parent.glob(f"{name}-*"):
        shutil.rmtree(old)
    beside.rename(folder)
    return folder / "union"


def size_of(place: str, coding: str) -> dict[str, Any]:
    """Bits per link instance of all files, and of what."""
    from webstrata.temporal.labels.container import read_description

    basename, union = build(place, coding), load(place)
    sizes = {
        extension: basename.with_name(f"union.{extension}").stat().st_size
        for extension in ("graph", "ef", "labels")
    }
    instances = union.num_link_instances
    sections = read_description(basename.with_name("union.labels")).sections
    labels = sections["stream"][1] + sections["books"][1]
    found = {
        "value": 8 * sum(sizes.values()) / instances,
        "bytes": sizes,
        "bits_per_label": round(8 * labels / max(len(union.labels), 1), 4),
        "nodes": len(union.nodes),
        "arcs": len(union.labels),
        "link_instances": instances,
    }
    return found | ({"in_common": in_common(place)} if (Path(place) / "hosts.parquet").exists() else {})


def in_common(place: str) -> dict[str, list[float]]:
    """The mean share of hosts and of URLs that months have in common, 1, 2, … months apart."""
    import numpy as np
    import pyarrow.parquet as pq

    from webstrata.temporal.overlap import overlap_of_labels

    found = {}
    for what, name in (("hosts", "hosts"), ("urls", "nodes")):
        masks = pq.read_table(Path(place) / f"{name}.parquet")["label"].to_numpy().astype(np.uint64)
        found[what] = [round(share, 3) for share in overlap_of_labels(what, [masks], MONTHS).by_lag()]
    return found


def size_ours(place: str) -> dict[str, Any]:
    """Ours: runs that are not as predicted."""
    return size_of(place, "runs")


def size_theirs(place: str) -> dict[str, Any]:
    """TIME: a Huffman code per label of a source."""
    return size_of(place, "huffman")


def size_separate(place: str) -> float:
    """A BVGraph for each month, with pointers."""
    from tempfile import TemporaryDirectory

    from webstrata.graph.compress import compress

    union = load(place)
    total = 0
    with TemporaryDirectory(prefix="webstrata-bench-") as folder:
        basename = Path(folder) / "month"
        for month in range(MONTHS):
            compress(*union.month(month), basename)
            total += sum(basename.with_name(f"month.{name}").stat().st_size for name in ("graph", "ef"))
    return 8 * total / union.num_link_instances


def size_gzip(place: str) -> float:
    """A text of source, target and mask, compressed as it is written."""
    import io

    import pyarrow as pa
    from pyarrow import csv

    union = load(place)
    packer, total = zlib.compressobj(6, wbits=31), 0
    for begin in range(0, len(union.labels), 1 << 20):
        columns = (column[begin : begin + (1 << 20)] for column in union[:3])
        text = io.BytesIO()
        table = pa.table(dict(zip(("source", "target", "label"), columns, strict=True)))
        csv.write_csv(table, text, csv.WriteOptions(include_header=not begin))
        total += len(packer.compress(text.getvalue()))
    return 8 * (total + len(packer.flush())) / union.num_link_instances


def size_parquet(place: str) -> float:
    """Parquet as it comes, with zstd."""
    union = load(place)
    files = [Path(place) / name for name in ("arcs.parquet", "nodes.parquet")]
    return 8 * sum(file.stat().st_size for file in files) / union.num_link_instances


# ---- access


@cache
def _open(place: str, coding: str) -> LabelledGraph:
    os.environ["RAYON_NUM_THREADS"] = "1"  # read when the core first needs threads
    from webstrata.temporal.labels import LabelledGraph

    basename = build(place, coding)
    months = [f"2006-{month + 1:02}" for month in range(MONTHS)]
    return LabelledGraph.open(basename, basename, snapshots=months, mapped=False)


def _nodes(graph: LabelledGraph) -> npt.NDArray[np.uint32]:
    import numpy as np

    return np.random.default_rng(1).integers(0, graph.num_nodes, 160 * BATCH).astype(np.uint32)


def _per_arc(seconds: float, arcs: int, *sums: int) -> dict[str, Any]:
    return {"value": seconds * 1e9 / arcs, "arcs": arcs, "sums": [value % (1 << 32) for value in sums]}


def loop(place: str, coding: str, kind: str) -> dict[str, Any]:
    """Lists of random nodes in a loop in Rust that adds up what it reads, with labels or without."""
    graph = _open(place, coding)
    nodes = _nodes(graph)
    start = time.process_time()
    arcs, *sums = graph.walk(nodes) if kind == "labelled" else graph.core.walk(nodes)
    return _per_arc(time.process_time() - start, arcs, *sums)


def batch(place: str) -> dict[str, Any]:
    """Lists with labels as Python gets them; what they add up to is not in the time."""
    graph = _open(place, "runs")
    nodes = _nodes(graph)
    found, seconds = [0, 0, 0], 0.0
    for begin in range(0, len(nodes), BATCH):
        start = time.process_time()
        rows = graph.batch_labelled_successors(nodes[begin : begin + BATCH])
        seconds += time.process_time() - start
        sums = len(rows.targets), int(rows.targets.sum(dtype="uint64")), int(rows.labels.sum())
        found = [one + more for one, more in zip(found, sums, strict=True)]
    return _per_arc(seconds, *found)


def _scan(graph: Graph, num_arcs: int) -> dict[str, Any]:
    scans = -(-SCANNED // num_arcs)
    start = time.process_time()
    kept = sum(len(rows[1]) for _ in range(scans) for _, rows in graph.iter_blocks())
    return {"value": (time.process_time() - start) * 1e9 / (scans * num_arcs), "kept": kept // scans}


def scan_at(place: str) -> dict[str, Any]:
    """One month in order, per arc of the union that goes by."""
    from webstrata.temporal.views import TemporalGraph

    graph = _open(place, "runs")
    return _scan(TemporalGraph(graph).at(graph.snapshots[MONTHS // 2]), graph.num_arcs)


def scan_plain(place: str) -> dict[str, Any]:
    """The union in order."""
    graph = _open(place, "runs")
    return _scan(graph, graph.num_arcs)


def at_ours(place: str) -> dict[str, Any]:
    """Successors of random nodes at one month, node by node, as Raphtory gives them."""
    from bench.peers.raphtory_history import MONTH, draw_nodes
    from webstrata.temporal.views import TemporalGraph

    graph = _open(place, "runs")
    view, nodes = TemporalGraph(graph).at(graph.snapshots[MONTH]), draw_nodes(graph.num_nodes)
    arcs, start = 0, time.process_time()
    for number in nodes:
        arcs += len(view.successors(number))
    return _per_arc(time.process_time() - start, arcs)


# ---- figures


def _figure(name: str, ours: Call, theirs: Call, peer: Peer, source: str, **more: Any) -> Figure:  # noqa: ANN401
    is_large = source == IN_VITRO
    return Figure(
        name=f"temporal-{name}",
        ours=ours,
        theirs=theirs,
        peer=peer,
        prepare=prepare_in_vitro if is_large else _real(source),
        data=f"temporal-{source}",
        in_quick=not is_large,
        measure="answer",
        **more,
    )


def _size(name: str, theirs: str | Call, peer: Peer, source: str) -> Figure:
    call = Call(f"bench.temporal:{theirs}") if isinstance(theirs, str) else theirs
    once: dict[str, Any] = {"unit": "bits", "rounds": 1, "quick_rounds": 1, "warm_up": False}
    return _figure(name, Call("bench.temporal:size_ours"), call, peer, source, **once)


def _time(
    name: str, ours: Call, theirs: Call, peer: str | Peer, source: str = "docs-versions", rounds: int = 9
) -> Figure:
    peer = BuiltIn(peer) if isinstance(peer, str) else peer
    return _figure(name, ours, theirs, peer, source, unit="ns", rounds=rounds, quick_rounds=3)


def _loop(coding: str, kind: str) -> Call:
    return Call("bench.temporal:loop", arguments=("{input}", coding, kind))


def _raphtory(function: str) -> Call:
    return Call(f"bench.peers.raphtory_history:{function}", PEERS / "python")


_TIME, _RAPHTORY = BuiltIn("TIME's coding"), Peer("raphtory")
_PLAIN, _LOOP = "the same lists without labels", "the loop in Rust"
_AT = (Call("bench.temporal:scan_at"), Call("bench.temporal:scan_plain"), "the union without labels")
FIGURES = [
    *(_size(f"size-{name}", "size_theirs", _TIME, name) for name in REAL),
    _size("size-in-vitro", "size_theirs", _TIME, IN_VITRO),
    _size("separate", "size_separate", BuiltIn("a BVGraph for each month"), IN_VITRO),
    _size("gzip", "size_gzip", BuiltIn("gzip of text"), IN_VITRO),
    _size("parquet", "size_parquet", BuiltIn("Parquet, zstd"), IN_VITRO),
    _size("raphtory", _raphtory("size"), _RAPHTORY, REAL[0]),
    _time("raphtory-at", Call("bench.temporal:at_ours"), _raphtory("at"), _RAPHTORY, REAL[0]),
    _time("loop", _loop("runs", "labelled"), _loop("runs", "plain"), _PLAIN),
    _time("loop-time", _loop("huffman", "labelled"), _loop("huffman", "plain"), _PLAIN),
    _time("batch", Call("bench.temporal:batch"), _loop("runs", "labelled"), _LOOP),
    *(_time(f"at-{name}", *_AT, name) for name in REAL),
    _time("loop-large", _loop("runs", "labelled"), _loop("runs", "plain"), _PLAIN, IN_VITRO, 5),
    _time("loop-time-large", _loop("huffman", "labelled"), _loop("huffman", "plain"), _PLAIN, IN_VITRO, 5),
    _time("batch-large", Call("bench.temporal:batch"), _loop("runs", "labelled"), _LOOP, IN_VITRO, 5),
    _time("at-large", *_AT, IN_VITRO, 5),
]

if __name__ == "__main__":
    main(FIGURES)
