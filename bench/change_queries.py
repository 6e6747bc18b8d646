"""How long a change query takes on a large collection: 10⁶ pages in each of two months.

`changes-query`: seconds of the median query of 60 (`--quick`: 10⁵ pages), from 100 seeds to the ranked list
with the reasons of the first 15. Seeds are given, pages of a few hosts as a text search would find them: what
that takes is measured by `bench.search`. Theirs is the same without the kept counts: degrees and words of
candidates are looked up in the union and in summaries for each query. `details` has the 99th percentile,
seconds of processor time, and what the first query took.

Pages are made up: hosts of 100 pages, 8 links within a host and 4 to others by popularity, 30 words of
20 000; a tenth of the pages and a fifth of the links are others in the second month.
"""

from __future__ import annotations

import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import BuiltIn, Call, Figure, main

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    import webstrata as ws
    from webstrata.search.change import ChangeSearch
    from webstrata.search.change.counts import WordCounts
    from webstrata.search.change.measure import PageChange

MONTHS = ("2026-01", "2026-02")
PAGES_PER_HOST = 100
QUERIES = 60
_WORDS = 20_000


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Make two months, their union and the counts."""
    import numpy as np

    import webstrata as ws
    from webstrata.search.change.counts import open_counts
    from webstrata.temporal.align import choose_snapshots
    from webstrata.temporal.build import build_union

    size = 100_000 if quick else 1_000_000
    random = np.random.default_rng(7)
    uk = ws.create(folder / "uk")
    arcs = _draw_arcs(random, size)
    for number, label in enumerate(MONTHS):
        kept = np.sort(random.permutation(size * 11 // 10)[:size]) if number else np.arange(size)
        if number:
            changed = random.random(len(arcs)) < 0.2
            arcs[changed] = _draw_arcs(random, size)[: len(arcs)][changed]
        _add_month(uk, label, kept, arcs, random)
    build_union(uk, choose_snapshots(uk))
    open_counts(uk.temporal)


def _draw_arcs(random: np.random.Generator, size: int) -> npt.NDArray[np.int64]:
    import numpy as np

    sources = np.repeat(np.arange(size), 12)
    inside = sources // PAGES_PER_HOST * PAGES_PER_HOST + (random.random(len(sources)) ** 2 * PAGES_PER_HOST)
    outside = random.random(len(sources)) ** 4 * size  # some are linked by very many
    is_inside = np.arange(len(sources)) % 12 < 8
    return np.stack([sources, np.where(is_inside, inside, outside).astype(np.int64)], axis=1)


def _add_month(
    uk: ws.Collection,
    label: str,
    numbers: npt.NDArray[np.int64],
    arcs: npt.NDArray[np.int64],
    random: np.random.Generator,
) -> None:
    import numpy as np
    import pyarrow as pa

    from webstrata.graph import Graph
    from webstrata.store.urls import write_urls
    from webstrata.summaries import write_archive
    from webstrata.summaries.rows import SummaryRows

    snapshot = uk.add(label)
    size = len(numbers)
    keys = [f"org,h{number // PAGES_PER_HOST:07})/{number % PAGES_PER_HOST:03}" for number in numbers]
    none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32()),
                     "reason": pa.array([], pa.string())})  # fmt: skip
    with snapshot.write_part("urls") as build:
        write_urls(build.path, pa.array(keys, pa.large_string()), none)
    graph = Graph.from_arcs(arcs, num_nodes=size)
    with snapshot.write_part("graph", inputs=("urls",)) as build:
        graph.write(build.path / "forward")
        graph.transpose().write(build.path / "transpose")
    terms = np.sort((random.random((size, 30)) ** 3 * _WORDS).astype(np.uint32), axis=1)
    is_new = np.append(np.ones((size, 1), bool), terms[:, 1:] != terms[:, :-1], axis=1)
    offsets = np.append(0, np.cumsum(is_new.sum(axis=1))).astype(np.uint64)
    counts = np.diff(np.append(np.flatnonzero(is_new), is_new.size)).astype(np.uint32)
    lengths = random.integers(30, 900, size).astype(np.uint32)
    texts = [f"word{number:05}" for number in range(_WORDS)]
    with snapshot.write_part("summaries", inputs=("urls",)) as build:
        write_archive(build.path, SummaryRows(lengths, offsets, terms[is_new], counts), texts=texts)


@functools.cache
def load(place: str, *, is_kept: bool) -> ChangeSearch:
    """A search with given seeds, with counts or without."""
    import numpy as np

    import webstrata as ws
    from webstrata.search.change import ChangeSearch, Stages
    from webstrata.search.change.seeds import QuerySeeds

    def seeds(query: str, label: str, number: int) -> QuerySeeds:
        """Pages of some hosts, and of others as they come."""
        random = np.random.default_rng(int(query))
        size = len(search.union.to_union(label))
        hosts = random.integers(0, size // PAGES_PER_HOST - 1, 10) * PAGES_PER_HOST
        near = (hosts[:, None] + random.integers(0, PAGES_PER_HOST, (10, 8))).ravel()
        nodes = np.unique(np.append(near, random.integers(0, size, number)))[:number]
        return QuerySeeds(random.permutation(nodes), np.sort(random.random(len(nodes)))[::-1] * 10)

    stages = Stages(seeds) if is_kept else Stages(seeds, measure=_measure_anew)
    search = ChangeSearch(ws.open(Path(place) / "uk"), stages=stages)
    return search


def _measure_anew(counts: WordCounts, nodes: npt.NDArray[np.int64], before: str, after: str) -> PageChange:
    """The change of nodes from the lists of the union and from summaries."""
    import numpy as np

    from webstrata.search.change.measure import PageChange, log_ratio

    union, archives = _opened(counts)
    sizes = []
    for label in (before, after):
        bit = np.uint64(union.place(label))
        degrees = []
        for graph in (union.forward, union.backward):
            rows = graph.batch_labelled_successors(nodes)
            alive = np.append(0, np.cumsum(rows.labels >> bit & np.uint64(1), dtype=np.int64))
            degrees.append(np.diff(alive[rows.offsets.astype(np.int64)]))
        pages = [int(own[0]) if len(own) else -1 for own in union.pages(label, nodes)]
        there = np.array(pages, np.int64)
        words = np.zeros(len(nodes), np.int64)
        words[there >= 0] = archives[label].batch(there[there >= 0]).lengths
        sizes.append((words, degrees[1], degrees[0]))
    return PageChange(*(log_ratio(then, now) for then, now in zip(*sizes, strict=True)))


_UNIONS: dict[int, Any] = {}


def _opened(counts: WordCounts) -> Any:  # noqa: ANN401
    if not _UNIONS:
        import webstrata as ws

        assert counts.part is not None
        uk = ws.open(counts.part.path.parents[1])
        _UNIONS[0] = uk.temporal, {label: uk[label].summaries for label in MONTHS}
    return _UNIONS[0]


def ask(place: str, is_kept: bool) -> dict[str, Any]:  # noqa: FBT001 (an argument of a worker)
    """The median of queries, and what they found."""
    import hashlib

    import numpy as np

    search = load(place, is_kept=is_kept)
    passed, used, found = [], [], hashlib.sha256()
    for number in range(QUERIES + 1):
        began, busy = time.perf_counter(), time.process_time()
        answer = search.search(str(number), *MONTHS)
        answer.reasons(15)
        passed.append(time.perf_counter() - began)
        used.append(time.process_time() - busy)
        found.update(answer.order.tobytes())
    return {
        "value": float(np.median(passed[1:])),
        "p99": round(float(np.quantile(passed[1:], 0.99)), 4),
        "cpu": round(float(np.median(used[1:])), 4),
        "first": round(passed[0], 4),
        "pages": len(search.union.to_union(MONTHS[1])),
        "arcs": search.union.num_arcs,
        "order": found.hexdigest()[:16],
    }


FIGURES = [
    Figure(
        name="changes-query",
        ours=Call("bench.change_queries:ask", arguments=("{input}", True)),
        theirs=Call("bench.change_queries:ask", arguments=("{input}", False)),
        peer=BuiltIn("without kept counts"),
        prepare=prepare,
        data="change-queries",
        varies=True,
        measure="answer",
        unit="s",
        same="order",
        rounds=3,
        quick_rounds=2,
    )
]

if __name__ == "__main__":
    main(FIGURES)
