"""What a run needs is said before it starts, and refused where it cannot be had."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.rank.spectra import reference
from webstrata.errors import DiskFullError, UsageError
from webstrata.rank.spectra.matrix import CoreMatrix
from webstrata.rank.spectra.plan import Plan, make_plan
from webstrata.rank.spectra.subspaces import find_subspaces

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.graph import Graph


def core_of(graph: Graph) -> CoreMatrix:
    """The matrix of a graph's core."""
    return CoreMatrix(graph, find_subspaces(graph))


CHAIN = reference.to_graph([[node + 1] for node in range(49)] + [[]])


def test_a_basis_goes_to_disk_where_memory_is_short() -> None:
    core = core_of(CHAIN)
    assert core.quotient.size == 50
    needed = make_plan(core, 20, memory=1 << 30)
    assert needed.basis == 8 * 21 * 50
    assert not needed.is_on_disk
    assert make_plan(core, 20, memory=needed.basis + needed.others - 1).is_on_disk
    # all of it is a dense matrix, and there is no basis
    assert make_plan(core, 50).basis == 0


def test_more_than_the_core_is_refused_and_more_than_there_are_rows_is_not() -> None:
    with pytest.raises(UsageError, match="n_A is 51, and the core has 50 nodes; take an n_A of at most 50"):
        make_plan(core_of(CHAIN), 51)
    star = core_of(reference.to_graph([[21], *[[0]] * 20, []]))
    assert make_plan(star, 22).rows < 22


def test_matrices_that_only_fit_on_disk_are_refused(tmp_path: Path) -> None:
    plan = Plan(10**7, 10**8, 10**8, 1 << 50, 1 << 55, 1 << 30)
    with pytest.raises(UsageError, match="GiB are free; take a smaller n_A"):
        plan.check_disk(tmp_path)


class _Usage(NamedTuple):
    free: int


def test_a_disk_that_is_too_small_is_said_with_what_would_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(100, 1000, 1000, 8 * 101 * 1000, 10, 1000)
    plan.check_disk(tmp_path / "not" / "there")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: _Usage(8 * 1000 * 50))
    with pytest.raises(DiskFullError, match=r"take an n_A of at most 49$"):
        plan.check_disk(tmp_path)
