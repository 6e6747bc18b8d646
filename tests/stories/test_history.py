"""`webstrata history`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_history_of_a_page_is_that_of_its_months(
    crawled_months: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uk = ws.open(crawled_months)
    union = uk.temporal
    node = max(range(len(union.urls)), key=lambda node: len(set(union.forward.labels(node).tolist())))
    url = union.urls[node]
    assert run(["history", str(crawled_months), url, "--in", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    for number, snapshot in enumerate(uk):
        page = snapshot.urls.get(url)
        there = [link["url"] for link in document["outlinks"] if snapshot.date in link["snapshots"]]
        linked = [] if page is None else [snapshot.urls[int(to)] for to in snapshot.graph.successors(page)]
        assert there == [target for target in linked if "?" not in target]
        assert (snapshot.date in document["snapshots"]) == (page is not None), number
    assert run(["history", str(crawled_months), url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{url}: ")
    assert lines[0].endswith(", of 2026-01 to 2026-02.")
    assert len(lines) == 5 + len(document["outlinks"])


def test_an_unknown_url_is_refused_with_the_nearest(
    crawled_months: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = ws.open(crawled_months).temporal.urls[5]
    assert run(["history", str(crawled_months), f"{known}zzz"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"webstrata: {known}zzz: no snapshot has this page; the nearest are ")
    assert known in said
    assert run(["history", str(crawled_months), "no URL"]) == 2
