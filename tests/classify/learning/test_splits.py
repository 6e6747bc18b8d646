"""Folds: whole groups, both classes in each, even sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.classify.learning.splits import group_hosts, split_folds
from webstrata.errors import MissingError

hosts = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["", "www.", "x."]), st.integers(0, 5)),
    max_size=30,
)


@settings(max_examples=30)
@given(hosts)
def test_hosts_that_share_a_domain_or_an_address_are_in_one_group(rows: list[tuple[str, str, int]]) -> None:
    names = [f"{prefix}{name}.co.uk" for name, prefix, _ in rows]
    addresses = [f"10.0.0.{number}" if number else None for *_, number in rows]
    groups = group_hosts(names, addresses)
    # as far as chains of shared domains and addresses reach
    together = np.eye(len(rows), dtype=bool)
    for i, (name, _, number) in enumerate(rows):
        for j, (other, _, address) in enumerate(rows):
            together[i, j] |= name == other or (number == address != 0)
    for _ in rows:
        together = together @ together
    assert np.array_equal(groups[:, None] == groups[None, :], together)


@settings(max_examples=30)
@given(st.integers(0, 1000), st.integers(2, 5))
def test_no_group_is_cut_and_every_fold_has_both_classes(seed: int, folds: int) -> None:
    random = np.random.default_rng(seed)
    groups = np.sort(random.integers(0, 40, 120))
    truth = random.random(120) < 0.3
    try:
        fold = split_folds(truth, folds, groups, seed)
    except MissingError:
        return
    for group in np.unique(groups):
        assert len(set(fold[groups == group])) == 1
    for number in range(folds):
        assert {True, False} == set(truth[fold == number])


def test_folds_have_their_share_of_hosts_and_positives() -> None:
    truth = np.arange(500) % 10 == 0
    fold = split_folds(truth, 5, None, seed=1)
    assert np.bincount(fold).tolist() == [100] * 5
    assert np.bincount(fold[truth]).tolist() == [10] * 5
    assert (fold != split_folds(truth, 5, None, seed=2)).any()


def test_too_few_groups_for_the_folds_are_said() -> None:
    truth = np.array([1, 1, 1, 0, 0, 0])
    with pytest.raises(MissingError, match=r"positives are in 1 group of hosts .* too few for 2 folds"):
        split_folds(truth, 2, np.array([0, 0, 0, 1, 2, 3]))
