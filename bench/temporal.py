"""What a graph with time takes on disk, in bits per link instance, and what its labels cost to read.

`temporal-size-*`: graph, pointers and labels of nodes and arcs with theirs, file sizes of all of it; we as
`align` builds it, beside the coding of TIME (WebGraph's own parameters, one Huffman code per label of a
source) in the same run. Four real histories of published sites are in the folder of test data; the full run
adds the in-vitro web, twelve months of which the truth is known, static addresses only as in TIME.
`details` has bits per label, codebooks included. The goal is at most 0.70 of TIME's bits in all, and half
of its bits per label.

`temporal-separate`, `-gzip`, `-parquet`: the same arcs as one BVGraph a snapshot with pointers, as a
compressed text of arcs with masks, and as Parquet with zstd (neither has random access).

`temporal-access`, `-access-time`, `-at`: CPU time per arc on one thread. Lists of random nodes with their
labels, in batches of 512, beside the same lists without (ours and TIME's coding: at most 2.5 and 1.5
times as long, a ratio of 0.4 and 0.67), and one month read in order beside the union without labels (1.5,
0.67).
"""

from __future__ import annotations

import gzip
import io
import os
import time
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.frame import ROOT, BenchError, Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from webstrata.temporal.labels import LabelledGraph

REAL = ("docs-churning", "docs-versions", "docs-partial-crawl", "site-rebuilt")
PAGES = 720_000
"""Of a month of the in-vitro web; a million over all months."""
MONTHS = 12
BATCH = 512


class BuiltIn(Peer):
    """A way of doing it that needs nothing installed."""

    def find_absence(self) -> str:
        """Nothing is missing."""
        return ""


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
    """The union of a web with so many pages a month."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from webstrata.simulate.invitro import Web
    from webstrata.web.row_key import row_keys

    web = Web("uk-2007", pages=pages, hosts=max(pages // 100, 20), months=MONTHS)
    numbers: dict[str, int] = {}
    months = []
    for month in range(MONTHS):
        graph = web.graph(month, view="collection")
        ids = np.array(
            [-1 if "?" in url else numbers.setdefault(url, len(numbers)) for url in graph.urls], np.int64
        )
        sources = ids[np.repeat(np.arange(graph.num_nodes), np.diff(graph.offsets).astype(np.int64))]
        targets = ids[graph.targets]
        static = (sources >= 0) & (targets >= 0)
        months.append((ids[ids >= 0], sources[static], targets[static]))
    rank = np.empty(len(numbers), np.uint64)
    rank[np.argsort(np.array(row_keys(numbers), dtype=object), kind="stable")] = np.arange(len(numbers))
    nodes = np.zeros(len(numbers), np.int64)
    keys = [rank[sources] << np.uint64(32) | rank[targets] for _, sources, targets in months]
    arcs = np.unique(np.concatenate(keys))
    labels = np.zeros(len(arcs), np.int32)
    for month, (present, _, _) in enumerate(months):
        nodes[rank[present].astype(np.int64)] |= 1 << month
        labels[np.searchsorted(arcs, keys[month])] |= 1 << month
    columns = {
        "source": (arcs >> np.uint64(32)).astype(np.int32),
        "target": (arcs & np.uint64(0xFFFFFFFF)).astype(np.int32),
        "label": labels,
    }
    pq.write_table(pa.table(columns), folder / "arcs.parquet", compression="zstd")
    pq.write_table(pa.table({"label": nodes.astype(np.int32)}), folder / "nodes.parquet", compression="zstd")


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


@cache
def build(place: str, coding: str) -> Path:
    """The files of a union in one of the codings, in a folder of their own."""
    import atexit
    import shutil

    import numpy as np

    from webstrata.graph.compress import compress
    from webstrata.graph.settings import GraphSettings
    from webstrata.temporal.labels import UNION_GRAPH, write_labels

    union = load(place)
    folder = mkdtemp(prefix="webstrata-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    basename = Path(folder) / "union"
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
    return basename


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
    return {
        "value": 8 * sum(sizes.values()) / instances,
        "bytes": sizes,
        "bits_per_label": round(8 * labels / max(len(union.labels), 1), 4),
        "nodes": len(union.nodes),
        "arcs": len(union.labels),
        "link_instances": instances,
    }


def size_ours(place: str) -> dict[str, Any]:
    """Ours: runs that are not as predicted."""
    return size_of(place, "runs")


def size_theirs(place: str) -> dict[str, Any]:
    """TIME: a Huffman code per label of a source."""
    return size_of(place, "huffman")


def size_separate(place: str) -> float:
    """A BVGraph for each month, with pointers."""
    from webstrata.graph.compress import compress

    union = load(place)
    total = 0
    basename = build(place, "huffman").with_name("month")
    for month in range(MONTHS):
        compress(*union.month(month), basename)
        total += sum(basename.with_name(f"month.{name}").stat().st_size for name in ("graph", "ef"))
    return 8 * total / union.num_link_instances


def size_gzip(place: str) -> float:
    """A text of source, target and mask."""
    import pyarrow as pa
    from pyarrow import csv

    union = load(place)
    columns = {"source": union.sources, "target": union.targets, "label": union.labels}
    text = io.BytesIO()
    csv.write_csv(pa.table(columns), text)
    return 8 * len(gzip.compress(text.getvalue(), 9)) / union.num_link_instances


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


def _access(place: str, coding: str, *, labelled: bool) -> dict[str, Any]:
    import numpy as np

    graph = _open(place, coding)
    nodes = np.random.default_rng(1).integers(0, graph.num_nodes, 160 * BATCH).astype(np.uint32)
    arcs = 0
    start = time.process_time()
    for begin in range(0, len(nodes), BATCH):
        some = nodes[begin : begin + BATCH]
        found = graph.batch_labelled_successors(some) if labelled else graph.batch_successors(some)
        arcs += len(found[1])
    return {"value": (time.process_time() - start) * 1e9 / arcs, "arcs": arcs}


def access_ours(place: str) -> dict[str, Any]:
    """Ours: lists with labels."""
    return _access(place, "runs", labelled=True)


def access_plain(place: str) -> dict[str, Any]:
    """The same lists without labels."""
    return _access(place, "runs", labelled=False)


def access_time(place: str) -> dict[str, Any]:
    """TIME's coding: lists with labels."""
    return _access(place, "huffman", labelled=True)


def access_time_plain(place: str) -> dict[str, Any]:
    """The same lists without labels, of a graph with WebGraph's parameters."""
    return _access(place, "huffman", labelled=False)


def scan_at(place: str) -> dict[str, Any]:
    """One month in order, per arc of the union that goes by."""
    from webstrata.temporal.views import TemporalGraph

    graph = _open(place, "runs")
    view = TemporalGraph(graph).at("2006-06")
    start = time.process_time()
    kept = sum(len(rows[1]) for _, rows in view.iter_blocks())
    return {"value": (time.process_time() - start) * 1e9 / graph.num_arcs, "kept": kept}


def scan_plain(place: str) -> dict[str, Any]:
    """The union in order."""
    graph = _open(place, "runs")
    start = time.process_time()
    arcs = sum(len(rows[1]) for _, rows in graph.iter_blocks())
    return {"value": (time.process_time() - start) * 1e9 / arcs, "arcs": arcs}


# ---- figures


def _size(name: str, theirs: str, peer: Peer, prepare: Callable[[Path, bool], None], **more: Any) -> Figure:  # noqa: ANN401
    return Figure(
        name=f"temporal-{name}",
        ours=Call("bench.temporal:size_ours"),
        theirs=Call(f"bench.temporal:{theirs}"),
        peer=peer,
        prepare=prepare,
        measure="answer",
        unit="bits",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
        **more,
    )


def _time(name: str, ours: str, theirs: str, peer: str) -> Figure:
    return Figure(
        name=f"temporal-{name}",
        ours=Call(f"bench.temporal:{ours}"),
        theirs=Call(f"bench.temporal:{theirs}"),
        peer=BuiltIn(peer),
        prepare=_real("docs-versions"),
        data="temporal-docs-versions",
        measure="answer",
        unit="ns",
        rounds=9,
        quick_rounds=3,
    )


_TIME = BuiltIn("TIME's coding")
_IN_VITRO: dict[str, Any] = {"prepare": prepare_in_vitro, "data": "temporal-in-vitro", "in_quick": False}
FIGURES = [
    *(_size(f"size-{name}", "size_theirs", _TIME, _real(name), data=f"temporal-{name}") for name in REAL),
    _size("size-in-vitro", "size_theirs", _TIME, **_IN_VITRO),
    _size("separate", "size_separate", BuiltIn("a BVGraph for each month"), **_IN_VITRO),
    _size("gzip", "size_gzip", BuiltIn("gzip -9 of text"), **_IN_VITRO),
    _size("parquet", "size_parquet", BuiltIn("Parquet, zstd"), **_IN_VITRO),
    _time("access", "access_ours", "access_plain", "the same lists without labels"),
    _time("access-time", "access_time", "access_time_plain", "the same lists without labels"),
    _time("at", "scan_at", "scan_plain", "the union without labels"),
]

if __name__ == "__main__":
    main(FIGURES)
