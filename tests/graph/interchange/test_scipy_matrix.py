"""SciPy's files of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.sparse

from webstrata.errors import FormatError
from webstrata.graph.interchange.scipy_matrix import open_scipy_matrix

if TYPE_CHECKING:
    from pathlib import Path


def test_a_matrix_that_is_not_square_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    scipy.sparse.save_npz(tmp_path / "wide.npz", scipy.sparse.coo_array((2, 3)))
    with pytest.raises(FormatError, match="expected a square matrix, got 2 rows of 3"):
        open_scipy_matrix(tmp_path / "wide.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(1))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "wide.npz").read_bytes()[:50])
    for name in ("other", "cut"):
        with pytest.raises(FormatError, match="no sparse matrix of SciPy, or it is cut off"):
            open_scipy_matrix(tmp_path / f"{name}.npz")
