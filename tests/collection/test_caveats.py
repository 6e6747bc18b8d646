"""Warnings that belong to a result."""

from __future__ import annotations

from webstrata.collection.caveats import MIN_HOSTS, warn_few


def test_a_warning_names_the_number_the_least_and_the_consequence() -> None:
    (sentence,) = warn_few(1, MIN_HOSTS, "host", "no interval can be given")
    assert sentence == "computed from 1 host, fewer than 10: no interval can be given"


def test_enough_is_no_reason_to_warn() -> None:
    assert warn_few(MIN_HOSTS, MIN_HOSTS, "host", "no interval can be given") == []
