"""Features at size: every set for a million pages of 2 × 10⁴ hosts, two months of them.

Pages are the in-vitro snapshot of `bench.summaries_large`: texts and links of a million pages of `uk-2007`.
That web has fewer hosts than SPAM's, so each host is cut into hosts of `PAGES_OF_A_HOST` pages that follow
each other in row-key order; nodes stay what they are. Each link has the words of the address that it leads to
as its text. In the earlier month one link of ten is missing, and the terms are the same.

There are no records, so the bytes of pages as they were sent are not read: `features` has that too, a tenth
of the pages, and pages that were crawled.
"""

from __future__ import annotations

import os
import re
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.api import Snapshot
    from webstrata.graph import Graph

MONTHS = ("2026-06", "2026-07")
QUERIES = "cheap flights\t9\nbuy cheap\t5\nnews\t3\nweather today\nfree download\n"
PAGES_OF_A_HOST = 50
MISSING = 0.1
"""Links that the earlier month does not have."""
_BLOCK = 1 << 14
"""Pages whose links are written at a time."""


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Put two months together from the pages that `bench.summaries` has made, or makes."""
    import numpy as np
    import pyarrow as pa

    import webstrata as ws
    from bench.frame import find_input
    from bench.summaries import FIGURES
    from webstrata.graph import Graph
    from webstrata.graph.hosts import build_named
    from webstrata.graph.rows import RowsGraph
    from webstrata.store.links import write_links
    from webstrata.store.urls import Urls, write_urls
    from webstrata.summaries.build import build_summaries
    from webstrata.summaries.settings import SummariesSettings
    from webstrata.web.row_key import from_row_key

    large = next(figure for figure in FIGURES if figure.name == "summaries-bytes-in-vitro")
    source = find_input(large, quick=quick)
    keys = cut_hosts(Urls(source / "urls").key_column.to_pylist())
    graph = Graph.open(source / "graph" / "forward")
    none = {"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())}
    none |= {"reason": pa.array([], pa.string())}
    column = pa.array(keys, pa.large_string())
    settings = SummariesSettings()
    collection = ws.create(folder / "uk")
    summaries: Path | None = None
    for label in MONTHS:
        snapshot = collection.add(label)
        with snapshot.write_part("urls") as build:
            write_urls(build.path, column, pa.table(none))
        with snapshot.write_part("text") as build:
            _link(source / "text", build.path)
        with snapshot.write_part("graph") as build:
            if label == MONTHS[0]:
                chance = np.random.default_rng(0)
                arcs = graph.to_arrow()
                kept = chance.random(len(arcs)) >= MISSING
                starts = np.bincount(arcs["source"].to_numpy()[kept], minlength=graph.num_nodes)
                offsets = np.concatenate([[0], np.cumsum(starts)]).astype(np.uint64)
                fewer = RowsGraph(offsets, arcs["target"].to_numpy()[kept].astype(np.uint32))
                fewer.write(build.path / "forward")
                fewer.transpose().write(build.path / "transpose")
                build_named(build.path, fewer, [column])
            else:
                _link(source / "graph", build.path)
                build_named(build.path, graph, [column])
        with snapshot.write_part("links") as build:
            write_links(build.path, column, _write_rows(graph, keys))
        if summaries is None:
            build_summaries(snapshot, settings)
            with snapshot.open_part("summaries") as part:
                summaries = part.path
        else:
            with snapshot.write_part("summaries", settings=settings) as build:
                _link(summaries, build.path)
    (folder / "queries.txt").write_text(QUERIES)
    trusted = [from_row_key(key) for key in keys[:: max(len(keys) // 20, 1)]]
    (folder / "trusted.txt").write_text("".join(f"{url}\n" for url in trusted))


def cut_hosts(keys: list[str]) -> list[str]:
    """Row keys with hosts that have no more than so many pages, in the same order.

    Examples
    --------
    >>> found = cut_hosts([f"org,a)/{place:03}" for place in range(60)])
    >>> found[0], found[59], found == sorted(found)
    ('org,a)/000', 'org,a,00001)/059', True)
    """
    found, last, number = [], "", 0
    for key in keys:
        host, path = key.split(")", 1)
        number = number + 1 if host == last else 0
        last = host
        block = number // PAGES_OF_A_HOST
        # digits come before the letters of other hosts of the domain
        found.append(f"{host},{block:05}){path}" if block else key)
    return found


def _link(source: Path, target: Path) -> None:
    from webstrata.collection.files import link_file

    for path in source.iterdir():
        link_file(path, target / path.name)


def _write_rows(graph: Graph, keys: list[str]) -> Iterator[pa.Table]:
    """Links, each with the words of the last step of its address."""
    import numpy as np
    import pyarrow as pa

    from webstrata.store.links import LINKS

    words = pa.array([" ".join(re.findall("[a-z]+", key.rpartition("/")[2])) for key in keys])
    for start, (offsets, targets) in graph.iter_blocks(_BLOCK):
        counts: npt.NDArray[np.int64] = np.diff(offsets).astype(np.int64)
        sources = np.repeat(np.arange(start, start + len(counts)), counts)
        number = len(targets)
        yield pa.table(
            {
                "source": pa.array(sources.astype(np.uint32)),
                "target": pa.array(np.asarray(targets, np.uint32)),
                "kind": pa.repeat("anchor", number),
                "rel": pa.array(np.zeros(number, np.uint8)),
                "anchor": words.take(pa.array(np.asarray(targets, np.uint32))),
            },
            schema=LINKS,
        )


def measure(place: str) -> dict[str, Any]:
    """Make every set, each from the beginning; minutes that all of it took by the clock."""
    import webstrata as ws
    from webstrata.classify.features.feature_sets import build_set
    from webstrata.classify.features.sets import SETS
    from webstrata.classify.settings import ClassifySettings

    folder = Path(place)
    snapshot: Snapshot = ws.open(folder / "uk")[MONTHS[-1]]
    settings = ClassifySettings(query_words=str(folder / "queries.txt"), trusted=str(folder / "trusted.txt"))
    forget(snapshot)
    pages = len(snapshot.urls)
    details: dict[str, Any] = {"pages": pages, "hosts": snapshot.host_graph.num_nodes}
    began, used = time.perf_counter(), clock()
    for name in SETS:
        start, before = time.perf_counter(), clock()
        made = build_set(snapshot, name, settings)
        spent = clock() - before
        details[name] = {
            "cpu": round(spent, 1),
            "wall": round(time.perf_counter() - start, 1),
            "pages_per_second_a_core": round(pages / max(spent, 1e-9)),
            "features": made.features,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
        }
    details |= {"cpu": round(clock() - used, 1), "wall": round(time.perf_counter() - began, 1)}
    return {"value": details["wall"] / 60, **details}


def forget(snapshot: Snapshot) -> None:
    """Remove what an earlier round has made."""
    for record in list(snapshot.parts):
        if record.name.startswith(("features-", "page-features", "rank-")):
            snapshot.parts.remove(record.name)


def clock() -> float:
    """Seconds of processor time of this process and of those that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
