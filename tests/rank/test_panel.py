"""Hosts through time as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import webstrata as ws
from tests.graph.releases.written import ARCS, HOSTS, pagerank, write_release
from webstrata import testing
from webstrata.errors import MissingError, UsageError
from webstrata.rank import panel as module
from webstrata.rank.panel import write_panel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cc(tmp_path: Path) -> ws.Collection:
    """Three releases: a host vanishes, and another appears."""
    collection = ws.create(tmp_path / "cc")
    collection.add("2026-01").ingest(webgraph=write_release(tmp_path / "1", ranks=True))
    later = [name for name in HOSTS if name != "com.a"] + ["net.new"]
    arcs = [arc for arc in ARCS if "com.a" not in arc] + [("net.new", "org.commoncrawl")]
    for date in ("2026-02", "2026-03"):
        collection.add(date).ingest(webgraph=write_release(tmp_path / date, later, arcs))
    return collection


@pytest.mark.parametrize("block", [1, 2, 1000])
def test_every_host_has_a_row_in_each_snapshot_that_has_it(
    cc: ws.Collection, tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    result = write_panel(cc, tmp_path / "panel.parquet")
    rows = pq.read_table(tmp_path / "panel.parquet").to_pylist()
    assert (result.num_rows, result.num_hosts) == (15, 6) == (len(rows), len({row["host"] for row in rows}))
    lives = {row["host"]: (row["first_seen"], row["last_seen"], row["num_snapshots"]) for row in rows}
    assert lives["a.com"] == ("2026-01", "2026-01", 1)
    assert lives["new.net"] == ("2026-02", "2026-03", 2)
    assert lives["www.commoncrawl.org"] == ("2026-01", "2026-03", 3)
    keys = [(",".join(reversed(row["host"].split("."))) + ")", row["snapshot"]) for row in rows]
    assert keys == sorted(keys)


def test_degrees_and_both_ranks_are_those_of_each_snapshot(cc: ws.Collection, tmp_path: Path) -> None:
    rows = cc.panel(tmp_path / "panel.parquet", methods=["pagerank", "harmonic"]).to_arrow().to_pylist()
    found = {(row["host"], row["snapshot"]): row for row in rows}
    first = found["commoncrawl.org", "2026-01"]
    assert (first["indegree"], first["outdegree"], first["pages"]) == (2, 1, None)
    assert first["pagerank_rank"] == 1
    assert first["pagerank"] == pytest.approx(pagerank(HOSTS, ARCS)["org.commoncrawl"])
    assert first["published_pagerank"] == pytest.approx(first["pagerank"])
    assert first["published_harmonic_position"] == 1
    assert found["commoncrawl.org", "2026-02"]["published_pagerank"] is None
    assert found["new.net", "2026-02"]["outdegree"] == 1


def test_pages_of_hosts_are_counted_where_they_are_known(tmp_path: Path) -> None:
    uk = testing.collection()
    table = write_panel(uk, tmp_path / "panel.parquet", methods=[]).to_arrow()
    june = [row for row in table.to_pylist() if row["snapshot"] == "2026-06"]
    assert sum(row["pages"] for row in june) == len(uk["2026-06"].urls)
    assert [row["host"] for row in june] == uk["2026-06"].host_graph.names


def test_some_snapshots_are_chosen_by_their_dates(cc: ws.Collection, tmp_path: Path) -> None:
    result = cc.panel(tmp_path / "panel.parquet", snapshots=["2026-02..2026-03"])
    assert result.snapshots == ("2026-02", "2026-03")
    assert result.preview(2)[0].num_rows == 2


def test_a_panel_that_cannot_be_made_writes_nothing(cc: ws.Collection, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="trustrank: not a method of ranks without a preference"):
        cc.panel(tmp_path / "panel.parquet", methods=["trustrank"])
    with pytest.raises(MissingError, match="no such folder"):
        cc.panel(tmp_path / "no" / "panel.parquet")
    cc.add("2026-04")
    with pytest.raises(MissingError, match="2026-04 has no graph"):
        cc.panel(tmp_path / "panel.parquet")
    assert not (tmp_path / "panel.parquet").exists()
