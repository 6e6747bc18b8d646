"""The figures of the in-vitro web: what is asked for, and what is read from the answer."""

from __future__ import annotations

import re

import pytest

from bench.frame import BenchError
from bench.invitro import LUA, choose_pages, read_sums
from webstrata.invitro import Web


def test_the_pages_of_a_figure_are_the_same_each_time_and_can_be_fetched() -> None:
    web = Web("tiny", seed=7)
    pages = choose_pages(web, 50)
    assert len(set(pages)) == 50
    assert pages == choose_pages(Web("tiny", seed=7), 50)
    assert {(web.facts(url) or {})["status"] for url in pages} == {200}


def test_a_run_with_failed_requests_is_no_figure() -> None:
    with pytest.raises(BenchError, match="30 of 1000 requests failed"):
        read_sums("sums 1000 1000000 1 30\n")
    with pytest.raises(BenchError, match="without an answer"):
        read_sums("")


def test_the_script_of_the_client_prints_what_is_read() -> None:
    assert re.search(r'"\\nsums %d %d %d %d\\n"', LUA)
