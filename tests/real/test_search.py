"""Search on real documentation pages: the page that a sentence or some words were taken from is found."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.search_corpora import CORPORA, Query, read_pages, read_queries
from bench.search_quality import ask_fts5, make_collection, measure
from webstrata.search.query import escape
from webstrata.web.html import scan

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws

PROJECT = "http://git.docs.test/"


@pytest.fixture(scope="module")
def pages(test_data: Path) -> dict[str, bytes]:
    """The pages of one project of the documentation set."""
    place = test_data / "docs" / "docs.warc.gz"
    if not place.is_file():
        pytest.skip(f"{place} is not there")
    return {url: body for url, body in read_pages(CORPORA[0], place).items() if url.startswith(PROJECT)}


@pytest.fixture(scope="module")
def queries(test_data: Path, pages: dict[str, bytes]) -> list[Query]:
    """The known-item queries for these pages."""
    return [query for query in read_queries(test_data / "docs" / "queries.tsv") if query.url in pages]


@pytest.fixture(scope="module")
def collection(pages: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """The pages, ingested and indexed with default settings."""
    return make_collection(pages, tmp_path_factory.mktemp("real"))


@pytest.mark.parametrize("kind", ["sentence", "keywords"])
def test_a_known_page_is_found_at_least_as_well_as_by_full_text_search_of_sqlite(
    pages: dict[str, bytes], queries: list[Query], collection: ws.Collection, kind: str
) -> None:
    stored = set(collection.text_index.urls(np.arange(len(collection.text_index))))
    asked = [query for query in queries if query.kind == kind and query.url in stored]
    assert len(asked) >= 20
    ours = measure(asked, [collection.text_index.search(escape(query.text)).urls for query in asked])
    seen = [(url, scan(body, url=url, text=True)) for url, body in pages.items()]
    try:
        theirs = measure(asked, ask_fts5([(url, page.title, page.text) for url, page in seen], asked))
    except sqlite3.OperationalError as error:
        pytest.skip(f"this SQLite has no FTS5: {error}")
    # a query more or less is no difference on so few
    assert ours.recall >= theirs.recall - 1 / len(asked)
    assert ours.mrr >= theirs.mrr - 1 / len(asked)
    assert ours.mrr > 0.5


def test_the_page_of_a_command_is_the_first_answer_for_its_name(
    pages: dict[str, bytes], collection: ws.Collection
) -> None:
    index = collection.text_index
    for name in ("git-bisect", "git-worktree", "git-rerere"):
        assert f"{PROJECT}{name}.html" in pages
        assert index.search(name).urls[0] == f"{PROJECT}{name}.html"
