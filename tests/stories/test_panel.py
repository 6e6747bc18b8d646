"""Web graph releases through time, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from tests.graph.labelled_files import write_labelled
from tests.graph.releases.written import ARCS, HOSTS, write_release
from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_releases_are_ingested_aligned_and_written_as_a_panel(webstrata: Command, tmp_path: Path) -> None:
    write_release(tmp_path / "one", ranks=True)
    write_release(tmp_path / "two", [*HOSTS, "net.new"], [*ARCS, ("net.new", "org.commoncrawl")], files=2)
    webstrata("new", "cc")
    done = webstrata("ingest", "cc", "2026-01", "--webgraph", "one", "--json")
    told = json.loads(done.stdout)
    assert (told["nodes"], told["arcs"], told["ranked"], told["level"]) == (5, 5, 5, "host")
    done = webstrata("ingest", "cc", "2026-04", "--webgraph", "two")
    assert "6 hosts and 6 arcs" in done.stdout, done.stderr
    assert webstrata("align", "cc").returncode == 0
    history = json.loads(webstrata("history", "cc", "commoncrawl.org", "--in", "--json").stdout)
    assert history["snapshots"] == ["2026-01", "2026-04"]
    found = {link["url"]: link["snapshots"] for link in history["inlinks"]}
    assert found["http://new.net/"] == ["2026-04"]
    compared = json.loads(webstrata("compare-ranks", "cc", "2026-01", "--json").stdout)
    assert compared["correlations"]["pagerank"] > 0.999
    done = webstrata("panel", "cc", "--output", "panel.parquet")
    assert done.stdout.startswith("panel.parquet: 11 rows of 6 hosts in 2 snapshots")
    assert pq.read_metadata(tmp_path / "panel.parquet").num_rows == 11
    shown = json.loads(webstrata("show", "cc", "--json").stdout)
    renew = {
        part["renew"]
        for snapshot in shown["snapshots"]
        for part in snapshot["parts"]
        if part["name"] == "graph"
    }
    assert renew == {
        f"webstrata ingest cc {date} --webgraph {folder} --again"
        for date, folder in (("2026-01", "one"), ("2026-04", "two"))
    }
    assert webstrata("check", "cc").returncode == 0


def test_a_release_that_does_not_fit_is_refused_in_a_sentence(webstrata: Command, tmp_path: Path) -> None:
    write_release(tmp_path / "cut", name="cc-host")
    path = tmp_path / "cut" / "cc-host-edges.txt.gz"
    path.write_bytes(path.read_bytes()[:-4])
    webstrata("new", "cc")
    assert_refused(webstrata("ingest", "cc", "2026-01", "--webgraph", "cut"), "cut off or damaged")
    assert_refused(webstrata("ingest", "cc", "2026-01", "--webgraph", "none"), "no such folder|no release")
    assert_refused(
        webstrata("ingest", "cc", "2026-01", "a.warc", "--webgraph", "cut"), "ingests a release whole"
    )
    assert json.loads(webstrata("show", "cc", "--json").stdout)["snapshots"] == []


def test_a_labelled_graph_becomes_snapshots_and_their_union(webstrata: Command, tmp_path: Path) -> None:
    write_labelled(tmp_path / "uk", [(0, 1, 1), (1, 2, 3), (2, 0, 2)])
    (tmp_path / "uk.urls").write_text("http://a.uk/\nhttp://b.uk/\nhttp://c.uk/\n")
    webstrata("new", "union")
    done = webstrata("ingest", "union", "--arc-labels", "uk", "--at", "2006-06,2006-07")
    assert done.returncode == 0, done.stderr
    assert "2 snapshots with 3 nodes, 3 arcs and 4 link instances" in done.stdout
    history = json.loads(webstrata("history", "union", "b.uk", "--json").stdout)
    assert [(link["url"], link["snapshots"]) for link in history["outlinks"]] == [
        ("http://c.uk/", ["2006-06", "2006-07"])
    ]
    assert_refused(webstrata("ingest", "union", "--urls", "uk.urls"), "--urls needs --arc-labels")
