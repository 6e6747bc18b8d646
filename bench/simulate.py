"""How fast crawls are simulated: pages per second of processor time, all threads counted.

`simulate-breadth-first` and `simulate-in-degree`: policies that know the graph alone, on the first nodes of
cnr-2000 (all 325 557; `--quick`: 20 000), from 1 000 of them; `simulate-clock`: in-degree with delays of
hosts and addresses. `simulate-text`: best-first for a query, from the files to the last page, with the
summaries of 12 000 real pages, one behind the other until there are enough (100 000; `--quick`: 24 000).
The promise is 200 000 pages a second for graphs, and 50 000 for text.

Nobody offers such a program. The other side is what people write: the same policy in plain Python with a
heap, rows of the graph as lists, and for text the counts as SciPy saves a matrix. Both must fetch the same
pages in the same order, or there is no figure.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import BenchError, BuiltIn, Call, Figure, main
from bench.rank import find_graph, load_rows
from bench.summaries import find_data

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

PAGES_PER_HOST = 450
"""Nodes in a row that count as a host; of ten hosts one address."""
DELAYS = (4.0, 0.5)
FETCHERS = 1_000
K1, B = 1.2, 0.75


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the rows of the first nodes of the real graph, and where crawls begin."""
    import numpy as np

    from webstrata.graph import Graph

    graph = Graph.open(find_graph())
    _write_rows(folder, graph.rows(0, 20_000 if quick else graph.num_nodes))
    random = np.random.default_rng(7)
    nodes = len(np.load(folder / "offsets.npy")) - 1
    np.save(folder / "seeds.npy", np.sort(random.choice(nodes, 1_000, replace=False)).astype(np.uint32))
    np.save(folder / "durations.npy", random.lognormal(-0.8, 0.5, nodes))


def _write_rows(folder: Path, rows: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]) -> None:
    import numpy as np

    offsets, targets = rows
    kept = targets < len(offsets) - 1
    counts = np.append(np.uint64(0), np.cumsum(kept, dtype=np.uint64))
    np.save(folder / "offsets.npy", counts[offsets.astype(np.int64)])
    np.save(folder / "targets.npy", targets[kept])


def prepare_text(folder: Path, quick: bool) -> None:  # noqa: FBT001
    """The same with an archive of real pages, and their counts as a matrix."""
    import numpy as np
    import scipy.sparse as sp

    from bench.summaries import load_rows as load_counts
    from webstrata.graph import Graph
    from webstrata.summaries import write_archive
    from webstrata.summaries.rows import concatenate

    nodes = 24_000 if quick else 100_000
    if not (find_data() / "counts.parquet").is_file():
        raise BenchError(
            f"{find_data()}: the counts of real pages are not there; name them in WEBSTRATA_TEST_DATA"
        )
    _write_rows(folder, Graph.open(find_graph()).rows(0, nodes))
    rows = load_counts(str(find_data()))
    rows = concatenate([rows] * (nodes // rows.num_rows + 1)).cut(0, nodes)
    archive = write_archive(folder / "archive", rows)
    shape = (nodes, len(archive.terms))
    matrix = sp.csr_matrix(
        (rows.counts, rows.terms.astype(np.int64), rows.offsets.astype(np.int64)), shape=shape
    )
    sp.save_npz(folder / "counts.npz", matrix)
    np.save(folder / "lengths.npy", rows.lengths)
    # three terms that one page of twenty has, roughly
    common = np.argsort(np.abs(archive.terms.df.astype(np.float64) - nodes / 20))[:3]
    np.save(folder / "query.npy", np.sort(common))
    random = np.random.default_rng(7)
    np.save(folder / "seeds.npy", np.sort(random.choice(nodes, 1_000, replace=False)).astype(np.uint32))


# ---- ours


def crawl_ours(place: str, policy: str, clocked: bool) -> dict[str, Any]:  # noqa: FBT001
    """Pages a second of the core."""
    import numpy as np

    offsets, targets = load_rows(place)
    nodes = len(offsets) - 1
    clock = None
    hosts = (np.arange(nodes) // PAGES_PER_HOST).astype(np.uint32)
    number = int(hosts.max()) + 1
    if clocked:
        addresses = np.arange(number, dtype=np.uint32) // 10
        delays = (np.full(number, DELAYS[0]), np.full(int(addresses.max()) + 1, DELAYS[1]))
        clock = (addresses, *delays, np.load(Path(place) / "durations.npy"), FETCHERS)
    return _tell(lambda: _run(place, policy, hosts, number, (offsets, targets), np.zeros(nodes), clock))


def _run(place: str, policy: str, hosts: Any, number: int, rows: Any, scores: Any, clock: Any) -> Any:  # noqa: ANN401
    import numpy as np

    from webstrata._core.simulate import SimulatedCrawl

    limits = (1 << 62, 1 << 31, 65_535, float("inf"), (1 << 32) - 1)
    crawl = SimulatedCrawl(policy, hosts, number, limits, clock=clock)
    crawl.begin(np.load(Path(place) / "seeds.npy"))
    return crawl.run(rows, scores, 1 << 62)[0]


def crawl_text(place: str) -> dict[str, Any]:
    """Pages a second from the files: scores of the query, and best-first."""
    import numpy as np

    from webstrata.simulate.relevance import bm25
    from webstrata.summaries import Archive

    rows = load_rows(place)

    def run() -> Any:  # noqa: ANN401
        scores = bm25(Archive(Path(place) / "archive"), np.load(Path(place) / "query.npy").tolist())
        hosts = np.zeros(len(rows[0]) - 1, np.uint32)
        return _run(place, "best-first", hosts, 1, rows, scores / scores.max(), None)

    return _tell(run)


# ---- theirs


def crawl_plain(place: str, policy: str, clocked: bool) -> dict[str, Any]:  # noqa: FBT001
    """Pages a second of plain Python."""
    import numpy as np

    rows = _to_lists(place)
    seeds = np.load(Path(place) / "seeds.npy").tolist()
    if clocked:
        durations = np.load(Path(place) / "durations.npy").tolist()
        return _tell(lambda: _crawl_timed(rows, seeds, durations))
    if policy == "breadth-first":
        return _tell(lambda: _crawl_breadth_first(rows, seeds))
    return _tell(lambda: _crawl_best(rows, seeds, None))


def crawl_plain_text(place: str) -> dict[str, Any]:
    """The same for a query, with SciPy."""
    import numpy as np
    import scipy.sparse as sp

    rows = _to_lists(place)
    seeds = np.load(Path(place) / "seeds.npy").tolist()

    def run() -> list[int]:
        counts = sp.load_npz(Path(place) / "counts.npz")
        lengths, query = (np.load(Path(place) / f"{name}.npy") for name in ("lengths", "query"))
        tf = counts.tocsc()[:, query].tocoo()
        df = np.bincount(tf.col, minlength=len(query))
        idf = np.log1p((counts.shape[0] - df + 0.5) / (df + 0.5))
        bound = K1 * (1 - B + B * lengths / lengths.mean())
        scores = np.bincount(
            tf.row, idf[tf.col] * tf.data / (tf.data + bound[tf.row]), minlength=counts.shape[0]
        )
        return _crawl_best(rows, seeds, (scores / scores.max()).tolist())

    return _tell(run)


def _to_lists(place: str) -> list[list[int]]:
    offsets, targets = load_rows(place)
    ends, flat = offsets.tolist(), targets.tolist()
    return [flat[begin:end] for begin, end in itertools.pairwise(ends)]


def _crawl_breadth_first(rows: list[list[int]], seeds: list[int]) -> list[int]:
    order = list(dict.fromkeys(seeds))
    seen = set(order)
    for node in order:  # it grows meanwhile
        for link in rows[node]:
            if link not in seen:
                seen.add(link)
                order.append(link)
    return order


def _crawl_best(rows: list[list[int]], seeds: list[int], scores: list[float] | None) -> list[int]:
    """Best-first by the scores of pages that lead there or, without scores, by their number."""
    keys: dict[int, float] = {}
    found: dict[int, int] = {}
    heap: list[tuple[float, int, int]] = []
    for node in seeds:
        keys[node], found[node] = 1.0, len(found)
        heap.append((-1.0, found[node], node))
    heapq.heapify(heap)
    order: list[int] = []
    taken: set[int] = set()
    while heap:
        _, _, node = heapq.heappop(heap)
        if node in taken:
            continue
        taken.add(node)
        order.append(node)
        for link in rows[node]:
            if link in taken:
                continue
            known = keys.get(link)
            if scores is None:
                key = (known or 0.0) + 1.0
            else:
                key = scores[node] if known is None else max(known, scores[node])
            if key != known:
                if known is None:
                    found[link] = len(found)
                keys[link] = key
                heapq.heappush(heap, (-key, found[link], link))
    return order


def _crawl_timed(rows: list[list[int]], seeds: list[int], durations: list[float]) -> list[int]:
    """By number of pages that lead there, with a heap for each host; all hosts are looked at for the best."""
    keys: dict[int, float] = {}
    found: dict[int, int] = {}
    queues: dict[int, list[tuple[float, int, int]]] = {}
    host_free: dict[int, float] = {}
    address_free: dict[int, float] = {}
    busy: set[int] = set()
    taken: set[int] = set()
    order: list[int] = []
    flights: list[tuple[float, int, int]] = []
    now = 0.0

    def offer(node: int, key: float) -> None:
        keys[node] = key
        found.setdefault(node, len(found))
        heapq.heappush(queues.setdefault(node // PAGES_PER_HOST, []), (-key, found[node], node))

    def best(host: int) -> tuple[float, int, int] | None:
        queue = queues[host]
        while queue and (queue[0][2] in taken or -queue[0][0] != keys[queue[0][2]]):
            heapq.heappop(queue)
        return queue[0] if queue else None

    for node in seeds:
        offer(node, 1.0)
    while True:
        chosen = None
        wake = float("inf")
        if len(flights) < FETCHERS:
            for host in list(queues):
                address = host // 10
                if address in busy:
                    continue
                top = best(host)
                if top is None:
                    del queues[host]
                    continue
                free = max(host_free.get(host, 0.0), address_free.get(address, 0.0))
                if free > now:
                    wake = min(wake, free)
                elif chosen is None or top < chosen:
                    chosen = top
        if chosen is not None:
            node = chosen[2]
            taken.add(node)
            busy.add(node // PAGES_PER_HOST // 10)
            heapq.heappush(flights, (now + durations[node], len(taken), node))
            continue
        if flights and flights[0][0] <= wake:
            now, _, node = heapq.heappop(flights)
            host = node // PAGES_PER_HOST
            host_free[host], address_free[host // 10] = now + DELAYS[0], now + DELAYS[1]
            busy.discard(host // 10)
            order.append(node)
            for link in rows[node]:
                if link not in taken:
                    offer(link, keys.get(link, 0.0) + 1.0)
        elif wake < float("inf"):
            now = wake
        else:
            return order


def _tell(run: Any) -> dict[str, Any]:  # noqa: ANN401
    """Pages a second of processor time, and what identifies their order."""
    import numpy as np

    started = time.process_time()
    nodes = run()
    seconds = time.process_time() - started
    order = np.asarray(nodes, np.uint32)
    return {
        "value": len(order) / seconds,
        "pages": len(order),
        "order": hashlib.sha256(order.tobytes()).hexdigest()[:16],
    }


def _figure(name: str, policy: str = "", *, clocked: bool = False) -> Figure:
    ours, theirs = ("crawl_ours", "crawl_plain") if policy else ("crawl_text", "crawl_plain_text")
    arguments = ("{input}", policy, clocked) if policy else ("{input}",)
    return Figure(
        name=f"simulate-{name}",
        ours=Call(f"bench.simulate:{ours}", arguments=arguments),
        theirs=Call(f"bench.simulate:{theirs}", arguments=arguments),
        peer=BuiltIn("plain Python"),
        prepare=prepare if policy else prepare_text,
        data="simulate" if policy else "simulate-text",
        measure="answer",
        unit="pages/s",
        better="more",
        same="order",
        rounds=5,
        quick_rounds=3,
    )


FIGURES = [
    _figure("breadth-first", "breadth-first"),
    _figure("in-degree", "in-degree"),
    _figure("clock", "in-degree", clocked=True),
    _figure("text"),
]

if __name__ == "__main__":
    main(FIGURES)
