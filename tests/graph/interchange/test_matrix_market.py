"""Matrix Market files of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError
from webstrata.graph.interchange.matrix_market import open_matrix_market

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "%%MatrixMarket matrix coordinate"


def test_a_symmetric_matrix_has_its_arcs_both_ways(tmp_path: Path) -> None:
    (tmp_path / "g.mtx").write_text(f"{HEAD} real symmetric\n% a comment\n3 3 2\n2 1 0.5\n3 3 1\n")
    blocks = list(open_matrix_market(tmp_path / "g.mtx").blocks)
    pairs = {pair for s, t in blocks for pair in zip(s.tolist(), t.tolist(), strict=True)}
    assert pairs == {(1, 0), (0, 1), (2, 2)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("3 3 1\n1 1\n", "line 1: expected %%MatrixMarket"),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n", "only sparse matrices"),
        (f"{HEAD} pattern general\n3 4 1\n1 1\n", "line 2: expected rows, as many columns"),
        (f"{HEAD} pattern general\n", "line 1: expected rows|line 2: expected rows"),
        (f"{HEAD} pattern general\n3 3 1\n0 1\n", "line 3: expected two node numbers from 1 to 3, got '0 1'"),
        (f"{HEAD} pattern general\n3 3 2\n1 1\n", "1 entries are there, and 2 were promised"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "g.mtx").write_text(content)
    with pytest.raises(FormatError, match=message):
        list(open_matrix_market(tmp_path / "g.mtx").blocks)
