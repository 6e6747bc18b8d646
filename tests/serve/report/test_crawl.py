"""The sheet of crawls has a row for each crawl, with its rates and its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.crawl.report import read_report
from webstrata.serve.report.crawl import make_crawls
from webstrata.serve.report.sheet import Missing, Sheet

if TYPE_CHECKING:
    from pathlib import Path


def test_every_crawl_has_a_row_of_rates_and_a_row_of_errors(whole: Path) -> None:
    (sheet,) = make_crawls(ws.open(whole))
    assert isinstance(sheet, Sheet)
    rates, errors, hosts = sheet.tables
    for row, answers, snapshot in zip(rates.rows, errors.rows, ws.open(whole), strict=True):
        counters = read_report(snapshot).result.counters
        assert row[:3] == [snapshot.date, counters["pages"], counters["duplicates"]]
        assert answers[errors.columns.index("2xx")] == counters["status_2xx"] > 200
    assert "URLs that robots.txt forbids" in errors.columns
    assert sum(row[1] for row in hosts.rows) == 287
    assert {"crawl-answers", "crawl-hosts", "crawl-depth"} <= {figure.name for figure in sheet.figures}


def test_pages_that_were_ingested_have_no_crawl_to_tell_of(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    uk.add("2026-06")
    (missing,) = make_crawls(uk)
    assert isinstance(missing, Missing)
    assert missing.command.endswith("uk 2026-06 --seeds seeds.txt")
