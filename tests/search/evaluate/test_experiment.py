"""All queries in several ways: lists as a search gives them, graphs measured, text asked once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from webstrata.errors import QueryError
from webstrata.search.change import ChangeSearch
from webstrata.search.change.settings import ChangesSettings
from webstrata.search.evaluate.experiment import SearchExperiment
from webstrata.search.evaluate.queries import TimedQuery

if TYPE_CHECKING:
    import webstrata as ws
    from webstrata.search.change.seeds import QuerySeeds

QUERIES = [TimedQuery("1", "flood", "2026-02"), TimedQuery("2", "fire", "2026-03")]
RIGHT = {
    "1": {"http://city.org/flood": 2, "http://paper.com/flood": 2, "http://city.org/": 1},
    "2": {"http://city.org/fire": 2},
}


def test_an_outcome_is_what_the_search_answers(uk: ws.Collection) -> None:
    search = ChangeSearch(uk)
    asked: list[tuple[str, str, int]] = []
    source = search.stages.seeds

    def seeds(query: str, label: str, number: int) -> QuerySeeds:
        asked.append((query, label, number))
        return source(query, label, number)

    search.stages = replace(search.stages, seeds=seeds)
    experiment = SearchExperiment(search, QUERIES, RIGHT)
    settings = ChangesSettings(rank="pagerank")
    found = experiment.ask(settings)
    assert found.name == "pagerank"
    for query in QUERIES:
        answer = uk.changes(query.text, *experiment.interval(query), rank="pagerank")
        assert found.run[query.id] == answer.urls
        top = answer.graph.top(15)
        loops = sum(source == target for source, target in top.arcs_after.tolist())
        assert found.figures[query.id]["edges_after"] == len(top.arcs_after) - loops
    assert found.mean("recall") == 1.0
    assert found.series("mrr").tolist() == [found.figures["1"]["mrr"], found.figures["2"]["mrr"]]
    text = experiment.ask_bm25(settings)
    assert text.mean("ndcg15") < found.mean("ndcg15")
    # the other month of the last one is the one before
    assert experiment.interval(QUERIES[1], is_other=True) == ("2026-01", "2026-02")
    assert experiment.ask(settings, is_other=True).mean("mrr") < found.mean("mrr")
    # once for each text and time, and once more where more are wanted
    assert len(asked) == len(set(asked)) <= 6


def test_a_query_that_cannot_be_read_is_named(uk: ws.Collection) -> None:
    search = ChangeSearch(uk)

    def refuse(query: str, label: str, number: int) -> QuerySeeds:
        raise QueryError("query, column 1: the quotation has no end", query)

    search.stages = replace(search.stages, seeds=refuse)
    with pytest.raises(QueryError, match="query 1, column 1: the quotation has no end") as caught:
        SearchExperiment(search, QUERIES, RIGHT).check_queries()
    assert caught.value.excerpt == "flood"
