"""Levels of priority, and the bias between them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.crawl.priorities import (
    MAX_LEVELS,
    Prioritizer,
    breadth_first,
    by_depth,
    by_host,
    by_prefix,
    by_quantile,
    by_score,
    open_priority,
    read_scores,
    selection_weights,
)
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

levels = st.integers(1, MAX_LEVELS)
scores = st.floats(-1e6, 1e6)


@given(levels, st.floats(1, 1e6))
def test_probabilities_sum_to_one_fall_and_leave_no_level_to_starve(count: int, bias: float) -> None:
    weights = selection_weights(count, bias)
    assert weights.shape == (count,)
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(weights) <= 0).all()
    assert (weights > 0).all()


@given(st.integers(2, 20), st.floats(1, 10))
def test_each_level_is_as_much_more_likely_than_the_next_as_the_bias_says(count: int, bias: float) -> None:
    weights = selection_weights(count, bias)
    np.testing.assert_allclose(weights[:-1] / weights[1:], bias)


def test_one_level_is_always_chosen_and_without_bias_all_are_alike() -> None:
    assert selection_weights(1, 5).tolist() == [1.0]
    assert selection_weights(4, 1).tolist() == [0.25] * 4


def test_breadth_first_has_one_level() -> None:
    assert breadth_first().levels == 1
    assert breadth_first()(["http://a/"] * 3, [0, 5, 9]).tolist() == [0, 0, 0]
    assert breadth_first()([], []).tolist() == []


@given(levels, st.lists(st.integers(0, 10**6), max_size=20))
def test_by_depth_the_level_is_the_depth_as_far_as_there_are_levels(count: int, depths: list[int]) -> None:
    chosen = by_depth(count)([f"http://a/{depth}" for depth in depths], depths)
    assert chosen.tolist() == [min(depth, count - 1) for depth in depths]


@given(levels, st.lists(scores, min_size=1, max_size=20), scores, st.floats(1e-3, 1e6))
def test_by_score_a_higher_score_never_waits_longer(
    count: int, values: list[float], lowest: float, width: float
) -> None:
    values = [*sorted(values, reverse=True), lowest + width, lowest, float("-inf"), float("nan")]
    prioritizer = by_score(lambda _: values, count, lowest=lowest, highest=lowest + width)
    chosen = prioritizer([f"http://a/{place}" for place in range(len(values))], [0] * len(values))
    assert (np.diff(chosen[:-4].astype(int)) >= 0).all()
    assert chosen[-4:].tolist() == [0, count - 1, count - 1, count - 1]


def test_by_score_the_steps_are_equal() -> None:
    prioritizer = by_score(lambda urls: np.arange(len(urls)) / len(urls), 4)
    chosen = prioritizer(["http://a/"] * 100, [0] * 100)
    assert np.bincount(chosen).tolist() == [25, 25, 25, 25]


@given(st.dictionaries(st.sampled_from("abcdefgh"), scores), levels)
def test_by_host_all_urls_of_a_host_have_its_level(known: dict[str, float], count: int) -> None:
    prioritizer = by_host(known, count)
    urls = [f"http://{host}{port}/{host}" for host in "abcdefgh" for port in ("", ":8080")]
    chosen = prioritizer(urls, [0] * len(urls)).reshape(-1, 2)
    assert (chosen[:, 0] == chosen[:, 1]).all()
    by_name = dict(zip("abcdefgh", chosen[:, 0].tolist(), strict=True))
    assert all(by_name[host] == count - 1 for host in set("abcdefgh") - set(known))
    ranked = [by_name[host] for host in sorted(known, key=lambda host: -known[host])]
    assert ranked == sorted(ranked)
    if len(set(known.values())) > 1:
        assert ranked[0] == 0


def test_by_host_addresses_keep_their_colons_and_the_default_counts() -> None:
    prioritizer = by_host({"[2001:db8::1]": 1.0, "a.uk": 0.0}, 2, default=1.0)
    urls = ["http://[2001:db8::1]/", "http://[2001:db8::1]:81/", "http://a.uk/", "http://b.uk/"]
    assert prioritizer(urls, [0] * 4).tolist() == [0, 0, 1, 0]


def test_what_a_prioritizer_may_not_return_is_refused() -> None:
    for answer, problem in (
        ([0], "gave 1 levels for a batch of 2 URLs"),
        ([0, 2], "gave levels from 0 to 2; expected 0 to 1"),
        ([-1, 0], "gave levels from -1 to 0; expected 0 to 1"),
        ([0.5, 1], "levels of type float64; expected whole numbers"),
    ):
        prioritizer = Prioritizer(lambda urls, depths, answer=answer: answer, 2)  # type: ignore[misc]
        with pytest.raises(ValueError, match=problem):
            prioritizer(["http://a/", "http://b/"], [0, 0])


def test_numbers_out_of_range_are_mistakes() -> None:
    for count in (0, MAX_LEVELS + 1):
        with pytest.raises(ValueError, match="levels: expected 1 to 256"):
            selection_weights(count)
        with pytest.raises(ValueError, match="levels: expected 1 to 256"):
            by_depth(count)
    for bias in (0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="bias: expected a number from 1"):
            selection_weights(2, bias)
    with pytest.raises(ValueError, match="lowest, highest"):
        by_score(lambda urls: urls, 2, lowest=1, highest=1)
    with pytest.raises(ValueError, match="scores: expected finite"):
        by_host({"a": float("nan")}, 2)


def model_level(score: float, known: list[float], count: int) -> int:
    """The level of a score in plain Python: the share of known scores above it."""
    above = sum(one > score for one in known)
    return min(count * above // len(known), count - 1)


@given(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30), levels)
def test_by_quantile_gives_each_level_its_share_of_the_known_scores(known: list[float], count: int) -> None:
    chosen = by_quantile(lambda _: [*known, float("nan")], known, count)(
        ["http://a/"] * (len(known) + 1), [0] * (len(known) + 1)
    )
    assert chosen.tolist() == [*(model_level(score, known, count) for score in known), count - 1]
    assert chosen[known.index(max(known))] == 0


@given(
    st.dictionaries(
        st.text("ab/", max_size=5).map(lambda path: f"http://h/{path}"),
        st.integers(0, 9).map(float),
        min_size=1,
    ),
    st.lists(st.text("ab/", max_size=8), min_size=1),
    levels,
)
def test_by_prefix_takes_the_longest_prefix_of_a_url(
    known: dict[str, float], paths: list[str], count: int
) -> None:
    urls = [f"http://h/{path}" for path in paths]
    chosen = by_prefix(known, count)(urls, [0] * len(urls))
    for url, level in zip(urls, chosen.tolist(), strict=True):
        prefixes = [prefix for prefix in known if url.startswith(prefix)]
        score = known[max(prefixes, key=len)] if prefixes else None
        expected = count - 1 if score is None else model_level(score, list(known.values()), count)
        assert level == expected


def test_a_file_of_scores_that_is_damaged_is_refused_with_its_line(tmp_path: Path) -> None:
    for text, problem in (
        (
            "a.uk\t1\nb.uk 2\n",
            "line 2: expected a URL or host prefix, a tab and a finite score, got 'b.uk 2'",
        ),
        ("a.uk\tnan\n", "line 1: expected"),
        ("\t1\n", "line 1: expected"),
        ("http://[/\t1\n", "line 1: expected"),
        ("# nothing\n", "it has no scores"),
    ):
        path = tmp_path / "scores.tsv"
        path.write_text(text)
        with pytest.raises(FormatError, match=re.escape(problem)):
            read_scores(path)


def test_a_function_is_found_by_its_name_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "priority_of_a_test.py").write_text(
        "def even(urls, depths):\n    return [d % 2 for d in depths]\n"
    )
    monkeypatch.chdir(tmp_path)
    priority = open_priority("priority_of_a_test:even", 2)
    assert priority(["http://a/", "http://b/"], [2, 3]).tolist() == [0, 1]
    assert "" not in sys.path or sys.path[0] != ""
