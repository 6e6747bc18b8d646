"""The page of a crawl is whole, says what was counted, and needs nothing from elsewhere."""

from __future__ import annotations

import html
import html.parser
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from webstrata.crawl.given_up import GivenUp
from webstrata.crawl.report import CrawlReport
from webstrata.crawl.results import CrawlResult
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import MissingExtraError
from webstrata.serve.figures.crawl import MAX_POINTS, draw_crawl, find_pauses, thin, write_report

if TYPE_CHECKING:
    from pathlib import Path

GATE = {
    "hosts": 40,
    "refused": 1,
    "seconds": 0.2,
    "examples": [{"origin": "http://f<.example", "score": 0.91, "why": "at or above 0.5"}],
}
COUNTERS = {
    "pages": 1_234,
    "duplicates": 56,
    "requests": 2_000,
    "bytes": 7_000_000,
    "hosts": 3,
    "hosts_closed": 1,
    "status_2xx": 1_900,
    "status_4xx": 90,
    "failed_timeout": 10,
    "disallowed": 77,
    "fetcher_cpu_ns": 10**9,
    "depth_0": 3,
    "depth_1": 1_230,
    "depth_16": 1,
    "unreached": 12,
}


def make(num_rows: int = 20, **more: Any) -> CrawlReport:  # noqa: ANN401
    rows = [
        {
            "seconds": float(second),
            "state": "paused" if 5 <= second < 8 else "running",
            "pages": 60 * second,
            "bytes": 10**6 * second,
            "front": second,
            "required_front": 100,
        }
        for second in range(num_rows)
    ]
    given: dict[str, Any] = {
        "title": "United <Kingdom>",
        "snapshot": "2026-06",
        "result": CrawlResult("max_pages", 20.0, COUNTERS, gate=GATE),
        "settings": CrawlSettings(max_pages=1_234, user_agent="me/1.0 <b>").to_dict(),
        "changes": [
            {"seconds": 3.0, "name": "host_delay", "value": 2.0},
            {"seconds": 4.0, "blacklist": "bad.example"},
        ],
        "rows": rows,
        "hosts": [("a.example", 900), ("b<.example", 300), ("c.example", 34)],
        "given_up": [
            GivenUp("http://d<.example", "timeout", 12),
            GivenUp("http://e.example", "dns", 0),
            GivenUp("http://f<.example", "gate", 77),
        ],
    }
    return CrawlReport(**given | more)


class Balance(html.parser.HTMLParser):
    """Finds out whether every element is closed, and what text there is."""

    EMPTY = frozenset({"meta", "path", "line", "rect"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data.strip())


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(make(), path)
    return path.read_text()


def test_the_page_is_well_formed_and_loads_nothing(page: str) -> None:
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert "<script" not in page
    assert not re.search(r"\bsrc=|href=|@import|url\((?!#)", page)
    assert page.count("<svg") == 9
    for title in (
        "Pages by depth",
        "URLs skipped and responses truncated, by reason",
        "Answers and failures",
        "Sizes of 3 hosts",
    ):
        assert title in page
    assert "16 or more" in page


def test_what_was_counted_is_in_the_tables(page: str) -> None:
    cells = re.findall(r"<tr><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>", page)
    rows = {(html.unescape(name), html.unescape(value)) for name, value in cells}
    assert rows >= {
        ("pages", "1,234"),
        ("answers 4xx", "90"),
        ("failed: timeout", "10"),
        ("URLs that robots.txt forbids", "77"),
        ("hosts given up or full", "1"),
        ("b<.example", "300"),
        ("received", "7.0 MB"),
        ("timeout", "1"),
        ("http://d<.example", "timeout"),
        ("URLs that failed each time, or whose host was given up", "12"),
        ("max_pages", "1234 *"),
        ("user_agent", "me/1.0 <b> *"),
        ("retries", "3"),
        ("hosts judged", "40"),
        ("hosts refused", "1"),
        ("URLs with them, not fetched", "77"),
        ("refused: http://f<.example", "0.910 at or above 0.5"),
        ("3.0 seconds", "host_delay = 2.0"),
        ("4.0 seconds", "bad.example shut out"),
    }
    assert "<h1>Crawl of United &lt;Kingdom&gt;, 2026-06</h1>" in page
    assert "page limit reached" in page


def test_settings_that_are_not_the_default_come_first(page: str) -> None:
    assert page.index(">max_pages<") < page.index(">host_delay<")


def test_pictures_on_one_page_do_not_share_the_names_of_their_clips(page: str) -> None:
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(names)


def test_rates_are_differences_and_pauses_are_shaded() -> None:
    figures = {figure.name: figure.chart.to_dict() for figure in draw_crawl(make())}
    shade, lines = figures["rate"]["layer"]
    assert shade["data"]["values"] == [{"from": 5.0, "to": 8.0}]
    values = [point["value"] for point in lines["data"]["values"] if point["what"] == "pages"]
    assert values == [60.0] * 19
    assert "layer" not in {f.name: f.chart.to_dict() for f in draw_crawl(make(num_rows=5))}["rate"]


def test_a_long_series_is_drawn_with_few_points() -> None:
    [rate] = [figure for figure in draw_crawl(make(num_rows=2_000)) if figure.name == "rate"]
    points = [layer for layer in rate.chart.to_dict()["layer"] if "what" in layer["data"]["values"][0]]
    assert len(points[0]["data"]["values"]) == 2 * (MAX_POINTS - 1)
    assert [row["n"] for row in thin([{"n": n} for n in range(1_000)], 3)] == [0, 500, 999]


def test_a_crawl_of_no_pages_has_a_page_all_the_same(tmp_path: Path) -> None:
    report = CrawlReport("uk", "2026-06", CrawlResult("exhausted", 0.0, {}))
    write_report(report, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "0 pages (0 duplicates) of 0 hosts" in text
    assert "It was too short for a picture." in text


def test_a_pause_that_did_not_end_lasts_to_the_end() -> None:
    assert find_pauses([]) == []
    assert find_pauses([{"seconds": 1, "state": "paused"}, {"seconds": 4, "state": "paused"}]) == [(1, 4)]


def test_without_the_chart_library_one_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'webstrata\[plots\]'"):
        write_report(make(), tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()
