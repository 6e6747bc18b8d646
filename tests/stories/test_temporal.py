"""`webstrata temporal`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_stats_have_the_tables_of_the_paper(crawled_months: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["temporal", "stats", str(crawled_months), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    uk = ws.open(crawled_months)
    assert [row["arcs"] for row in document["sizes"]] == [snapshot.graph.num_arcs for snapshot in uk]
    assert all(row["captures"] > row["pages"] > 0 and row["warc_bytes"] for row in document["sizes"])
    hosts = [len({url.split("/")[2] for url in snapshot.urls}) for snapshot in uk]
    assert [document["hosts"][number][number] for number in range(2)] == hosts
    static = [{url for url in snapshot.urls if "?" not in url} for snapshot in uk]
    assert document["urls"][0] == [len(static[0]), len(static[0] & static[1])]
    union = uk.temporal
    assert sum(document["arc_ages"]) == union.forward.num_arcs
    assert document["union"][0]["bits_per_instance"] > 0
    assert run(["temporal", "stats", str(crawled_months)]) == 0
    said = capsys.readouterr().out
    for title in (
        "aligned by static",
        "Snapshots\n",
        "Hosts in common\n",
        "URLs in common\n",
        "bits per link instance",
    ):
        assert title in said


def test_bias_is_told_with_the_truth_beside_it(
    crawled_months: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["temporal", "bias", str(crawled_months), "--replicates", "20"]
    assert run([*words, "--invitro", "tiny", "--invitro-seed", "7", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    # the crawl was whole: what it lacks of the truth are dynamic pages, which are in no union
    assert {cuts["end"] for cuts in document["cuts"]} == {"exhausted"}
    assert all(
        cuts["frontier_left"] == 0 and sum(cuts["depths"]) >= cuts["pages"] for cuts in document["cuts"]
    )
    assert set(document["truth"]) == set(document["estimates"])
    assert len(document["tightened"]) == 13
    assert run(words) == 0
    said = capsys.readouterr().out
    for title in ("What was cut off", "Pages by depth", "draws of hosts", "done again with less of a limit"):
        assert title in said
