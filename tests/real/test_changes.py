"""Change search on a real history: subjects of commits find the pages that these added or rewrote."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from bench.change_questions import LISTING, read_questions
from webstrata.graph.build import build_graph
from webstrata.search.build import build_text_index
from webstrata.search.change import ChangeSearch
from webstrata.search.change.settings import RANKS, ChangesSettings
from webstrata.search.evaluate.experiment import SearchExperiment
from webstrata.search.evaluate.queries import TimedQuery
from webstrata.store.ingest.run import ingest
from webstrata.summaries.build import build_summaries
from webstrata.summaries.settings import SummariesSettings
from webstrata.temporal.build import build_union

if TYPE_CHECKING:
    from pathlib import Path

STATES = ("2018-10-23", "2020-01-03", "2021-03-15")


@pytest.fixture(scope="module")
def asked(test_data: Path, tmp_path_factory: pytest.TempPathFactory) -> SearchExperiment:
    history = test_data / "history" / "flink-web"
    if not history.is_dir():
        pytest.skip(f"{history} is not there; change search is tested on the history in it")
    collection = ws.create(tmp_path_factory.mktemp("changes") / "flink")
    for label in STATES:
        snapshot = collection.add(label)
        ingest(snapshot, [history / f"{label}.warc.gz"])
        build_graph(snapshot)
        build_summaries(snapshot, SummariesSettings(min_df=1))
    build_union(collection, list(collection))
    build_text_index(collection)
    queries, right = [], {}
    for question in read_questions("flink"):
        after = next((label for label in STATES[1:] if question.date <= label), None)
        if (
            after is None
            or question.date <= STATES[0]
            or not set(question.right) <= set(collection[after].urls)
        ):
            continue
        queries.append(TimedQuery(question.commit, question.subject, after))
        right[question.commit] = dict.fromkeys(question.right, 1)
    assert len(queries) >= 40
    return SearchExperiment(ChangeSearch(collection), queries, right)


@pytest.mark.long
def test_the_default_is_better_than_text_alone_and_no_ranking_is_clearly_better(
    asked: SearchExperiment,
) -> None:
    settings = ChangesSettings()
    found = {rank: asked.ask(replace(settings, rank=rank)).mean("mrr") for rank in RANKS}
    text = asked.ask_bm25(settings).mean("mrr")
    default = found.pop(settings.rank)
    assert default > max(text, 0.6)
    # nearly all right pages of this site are new, and every ranking that sees change is as good
    assert default > max(found.values()) - 0.02
    assert default > max(found[rank] for rank in ("hits", "hits-authority", "hits-hub", "combined")) + 0.1


@pytest.mark.long
def test_lists_of_links_do_not_crowd_the_first_answers(asked: SearchExperiment) -> None:
    run = asked.ask(ChangesSettings()).run
    lists = [sum(LISTING.search(url) is not None for url in urls[:5]) / 5 for urls in run.values()]
    assert sum(lists) / len(lists) < 0.15


@pytest.mark.long
def test_pages_that_do_not_match_are_marked_and_come_last(asked: SearchExperiment) -> None:
    for query in asked.queries[:5]:
        before, after = asked.interval(query)
        rows = list(asked.search.search(query.text, before, after))
        marks = [row.reached_by_links for row in rows]
        assert marks == sorted(marks)
        assert marks == [row.text == 0 for row in rows]
