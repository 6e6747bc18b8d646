"""Partitions measured side by side."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from webstrata.collection.progress import Progress
from webstrata.search.distributed.comparison import compare_partitions, frequent_words, zipf_queries
from webstrata.search.index import TextIndex
from webstrata.search.settings import SearchSettings

if TYPE_CHECKING:
    import webstrata as ws
    from webstrata.collection.progress import Task


class Heard(Progress):
    """Keeps what was done, of how much."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[str, int, int | None]] = []

    def closed(self, task: Task) -> None:
        self.heard.append((task.title, task.done, task.total))


def test_words_of_a_stream_come_as_often_as_their_rank_says() -> None:
    words = [f"w{number}" for number in range(100)]
    queries = zipf_queries(words, 5000, seed=1)
    assert queries == zipf_queries(words, 5000, seed=1)
    assert {len(query.split()) for query in queries} == {1, 2, 3}
    counts = Counter(word for query in queries for word in query.split())
    total = sum(counts.values())
    expected = total / sum(1 / rank for rank in range(1, 101))
    assert abs(counts["w0"] / expected - 1) < 0.1
    assert abs(counts["w9"] / (expected / 10) - 1) < 0.2


def test_both_partitions_give_the_scores_of_one_index_and_are_measured(divided: ws.Collection) -> None:
    index = TextIndex.open(divided)
    assert frequent_words(index, 1) == ["fish"]
    progress = Heard()
    one, documents, terms = compare_partitions(
        index, SearchSettings(), queries=20, pool="threads", progress=progress
    )
    assert progress.heard == [("asking", 66, 66)]
    assert (one.same, documents.same, terms.same) == (1.0, 1.0, 1.0)
    assert one.bytes_moved == 0
    assert documents.requests >= 3
    assert terms.requests <= 3
    assert min(documents.bytes_moved, terms.bytes_moved) > 0
    assert documents.to_dict()["parts"] == 3
