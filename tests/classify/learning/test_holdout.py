"""Official test sets: what they may have in common with what is trained on."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.classify.learning.holdout import match_test, warn_shared
from webstrata.classify.learning.labels import Labels
from webstrata.errors import MissingError, UsageError

HOSTS = [f"{number}.org" for number in range(12)]


def _labels(name: str, numbers: range) -> Labels:
    return Labels(name, {"spam": {f"{number}.org": number % 2 == 0 for number in numbers}})


def test_hosts_of_both_files_keep_their_sides() -> None:
    rows, truth, measured, unknown = match_test(
        _labels("train.csv", range(6)), _labels("test.csv", range(6, 12)), "spam", HOSTS
    )
    assert rows.tolist() == list(range(12))
    assert measured.tolist() == [False] * 6 + [True] * 6
    assert truth.tolist() == [number % 2 == 0 for number in range(12)]
    assert unknown == []


def test_a_test_set_with_unknown_or_trained_hosts_is_one_sentence() -> None:
    train = _labels("train.csv", range(6))
    with pytest.raises(
        UsageError, match=r"test\.csv: 3 labelled hosts are not in the snapshot: 12\.org"
    ) as raised:
        match_test(train, _labels("test.csv", range(6, 15)), "spam", HOSTS)
    assert "\n" not in str(raised.value)
    with pytest.raises(UsageError, match=r"test\.csv: 4\.org and 1 more are labelled in train\.csv too"):
        match_test(train, _labels("test.csv", range(4, 10)), "spam", HOSTS)
    with pytest.raises(MissingError, match="a test set needs 2 hosts of each kind"):
        match_test(train, _labels("test.csv", range(6, 8)), "spam", HOSTS)


def test_test_hosts_of_trained_groups_are_counted() -> None:
    measured = np.array([False, False, True, True])
    assert warn_shared(np.array([0, 1, 1, 2]), measured)[0].startswith("1 of 2 test hosts")
    assert warn_shared(np.array([0, 1, 2, 3]), measured) == []
