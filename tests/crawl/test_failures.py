"""The kinds of failures have one list in Python, and it is the core's."""

from __future__ import annotations

from webstrata._core import crawl as _core
from webstrata.crawl import given_up, results, retries, series
from webstrata.crawl import skip_reasons as cuts
from webstrata.crawl.failures import FAILURES, NAMES


def test_the_names_are_those_of_the_core_in_its_order() -> None:
    assert list(NAMES) == _core.FAILURES


def test_every_kind_reaches_results_reports_series_and_retries() -> None:
    for failure in FAILURES:
        assert failure.counter in results.ATTACKS
        assert failure.counter in series.COLUMNS
        assert failure.name in cuts.REASONS
        assert failure.name in given_up.REASONS
        assert failure.name in retries.KINDS
        assert f"``{failure.name}``" in (given_up.__doc__ or "")
