"""Published ranks, and the part that keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tests.graph.releases.written import HEADER, pack
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError
from webstrata.graph.releases.ranks import StoredRelease, iter_ranks, sort_ranks

if TYPE_CHECKING:
    from pathlib import Path

KEYS = pa.chunked_array([[f"org,{letter})/" for letter in "abcd"]], pa.large_string())


def place(path: Path) -> list[dict[str, object]]:
    with Progress().task("ranks") as task:
        tables = list(sort_ranks(path, KEYS, path.parent, task, memory=1))
    rows: list[dict[str, object]] = pa.concat_tables(tables).to_pylist()
    return rows


def test_ranks_come_in_the_order_of_nodes_with_nulls_for_those_without(tmp_path: Path) -> None:
    lines = ["1\t2.5E3\t2\t0.25\torg.d", "2\t1.5\t1\t0.5\torg.b"]
    rows = place(pack(tmp_path / "r.txt.gz", [HEADER, *lines]))
    assert [row["harmonic_position"] for row in rows] == [None, 2, None, 1]
    assert [row["harmonic"] for row in rows] == [None, 1.5, None, 2500.0]
    assert [row["pagerank"] for row in rows] == [None, 0.5, None, 0.25]


def test_three_dashes_are_no_value_and_columns_go_by_their_names(tmp_path: Path) -> None:
    lines = ["#host_rev\t#n_hosts\t#pr_val\t#hc_val", "org.a\t7\t---\t3.0"]
    [table] = iter_ranks(pack(tmp_path / "r.txt.gz", lines))
    assert table.to_pylist() == [
        {
            "row_key": "org,a)/",
            "harmonic_position": None,
            "harmonic": 3.0,
            "pagerank_position": None,
            "pagerank": None,
        }
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1\t2\t3\t4\torg.a"], "line 1: expected a header as #harmonicc_pos"),
        ([HEADER, "1\tx\t1\t0.5\torg.a"], "from line 2 on: expected 5 columns of ranks"),
        ([HEADER, "1\t1\t1"], "from line 2 on: expected 5 columns of ranks"),
        ([HEADER, "1\t1\t1\t1\torg.zebra"], "it ranks org.zebra, which the vertices do not have"),
        ([HEADER, "1\t1\t1\t1\torg.a", "2\t1\t2\t1\torg.a"], "it ranks org.a twice"),
    ],
)
def test_ranks_that_do_not_fit_are_refused_in_a_sentence(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        place(pack(tmp_path / "r.txt.gz", lines))


def test_a_description_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text("[]")
    with pytest.raises(FormatError, match="does not describe a release"):
        StoredRelease(tmp_path)
