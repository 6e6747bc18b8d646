"""Change rates estimated from visits, compared with a general optimizer and with the truth."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.schedule import reference
from webstrata.crawl.schedule import estimate_rates
from webstrata.crawl.schedule.rates import FASTEST, SLOWEST
from webstrata.errors import UsageError

visit_lists = st.lists(st.tuples(st.floats(0.01, 100), st.booleans()), min_size=1, max_size=8)


@given(st.lists(visit_lists, min_size=1, max_size=4))
def test_rates_are_those_of_greatest_likelihood(pages: list[list[tuple[float, bool]]]) -> None:
    numbers = [number for number, visits in enumerate(pages) for _ in visits]
    tau, changed = zip(*[visit for visits in pages for visit in visits], strict=True)
    found = estimate_rates(numbers, tau, changed)
    for visits, rate in zip(pages, found.rates, strict=True):
        prior = float(found.groups[-1][0])
        assert rate == pytest.approx(reference.most_likely_rate(visits, prior), rel=1e-4)
    assert np.all((found.low <= found.rates) & (found.rates <= found.high))
    assert np.all((found.low >= SLOWEST * 0.999) & (found.high <= FASTEST * 1.001))


def observe(visits: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pages of 40 hosts whose rates resemble each other: true rates, hosts, and what visits found."""
    random = np.random.default_rng(seed)
    hosts = np.arange(2_000) // 50
    rates = np.exp(random.normal(-1.5, 1, 40))[hosts] * np.exp(random.normal(0, 0.7, 2_000))
    pages = np.repeat(np.arange(2_000), visits)
    tau = random.uniform(0.5, 3, len(pages))
    return rates, hosts, pages, tau, random.random(len(pages)) < -np.expm1(-rates[pages] * tau)


def miss(found: np.ndarray, true: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.log(found / true) ** 2)))


def test_pages_with_few_visits_borrow_from_their_host() -> None:
    for visits in (1, 3):
        true, hosts, *seen = observe(visits)
        alone = estimate_rates(*seen, num_pages=2_000)
        borrowed = estimate_rates(*seen, num_pages=2_000, groups=[hosts])
        assert miss(borrowed.rates, true) < 0.85 * miss(alone.rates, true)


def test_estimates_come_nearer_to_the_truth_with_every_visit() -> None:
    misses = []
    for visits in (1, 10, 30):
        true, hosts, *seen = observe(visits)
        misses.append(miss(estimate_rates(*seen, num_pages=2_000, groups=[hosts]).rates, true))
    assert misses == sorted(misses, reverse=True)
    assert misses[-1] < 0.4


def test_intervals_contain_the_true_rate_as_often_as_they_say() -> None:
    true, hosts, *seen = observe(30)
    found = estimate_rates(*seen, num_pages=2_000, groups=[hosts])
    assert 0.94 <= np.mean((found.low <= true) & (true <= found.high)) <= 0.98


def test_a_page_seen_once_has_the_rate_of_its_group() -> None:
    found = estimate_rates([0, 0, 1], [1, 1, 1], [1, 1, 0], num_pages=4, groups=[[0, 1, 0, 1]])
    assert found.rates[2:] == pytest.approx(found.groups[0], rel=1e-9)
    assert found.visits.tolist() == [2, 1, 0, 0]
    assert pl.DataFrame(found)["changes"].to_list() == [2, 0, 0, 0]


def test_no_visits_at_all_give_the_prior_everywhere() -> None:
    assert estimate_rates([], [], [], num_pages=2).rates == pytest.approx([1.0, 1.0], rel=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"intervals": [1.0]}, "one entry per observation"),
        ({"pages": [0, 9]}, "page numbers must be"),
        ({"intervals": [1.0, 0.0]}, "days above 0"),
        ({"groups": [[0]]}, "each level of groups"),
    ],
)
def test_observations_that_do_not_fit_are_refused_in_one_sentence(
    change: dict[str, object], said: str
) -> None:
    whole = {"pages": [0, 1], "intervals": [1.0, 2.0], "changed": [True, False], "num_pages": 2}
    with pytest.raises(UsageError, match=said):
        estimate_rates(**{**whole, **change})  # type: ignore[arg-type]
