"""A basis in tiles does what one matrix does, in memory and on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.rank.spectra import basis as module
from webstrata.rank.spectra.basis import Basis

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("on_disk", [False, True])
def test_passes_over_tiles_are_products_with_the_whole_matrix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, on_disk: bool
) -> None:
    monkeypatch.setattr(module, "WIDTH", 10)
    rng = np.random.default_rng(1)
    whole = np.linalg.qr(rng.standard_normal((47, 9)))[0].T
    basis = Basis(47, 12, folder=tmp_path if on_disk else None, workers=3)
    basis.append(whole[:4])
    basis.append(whole[4:])
    assert (basis.size, basis.width) == (9, 10)
    assert np.array_equal(basis.vector(5), whole[5])
    block = rng.standard_normal((3, 47))
    dots = basis.dots(block)
    assert np.allclose(dots, block @ whole.T, atol=1e-14)
    left = block.copy()
    again, gram = basis.subtract(left, dots)
    assert np.allclose(left, block - dots @ whole, atol=1e-14)
    assert np.abs(again).max() < 1e-14
    assert np.allclose(gram, left @ left.T)
    assert np.allclose(basis.combine(dots[:, :6]), dots[:, :6] @ whole[:6])


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    basis = Basis(20, 5)
    vectors = np.linalg.qr(rng.standard_normal((20, 3)))[0].T
    basis.append(vectors[:2])
    basis.save(tmp_path, 0)
    basis.append(vectors[2:])
    basis.save(tmp_path, 2)
    for folder in (None, tmp_path):
        other = Basis(20, 5, folder=folder)
        assert other.load(tmp_path, 3)
        assert other.size == 3
        assert all(np.array_equal(other.vector(place), basis.vector(place)) for place in range(3))
    # the file of another basis, one that was written in part, and none
    assert not Basis(20, 6).load(tmp_path, 3)
    assert not Basis(20, 5).load(tmp_path, 4)
    (tmp_path / "basis").unlink()
    assert not Basis(20, 5).load(tmp_path, 3)
