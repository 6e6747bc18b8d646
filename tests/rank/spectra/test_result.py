"""A spectrum is what it was after it has been stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.rank.spectra import reference
from webstrata.errors import FormatError, MissingError
from webstrata.graph import Graph
from webstrata.rank import spectrum
from webstrata.rank.spectra import open_spectrum

if TYPE_CHECKING:
    from pathlib import Path


def test_all_of_it_comes_back_from_files(tmp_path: Path) -> None:
    lists = [[1], [0], [0], [4, 5], [3], []]
    names = [f"http://{host}.example/" for host in "abcdef"]
    found = spectrum(reference.to_graph(lists), bound=0.9, names=names, vectors=2)
    found.write(tmp_path)
    again = open_spectrum(tmp_path)
    assert again.table() == found.table()
    assert np.array_equal(again.values, found.values)
    assert np.array_equal(again.core, found.core)
    assert np.array_equal(again.nodes, found.nodes)
    assert np.array_equal(again.residuals, found.residuals)
    assert [(one.value, one.community, one.residual) for one in again.vectors] == [
        (one.value, one.community, one.residual) for one in found.vectors
    ]
    for one, other in zip(again.vectors, found.vectors, strict=True):
        assert np.array_equal(one.amplitudes, other.amplitudes)
        assert np.array_equal(one.nodes, other.nodes)


def test_files_that_are_no_spectrum_are_refused(tmp_path: Path) -> None:
    found = spectrum(reference.to_graph([[1], []]))
    found.write(tmp_path)
    (tmp_path / "spectrum.json").write_text("{}")
    with pytest.raises(FormatError, match="this is not a spectrum"):
        open_spectrum(tmp_path)
    found.write(tmp_path)
    (tmp_path / "eigenvalues.parquet").write_bytes(b"PAR1")
    with pytest.raises(FormatError, match=r"build\('spectrum'\)"):
        open_spectrum(tmp_path)
    (tmp_path / "eigenvalues.parquet").unlink()
    with pytest.raises(MissingError, match=r"eigenvalues\.parquet: nothing there to read"):
        open_spectrum(tmp_path)


def test_values_that_have_not_converged_are_not_listed_as_found() -> None:
    random = np.random.default_rng(3)
    graph = Graph.from_arcs(random.integers(0, 400, (1600, 2)).tolist(), num_nodes=400)
    whole, some = spectrum(graph), spectrum(graph, arnoldi=40)
    assert whole.warnings == []
    document = some.to_dict()
    assert document["core"]["unconverged"]
    assert all(row["residual"] < 1e-6 for row in document["core"]["leading"])
    assert all(row["residual"] >= 1e-6 for row in document["core"]["unconverged"])
    listed = len(document["core"]["unconverged"]) + sum(some.residuals[:50] < 1e-6)
    assert listed == min(50, len(some.core))
    assert "have not converged (residual above 1e-06) and are not listed as found" in some.warnings[0]
    assert document["warnings"] == some.warnings
    # what is listed is an eigenvalue, what is not need not be
    for row in document["core"]["leading"]:
        assert np.abs(whole.core - complex(row["real"], row["imaginary"])).min() < 1e-5
    vectors = [vector["converged"] for vector in document["vectors"]]
    assert vectors == [vector.residual < 1e-6 for vector in some.vectors]
