"""The 24 features of a page, each against its formula."""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.classify import reference
from tests.classify.web import PAGES
from tests.sealing import seal
from webstrata.classify.features.pages import NAMES, PART, PageMeter, find_lists, page_features, read_lists
from webstrata.classify.features.word_lists import WordLists
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, FormatError

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws
    from webstrata.collection.progress import Task

WORDS = ["fish", "Sea", "größe", "GRÖSSE", "can't", "32.3", "日本", "_x_", "reef", "a", "İstanbul", "pills"]
LISTED = tuple(f"word{place}" for place in range(90))
texts = st.lists(st.sampled_from([*WORDS, *LISTED[::9], ", ", ". ", "\n", "&", "—"]), max_size=60).map(
    " ".join
)
lists = st.lists(
    st.sampled_from([word.casefold() for word in WORDS if word != "日本"] + ["本"]), unique=True, max_size=8
)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(texts, texts | st.text(max_size=40)), min_size=1, max_size=5),
    lists,
    st.none() | lists.filter(bool),
    st.integers(2, 4),
)
def test_every_feature_is_what_its_formula_says(
    pages: list[tuple[str, str]], corpus: list[str], queries: list[str] | None, ngram: int
) -> None:
    # so long that some of its words belong to the longer lists alone
    popular = (*corpus, *LISTED, *(f"x{place}" for place in range(100)), "zebra")
    given_lists = WordLists(popular, None if queries is None else tuple(queries))
    meter = PageMeter(given_lists, ngram=ngram)
    titles, bodies = (pa.array(column, pa.string()) for column in zip(*pages, strict=True))
    anchors, sizes = np.arange(len(pages)) * 2.0, np.arange(len(pages)) * 100.0
    found = meter.measure(titles, bodies, anchor_words=anchors, html_bytes=sizes)
    for place, (title, text) in enumerate(pages):
        wanted = reference.measure_page(
            title,
            text,
            corpus=popular,
            queries=queries,
            ngram=ngram,
            anchor_words=anchors[place],
            html_bytes=sizes[place],
        )
        values = dict(zip(NAMES, found[place].tolist(), strict=True))
        compression = values.pop("compression")
        assert values == pytest.approx(wanted, rel=1e-6, abs=1e-6, nan_ok=True)
        assert math.isnan(compression) is (text == "")


def test_compression_is_about_that_of_zlib() -> None:
    rng = np.random.default_rng(5)
    repeated = "cheap pills " * 300
    mixed = " ".join(WORDS[place] + str(place * place) for place in rng.integers(len(WORDS), size=800))
    found = PageMeter(WordLists()).measure(pa.array(["", ""]), pa.array([repeated, mixed]))
    for row, text in zip(found, (repeated, mixed), strict=True):
        wanted = len(text.encode()) / len(zlib.compress(text.encode(), 6))
        assert row[NAMES.index("compression")] == pytest.approx(wanted, rel=0.1)


def test_a_level_counts_the_words_of_the_shorter_lists_too() -> None:
    popular = tuple(f"w{place}" for place in range(1000))
    text = "w0 w150 w499 w500 w999 w999 other"
    [found] = PageMeter(WordLists(popular)).measure(pa.array([""]), pa.array([text]))
    values = dict(zip(NAMES, found.tolist(), strict=True))
    precision = [values[f"corpus_precision_{size}"] * 7 for size in reference.SIZES]
    assert precision == pytest.approx([1, 2, 3, 6])
    recall = [values[f"corpus_recall_{size}"] * size for size in reference.SIZES]
    assert recall == pytest.approx([1, 2, 3, 5])


def test_pages_of_a_snapshot_are_measured_once_and_kept(snapshot: ws.Snapshot, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("cheap pills\ncheap fish")
    chosen = ClassifySettings(query_words=str(tmp_path / "log.txt"))
    found = page_features(snapshot, chosen)
    record = snapshot.parts.record(PART)
    np.testing.assert_array_equal(page_features(snapshot, chosen), found)
    assert snapshot.parts.record(PART) == record
    known = read_lists(snapshot)
    assert known == find_lists(snapshot, chosen)
    assert known.queries == ("cheap", "pills", "fish")
    for node, url in enumerate(snapshot.urls):
        page = snapshot.text[node]
        wanted = reference.measure_page(
            page.title,
            page.text,
            corpus=known.corpus,
            queries=known.queries,
            ngram=3,
            anchor_words=sum(len(link.anchor.split()) for link in snapshot.links[node]),
            html_bytes=len(f"<html><body>{PAGES[url]}</body></html>".encode()),
        )
        values = dict(zip(NAMES, found[node].tolist(), strict=True))
        values.pop("compression")
        assert values == pytest.approx(wanted, rel=1e-5, nan_ok=True), url
    assert len(page_features(snapshot, ClassifySettings(ngram=2))) == len(found)
    assert snapshot.parts.record(PART) != record


def test_a_table_of_something_else_is_refused(snapshot: ws.Snapshot) -> None:
    page_features(snapshot, ClassifySettings())
    path = snapshot.path / PART / "features.parquet"
    kept = path.read_bytes()
    try:
        for content in (b"nothing", (snapshot.path / PART / "words.parquet").read_bytes()):
            path.write_bytes(content)
            seal(snapshot, PART)
            with pytest.raises(FormatError, match="make the features again"):
                page_features(snapshot, ClassifySettings())
    finally:
        path.write_bytes(kept)
        seal(snapshot, PART)


class Stopped(Progress):
    """Is cancelled when pages are being measured."""

    def opened(self, task: Task) -> None:
        if task.title == "measuring pages":
            self.cancel()


def test_what_is_cancelled_leaves_what_was_there(snapshot: ws.Snapshot) -> None:
    page_features(snapshot, ClassifySettings())
    record = snapshot.parts.record(PART)
    with pytest.raises(Cancelled):
        page_features(snapshot, ClassifySettings(ngram=5), Stopped())
    assert snapshot.parts.record(PART) == record
    assert not list(snapshot.path.glob(".building/*"))
