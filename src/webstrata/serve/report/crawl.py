"""Sheets of crawls: rates and errors of every snapshot, and how the newest crawl went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.makers import find_source, suggest_pages
from webstrata.crawl.report import CrawlReport, read_report
from webstrata.errors import FormatError, WebstrataError
from webstrata.serve.figures.crawl import draw_crawl
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable, to_drawings

if TYPE_CHECKING:
    from webstrata.api import Collection

MAX_HOSTS = 15


def make_crawls(collection: Collection) -> list[Sheet | Missing]:
    """What is known of the crawls of a collection, ended or running.

    Examples
    --------
    >>> from webstrata import testing
    >>> make_crawls(testing.collection())[0].text[0]
    'The pages of this collection were ingested from files: no crawl of webstrata is part of it.'
    """
    reports = [report for report in (_read(collection, label) for label in collection.dates) if report]
    if not reports and find_source(collection.path) == "ingest":
        text = "The pages of this collection were ingested from files: no crawl of webstrata is part of it."
        return [Sheet("crawl", "Crawls", [text])]
    if not reports:
        command = suggest_pages(collection.path, (collection.dates or ["2026-06"])[-1]).command
        return [Missing("crawls", command, "no snapshot was crawled by webstrata; pages may be ingested")]
    last = reports[-1]
    sheet = Sheet(
        "crawl",
        "Crawls",
        [
            f"{len(reports)} of {len(collection)} snapshots were crawled. The pictures are of "
            f"{last.snapshot}: {last.result.pages:,} pages in {last.result.seconds:,.1f} s; {last.ending}."
        ],
        [_rates(reports), _errors(reports), *_hosts(last)],
        to_drawings(draw_crawl(last), "crawl"),
        Action("crawl report", str(collection.path), last.snapshot).command,
    )
    return [sheet]


def _read(collection: Collection, label: str) -> CrawlReport | None:
    try:
        return read_report(collection[label])
    except FormatError:
        raise
    except (WebstrataError, OSError):
        return None  # it was filled otherwise, or its crawl is neither running nor ended


def _rates(reports: list[CrawlReport]) -> SheetTable:
    rows: list[list[Any]] = []
    for report in reports:
        result, counters = report.result, report.result.counters
        rows.append(
            [
                report.snapshot,
                result.pages,
                counters.get("duplicates", 0),
                counters.get("captures", 0),
                counters.get("requests", 0),
                result.hosts,
                result.unresolved_hosts,
                round(result.seconds, 1),
                round(result.rate, 1),
                round(counters.get("bytes", 0) / 1e6, 1),
                round(counters.get("bytes", 0) / 1e6 / max(result.seconds, 1e-9), 2),
                report.ending,
            ]
        )
    columns = ["snapshot", "pages", "duplicates", "captures", "requests", "hosts", "names not resolved"]
    return SheetTable("Rates", [*columns, "seconds", "pages/s", "MB received", "MB/s", "end"], rows)


def _errors(reports: list[CrawlReport]) -> SheetTable:
    names = [f"status_{hundreds}xx" for hundreds in range(2, 6)]
    failed = sorted(
        {name for r in reports for name, n in r.result.counters.items() if name.startswith("failed_") and n}
    )
    skipped = list(dict.fromkeys(reason for report in reports for reason in report.result.skipped()))
    rows = [
        [
            report.snapshot,
            *(report.result.counters.get(name, 0) for name in [*names, *failed]),
            *(report.result.skipped().get(reason, 0) for reason in skipped),
        ]
        for report in reports
    ]
    titles = [name.removeprefix("status_") for name in names]
    titles += [f"failed: {name.removeprefix('failed_')}" for name in failed]
    return SheetTable("Answers, failures, and what was not fetched", ["snapshot", *titles, *skipped], rows)


def _hosts(report: CrawlReport) -> list[SheetTable]:
    if not report.hosts:
        return []
    rows: list[list[Any]] = [[host, pages] for host, pages in report.hosts[:MAX_HOSTS]]
    return [SheetTable(f"Largest hosts of {report.snapshot}", ["host", "pages"], rows)]
