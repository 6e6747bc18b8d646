"""The report is one file that needs nothing from elsewhere, and a real browser draws all of it."""

from __future__ import annotations

import html.parser
import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from webstrata.serve.report import write_report
from webstrata.serve.report.chapters import Chapter
from webstrata.serve.report.page import make_html
from webstrata.serve.report.sheet import Drawing, Sheet, SheetTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NASTY = "</script><script>alert('<!-- & \"')</script>"


class Reader(html.parser.HTMLParser):
    """What a page asks for, and what it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.asked += [value or "" for name, value in attrs if name in ("src", "href", "data", "action")]


def test_nothing_in_it_is_loaded_from_elsewhere_or_can_be(whole: Path, tmp_path: Path) -> None:
    path, chapters = write_report(ws.open(whole), tmp_path / "report.html")
    page = path.read_text()
    reader = Reader()
    reader.feed(page)
    assert all(asked.startswith(("#", "data:")) for asked in reader.asked)
    assert "default-src 'none'" in page
    assert "The &lt;UK&gt;" in page
    specs = json.loads(re.search(r'id="specs">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    figures = [figure.name for chapter in chapters for sheet in chapter.sheets for figure in sheet.figures]
    assert list(specs) == figures
    assert len(figures) > 20
    commands = {sheet.command for chapter in chapters for sheet in chapter.sheets}
    assert all(html.escape(command) in page for command in commands)
    assert len(page) < 4 << 20


def test_texts_of_strangers_stay_texts() -> None:
    spec = {"title": NASTY, "mark": "bar", "data": {"values": [{"x": NASTY}]}}
    sheet = Sheet("a", NASTY, [NASTY], [SheetTable(NASTY, [NASTY], [[NASTY]])], [Drawing("f", spec)], NASTY)
    page = make_html(NASTY, [Chapter("c", NASTY, [sheet])])
    reader = Reader()
    reader.feed(page)
    assert reader.scripts == 3  # the data, the library and the page's own


@pytest.fixture
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium to open the page with")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        # inside a container, and as its administrator, Chromium has no sandbox of its own
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        opened = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@pytest.mark.peer
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_browser_draws_every_figure_without_a_complaint_or_a_request(
    browser: Any,  # noqa: ANN401
    whole: Path,
    tmp_path: Path,
    width: int,
    scheme: str,
) -> None:
    path, chapters = write_report(ws.open(whole), tmp_path / "report.html")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.evaluate("drawAll()")
    drawn = page.evaluate(
        "[...document.querySelectorAll('.plot')].map(box => [box.dataset.figure, box.dataset.drawn,"
        " box.querySelectorAll('svg, canvas').length])"
    )
    figures = [figure.name for chapter in chapters for sheet in chapter.sheets for figure in sheet.figures]
    assert drawn == [[name, "yes", 1] for name in figures]
    assert said == []
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [path.as_uri()]
    # no text is pushed out of a narrow screen
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    with page.expect_download() as download:
        page.click("figure button[data-get=csv]")
    rows = download.value.path().read_text().splitlines()
    assert len(rows) > 1
    with page.expect_download() as download:
        page.click(".table button[data-get=csv]")
    assert download.value.path().read_text().startswith("snapshot,")
    context.close()


@pytest.mark.peer
def test_every_table_fits_on_paper(browser: Any, whole: Path, tmp_path: Path) -> None:  # noqa: ANN401
    path, _ = write_report(ws.open(whole), tmp_path / "report.html")
    # A4 without its margins, at 96 dots an inch
    page = browser.new_page(viewport={"width": 688, "height": 1016})
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    wide = page.evaluate(
        "[...document.querySelectorAll('table')].filter(table => table.getBoundingClientRect().right > 688)"
        ".map(table => table.getAttribute('aria-label'))"
    )
    assert wide == []
    # snapshots are not broken into letters
    lines = page.evaluate(
        "[...document.querySelectorAll('.many td:first-child')].map(cell => cell.getClientRects()[0].height)"
    )
    assert lines
    assert max(lines) < 40
