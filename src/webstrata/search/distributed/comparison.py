"""Partitions side by side under a Zipfian stream of queries: bytes moved, latency, balance (LECT).

Words are drawn from the index: the r-th most frequent term of main content with a probability ∝ 1/r, so that
a few words come all the time and most hardly ever; a query has one to three. Each partition answers the same
queries in the same order, one at a time, after a tenth of them that are not counted. The answers are compared
with those of the index itself.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.collection.tables import Rows, Table, TableList
from webstrata.search.distributed.brokers import BROKERS
from webstrata.search.distributed.partitions import build_partition, ensure_partition, part_name
from webstrata.search.fields import NUMBERS
from webstrata.search.index import TextIndex
from webstrata.search.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.api import Collection
    from webstrata.collection.progress import Task
    from webstrata.search.distributed.brokers import Broker
    from webstrata.search.distributed.servers import Pool, Traffic
    from webstrata.search.query import Clause

VOCABULARY = 1 << 15
"""Words that queries are made of, the most frequent."""


@dataclass(frozen=True)
class Measured:
    """What one way to answer all queries took."""

    name: str
    parts: int
    queries: int
    bytes_moved: float
    """A query, in both directions."""
    requests: float
    """A query."""
    p50: float
    """Milliseconds."""
    p99: float
    busy: float
    """CPU milliseconds a query, of all servers together."""
    balance: float
    """What the busiest server did, over the mean."""
    difference: float | None
    """The largest relative difference of a score to that of the index itself; None where it may differ."""
    same: float
    """The share of queries with the same scores, to one part in a million."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


class PartitionComparison(TableList[Measured]):
    """Partitions of an index side by side."""

    shown = 0  # of the plain numbers

    def tables(self) -> dict[str, Table]:
        """Bytes, latency, balance and agreement of each partition; and all numbers for programs."""
        rows = [
            {
                "": each.name,
                "parts": each.parts,
                "bytes/query": round(each.bytes_moved),
                "requests/query": each.requests,
                "p50 ms": each.p50,
                "p99 ms": each.p99,
                "CPU ms/query": each.busy,
                "busiest/mean": each.balance,
                "same": each.same,
            }
            for each in self
        ]
        formats = {"requests/query": ".2f", "busiest/mean": ".2f", "same": ".1%"}
        formats |= dict.fromkeys(("p50 ms", "p99 ms", "CPU ms/query"), ".3f")
        return {"Partitions": Rows("partitions", rows, formats=formats), "All numbers": self}


def zipf_queries(words: Sequence[str], number: int, *, seed: int = 0, most: int = 3) -> list[str]:
    """Queries of one to `most` words, the r-th word with a probability ∝ 1/r.

    Examples
    --------
    >>> zipf_queries(["the", "fish", "swims"], 4, seed=2)
    ['fish the fish', 'fish', 'the', 'the']
    """
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(words) + 1)
    lengths = random.integers(1, most + 1, number)
    drawn = random.choice(len(words), int(lengths.sum()), p=chances / chances.sum())
    pieces = np.split(drawn, np.cumsum(lengths)[:-1])
    return [" ".join(words[place] for place in piece) for piece in pieces]


def frequent_words(index: TextIndex, number: int = VOCABULARY) -> list[str]:
    """The terms of main content that most documents have, the first first.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> reader = SimpleNamespace(terms=lambda *_: {"fish": 2, "the": 9, "it's": 3})
    >>> frequent_words(SimpleNamespace(reader=reader))
    ['the', 'fish']
    """
    found = index.reader.terms(NUMBERS["text"], "", 1 << 31)
    words = sorted((term for term in found if term.isalnum()), key=lambda term: (-found[term], term))
    return words[:number]


def compare_partitions(
    index: TextIndex,
    settings: SearchSettings,
    *,
    kinds: Sequence[str] = ("documents", "terms"),
    queries: int = 1000,
    seed: int = 0,
    at: str | None = None,
    pool: Pool = "processes",
    progress: Progress | None = None,
) -> list[Measured]:
    """Measure the index itself and its partitions, which are there, on the same stream of queries.

    Parameters
    ----------
    index
        That of a collection with the partitions.
    settings
        How it is scored, and how many answers a query has.
    kinds
        Of the partitions.
    queries
        How many are counted.
    seed
        What they are drawn by.
    at
        The snapshot that is asked; all where not given.
    pool
        Where parts are served.
    progress
        Where it reports.

    Examples
    --------
    >>> [len(name) for name in BROKERS]
    [9, 5, 5]
    """
    compiler = index.compiler(settings)
    stream = zipf_queries(frequent_words(index), queries + queries // 10, seed=seed)
    clauses = [compiler.compile(query) for query in stream]
    mask = index.mask(at=at)
    asked = (mask, settings)
    total = len(clauses) * (1 + len(kinds))
    with (progress or Progress()).task("asking", total=total, unit="queries") as task:
        whole, scores = _run(index, clauses, asked, queries, task)
        found = [_measure("one index", 1, whole, None, scores, scores)]
        warm = len(clauses) - queries
        for kind in kinds:
            with BROKERS[kind](index, kind, pool=pool) as broker:
                _run(broker, clauses[:warm], asked, warm, task)
                broker.servers.reset()
                times, answers = _run(broker, clauses[warm:], asked, queries, task)
                traffic = broker.servers.traffic
                found.append(_measure(kind, len(broker.servers), times, traffic, answers, scores))
    return found


def _run(
    asked: TextIndex | Broker,
    clauses: Sequence[Clause],
    given: tuple[int, SearchSettings],
    counted: int,
    task: Task,
) -> tuple[npt.NDArray[np.float64], list[npt.NDArray[np.float32]]]:
    """Seconds and scores of the last queries."""
    mask, settings = given
    times, answers = [], []
    for clause in clauses:
        begun = time.perf_counter()
        _, scores, _ = asked.top(clause, settings.limit, mask, settings)
        times.append(time.perf_counter() - begun)
        answers.append(scores)
        task.advance()
    return np.array(times[len(times) - counted :]), answers[len(answers) - counted :]


def _measure(
    name: str,
    parts: int,
    times: npt.NDArray[np.float64],
    traffic: Traffic | None,
    answers: Sequence[npt.NDArray[np.float32]],
    expected: Sequence[npt.NDArray[np.float32]],
) -> Measured:
    number = max(len(times), 1)
    differences = [
        float(np.max(np.abs(one - other) / np.maximum(np.abs(other), 1e-30), initial=0.0))
        if len(one) == len(other)
        else float("inf")
        for one, other in zip(answers, expected, strict=True)
    ]
    return Measured(
        name,
        parts,
        len(times),
        (traffic.sent + traffic.received) / number if traffic else 0.0,
        traffic.requests / number if traffic else 0.0,
        1000 * float(np.percentile(times, 50)),
        1000 * float(np.percentile(times, 99)),
        1000 * sum(traffic.busy) / number if traffic else 0.0,
        traffic.balance if traffic else 1.0,
        None if name == "tiers" else max(differences, default=0.0),
        float(np.mean(np.array(differences) < 1e-6)),
    )


def measure_partitions(
    collection: Collection,
    options: Mapping[str, object],
    *,
    parts: int = 4,
    queries: int = 1000,
    seed: int = 0,
    at: str | None = None,
    progress: Progress | None = None,
) -> PartitionComparison:
    """Measure an index and its partitions, which are built for it where they are missing or outdated.

    Afterwards the collection has the partitions that it had before, each in as many parts.

    Examples
    --------
    >>> from webstrata import testing
    >>> [found.name for found in measure_partitions(testing.collection(), {}, parts=2, queries=5)][:3]
    ['one index', 'documents', 'terms']
    """
    index = TextIndex.open(collection)
    kinds = ["documents", "terms"]
    if index.factors(index.mask(), 1.0)[1]:
        kinds.append("tiers")
    before = {record.name: record.counts.get("parts") for record in collection.parts}
    settings = collection.settings(SearchSettings, options)
    try:
        for kind in kinds:
            ensure_partition(collection, kind, parts, progress=progress)
        return PartitionComparison(
            compare_partitions(
                index, settings, kinds=kinds, queries=queries, seed=seed, at=at, progress=progress
            )
        )
    finally:
        for kind in kinds:
            name = part_name(kind)
            if name not in before:
                if name in collection.parts:
                    collection.parts.remove(name)
            elif (number := before[name]) is not None and number != parts:
                build_partition(collection, kind, number, progress=progress)
