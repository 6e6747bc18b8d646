"""The measure, against the program of the benchmark it is taken from, and the figures published there."""

from __future__ import annotations

import gzip
import json
import statistics
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.floors import require
from bench.frame import digest_tree
from webstrata.errors import FormatError, MissingError
from webstrata.store.main_content import DEFAULT, METHODS, extract
from webstrata.store.main_content.evaluate import (
    Quality,
    TokenCounts,
    count_shingles,
    evaluate,
    read_labelled,
    summarize,
)

if TYPE_CHECKING:
    from pathlib import Path

texts = st.lists(st.sampled_from(["a", "b", "c", "Ä_1", "."]), max_size=12).map(" ".join)


def reference_counts(true: str, pred: str) -> tuple[float, float, float]:
    """`string_shingle_matching` of the benchmark, step by step."""
    import re

    def shingles(text: str) -> Counter[tuple[str, ...]]:
        tokens = re.findall(r"\w+", text or "")
        found = [tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3))]
        return Counter(shingle for shingle in found if shingle)

    true_shingles, pred_shingles = shingles(true), shingles(pred)
    tp = fp = fn = 0.0
    for key in set(true_shingles) | set(pred_shingles):
        tp += min(true_shingles[key], pred_shingles[key])
        fp += max(0, pred_shingles[key] - true_shingles[key])
        fn += max(0, true_shingles[key] - pred_shingles[key])
    total = tp + fp + fn
    return (tp / total, fp / total, fn / total) if total > 0 else (tp, fp, fn)


def reference_summary(counts: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    """`metrics_from_tp_fp_fns` of the benchmark."""

    def precision(tp: float, fp: float, fn: float) -> float:
        if fp == fn == 0:
            return 1.0
        return 0.0 if tp == fp == 0 else tp / (tp + fp)

    def recall(tp: float, fp: float, fn: float) -> float:
        if fp == fn == 0:
            return 1.0
        return 0.0 if tp == fn == 0 else tp / (tp + fn)

    p = statistics.mean(precision(tp, fp, fn) for tp, fp, fn in counts if tp + fp > 0)
    r = statistics.mean(recall(tp, fp, fn) for tp, fp, fn in counts if tp + fn > 0)
    return p, r, 2 * p * r / (p + r)


@given(texts, texts)
def test_a_page_is_counted_as_the_benchmark_counts_it(true: str, pred: str) -> None:
    assert count_shingles(true, pred) == pytest.approx(reference_counts(true, pred))


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_pages_are_summed_up_as_the_benchmark_does(pages: list[tuple[str, str]]) -> None:
    counts = [count_shingles(*page) for page in pages]
    try:
        expected = reference_summary([(page.tp, page.fp, page.fn) for page in counts])
    except (statistics.StatisticsError, ZeroDivisionError):
        return
    assert summarize(counts) == pytest.approx(expected)


def test_nothing_to_count_is_a_quality_of_nothing() -> None:
    assert summarize([TokenCounts(0, 0, 0)]) == (0, 0, 0)
    assert Quality(1, 1, 1, 5, 0).pages_per_second == 0


@pytest.fixture(scope="module")
def qualities(test_data: Path) -> dict[str, Quality]:
    pages = read_labelled(test_data / "content")
    assert len(pages) == 91
    return {
        name: evaluate(pages, lambda body, url: extract(body, url=url, method=name))  # noqa: B023
        for name in METHODS
    }


def test_trafilatura_is_as_good_here_as_its_published_figure(qualities: dict[str, Quality]) -> None:
    # published for 181 pages, of which these are half: F1 .958, precision .938, recall .978
    assert qualities["trafilatura"].f1 == pytest.approx(0.96, abs=0.012)


@pytest.mark.parametrize("method", ["dom", "low-slope", "slope"])
def test_each_method_of_ours_keeps_its_quality(
    qualities: dict[str, Quality], test_data: Path, method: str
) -> None:
    require(f"main-content-{method}", qualities[method].f1, digest_tree(test_data / "content", "content"))


def test_the_default_is_as_good_as_trafilatura_on_these_pages(qualities: dict[str, Quality]) -> None:
    assert qualities[DEFAULT].f1 >= qualities["trafilatura"].f1


def test_sections_of_low_slope_are_better_than_one_plateau(qualities: dict[str, Quality]) -> None:
    assert qualities["low-slope"].f1 > qualities["slope"].f1
    assert qualities["low-slope"].precision > qualities["slope"].precision


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {}}', "{}"])
def test_what_is_no_truth_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "ground-truth.json").write_text(text)
    with pytest.raises(FormatError, match=r"ground-truth\.json: "):
        read_labelled(tmp_path)


def test_pages_that_are_missing_or_damaged_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"ground-truth\.json"):
        read_labelled(tmp_path)
    (tmp_path / "ground-truth.json").write_text(json.dumps({"a": {"articleBody": "x"}}))
    with pytest.raises(MissingError, match=r"a\.html\.gz"):
        read_labelled(tmp_path)
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "a.html.gz").write_bytes(gzip.compress(b"x")[:-3])
    with pytest.raises(FormatError, match=r"a\.html\.gz: this is no gzip file"):
        read_labelled(tmp_path)
