"""Weights: the formulas written plainly, what other libraries compute, and rows of several snapshots."""

from __future__ import annotations

import subprocess
import sys
from math import log
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.summaries import Archive, SummariesSettings, Vocabulary, make_rows, write_archive
from webstrata.summaries.weights import WEIGHTS

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "a cat is a feline and likes to purr",
    "a dog is the human's best friend and loves to play",
    "a bird is a beautiful animal that can fly",
    "a fish is a creature that lives in water and swims",
]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    tokens = [text.split() for text in TEXTS]
    vocabulary = sorted({word for words in tokens for word in words})
    pages = [(len(words), {vocabulary.index(word): words.count(word) for word in words}) for words in tokens]
    return write_archive(tmp_path, make_rows(pages), texts=vocabulary)


def test_bm25_is_what_a_trusted_library_computes_of_the_same_tokens(archive: Archive) -> None:
    # what bm25s 0.3.16 says by BM25(method="lucene", k1=1.2, b=0.75) to queries of one word
    known = {
        "cat": [0.5706033, 0.0, 0.0, 0.0],
        "a": [0.067756, 0.046009, 0.067756, 0.0640489],
        "and": [0.1690403, 0.1557533, 0.0, 0.1557533],
        "that": [0.0, 0.0, 0.3285058, 0.3026844],
        "human's": [0.0, 0.5257523, 0.0, 0.0],
    }
    matrix = archive.matrix("bm25").toarray()
    for word, scores in known.items():
        number = archive.terms.find(word)
        assert number is not None
        assert matrix[:, number] == pytest.approx(scores, rel=1e-5)


pages = st.lists(
    st.tuples(st.integers(1, 500), st.dictionaries(st.integers(0, 12), st.integers(1, 9), max_size=8)),
    min_size=2,
    max_size=12,
)


@settings(max_examples=16)
@given(pages=pages, weight=st.sampled_from(WEIGHTS), coding=st.sampled_from(["contexts", "codes"]))
def test_weights_are_their_formulas(
    pages: list[tuple[int, dict[int, int]]], weight: str, coding: str, tmp_path: Path
) -> None:
    archive = write_archive(
        tmp_path, make_rows(pages), num_terms=13, settings=SummariesSettings(coding=coding)
    )
    matrix = archive.matrix(weight)
    number = len(pages)
    df = [sum(term in counts for _, counts in pages) for term in range(13)]
    cf = [sum(counts.get(term, 0) for _, counts in pages) for term in range(13)]
    mean = sum(length for length, _ in pages) / number
    expected = np.zeros((number, 13))
    for row, (length, counts) in enumerate(pages):
        for term, tf in counts.items():
            shares = [page.get(term, 0) / cf[term] for _, page in pages]
            entropy = 1 + sum(share * log(share) for share in shares if share) / log(number)
            expected[row, term] = {
                "tf": tf,
                "tf-idf": tf * (log((1 + number) / (1 + df[term])) + 1),
                "bm25": log(1 + (number - df[term] + 0.5) / (df[term] + 0.5))
                * tf
                / (tf + 1.2 * (0.25 + 0.75 * length / mean)),
                "log-entropy": log(1 + tf) * entropy,
            }[weight]
        if weight == "tf-idf" and counts:
            expected[row] /= np.linalg.norm(expected[row])
    assert matrix.toarray() == pytest.approx(expected, abs=1e-12)
    assert matrix.has_sorted_indices
    rows = list(range(number))[::-2]
    part = archive.subset(rows[::-1]).matrix(weight).toarray()
    assert archive.matrix(weight, rows).toarray() == pytest.approx(expected[rows], abs=1e-12)
    assert part == pytest.approx(expected[rows[::-1]], abs=1e-12)


def test_rows_of_two_snapshots_have_the_same_columns_and_statistics(tmp_path: Path) -> None:
    may = write_archive(tmp_path / "may", make_rows([(5, {0: 1, 1: 4}), (3, {1: 3})]), texts=["eel", "fish"])
    june = write_archive(tmp_path / "june", make_rows([(4, {0: 1, 1: 3})]), texts=["fish", "shark"])
    # one archive of all pages says what the two say together
    both = write_archive(
        tmp_path / "both",
        make_rows([(5, {0: 1, 1: 4}), (3, {1: 3}), (4, {1: 1, 2: 3})]),
        texts=["eel", "fish", "shark"],
    )
    common = Vocabulary([may, june])
    assert common.texts == both.terms.texts()
    for weight in WEIGHTS:
        parts = [archive.matrix(weight, vocabulary=common).toarray() for archive in (may, june)]
        assert np.vstack(parts) == pytest.approx(both.matrix(weight).toarray(), abs=1e-12)
    often = Vocabulary([may, june.subset([0])], min_df=2)
    assert often.texts == ["fish"]
    assert june.matrix(vocabulary=often).toarray().tolist() == [[1]]
    with pytest.raises(ValueError, match="expected one that was made of <Archive of 3"):
        both.matrix(vocabulary=common)


def test_what_is_no_weight_is_refused(archive: Archive) -> None:
    with pytest.raises(ValueError, match="expected one of tf, tf-idf, bm25, log-entropy, got 'idf'"):
        archive.matrix("idf")
    with pytest.raises(ValueError, match="k1, b: expected"):
        archive.matrix("bm25", b=2)


def test_who_builds_archives_need_not_load_scipy() -> None:
    code = (
        "import sys, webstrata.summaries; print([name for name in sys.modules if name.startswith('scipy')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
