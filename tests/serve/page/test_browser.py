"""Pages in a real Chromium: accessibility, keyboard alone, without scripts, a hostile archive."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from webstrata import testing
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parents[3] / ".peers" / "npm" / "axe-core" / "axe.min.js"
TOMATOES = "/page/http://garden.example/tomatoes"
PAGES = [
    "/", "/search", "/search?q=fish", "/search?q=zebra", TOMATOES,
    *(f"{TOMATOES}?view={view}" for view in ("text", "diff", "links", "ranks", "similar", "records")),
    "/changes", "/changes?q=storm", "/graph", "/ranks", "/plane", "/spectrum", "/hosts",
    "/hosts/pills.example", "/crawl", "/parts", "/nowhere",
]  # fmt: skip
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium to open the pages with")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        # inside a container, and as its administrator, Chromium has no sandbox of its own
        arguments = ["--disable-gpu", "--disable-background-networking"]
        arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
        opened = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_barrier_that_axe_finds(browser: Any, url: str, scheme: str) -> None:  # noqa: ANN401
    if not AXE.exists():
        pytest.skip("axe-core is not there; `make peers` unpacks it")
    context = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": 1280, "height": 900}
    )
    page = context.new_page()
    found = []
    for path in PAGES:
        page.goto(url + path)
        page.add_script_tag(path=AXE)
        # what the replay origin shows in frames is the archive's, and its barriers are too
        result = page.evaluate(
            "tags => axe.run({exclude: [['iframe']]}, {runOnly: tags, iframes: false})", TAGS
        )
        found += [
            (path, one["id"], [node["html"][:160] for node in one["nodes"]][:3])
            for one in result["violations"]
        ]
    context.close()
    assert found == []


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_no_page_is_wider_than_the_screen_or_complains(browser: Any, url: str, width: int) -> None:  # noqa: ANN401
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    said: list[str] = []
    asked: set[str] = set()
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.add(request.url))
    for path in PAGES[:-1]:  # of the last one the console tells its status
        page.goto(url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    context.close()
    assert said == []
    host = url.rpartition(":")[0]
    assert {one for one in asked if not one.startswith(host)} == set()


@pytest.mark.parametrize("scripts", [True, False])
def test_search_capture_and_diff_need_only_the_keyboard(browser: Any, url: str, scripts: bool) -> None:  # noqa: ANN401, FBT001
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{url}/search")
    press_until(page, "input[name=q]")
    page.keyboard.type("tomatoes")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=tomatoes")
    press_until(page, ".results h2 a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/page/**")
    press_until(page, ".tabs a[href*='view=diff']")
    page.keyboard.press("Enter")
    page.wait_for_url("**view=diff")
    assert page.locator("ins").count() > 0
    press_until(page, ".captures a")
    page.keyboard.press("Enter")
    page.wait_for_url("**at=2026*")
    assert page.locator(".captures [aria-current]").count() == 1
    context.close()


def press_until(page: Any, selector: str, most: int = 80) -> None:  # noqa: ANN401
    """Press the tabulator until an element has the focus."""
    wanted = page.locator(selector).first.element_handle()
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.locator("*:focus")
        if focused.count() and wanted.evaluate("(one, other) => one === other", focused.element_handle()):
            return
    raise AssertionError(f"{selector} cannot be reached by the tabulator")


def test_a_range_of_dates_is_chosen_by_dragging_over_the_strip(browser: Any, url: str) -> None:  # noqa: ANN401
    page = browser.new_page()
    page.goto(f"{url}/search?q=fish")
    bars = page.locator(".strip a[data-date]")
    first, second = bars.nth(0).bounding_box(), bars.nth(1).bounding_box()
    page.mouse.move(first["x"] + 10, first["y"] + 20)
    page.mouse.down()
    page.mouse.move(second["x"] + 10, second["y"] + 20, steps=4)
    page.mouse.up()
    page.wait_for_url("**from=2026-04&to=2026-05")
    page.close()


def test_nothing_of_a_hostile_archive_runs_on_the_pages(browser: Any) -> None:  # noqa: ANN401
    evil = "&quot;&gt;&lt;script&gt;parent.ran=1&lt;/script&gt;&lt;img src=x onerror=parent.ran=1&gt;"
    real = "<script>top.ran=1</script><img src=x onerror='top.ran=1'>"
    pages = {
        "http://a.example/": f"<title>{evil}</title><p>fish {evil} {real}"
        f"<a href='/b?%22%3E%3Cscript%3E'>{evil}</a>",
        "http://a.example/b?%22%3E%3Cscript%3E": f"<title>{evil}</title><p>fish {real}",
    }
    other = {url: text.replace("fish", "fish and chips") for url, text in pages.items()}
    collection = testing.collection_of({"2026-05": pages, "2026-06": other}, parts=testing.PARTS)
    with PageServer([collection], ServeSettings(port=0)) as server:
        page = browser.new_page()
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        for path in (
            "/", "/search?q=fish", "/page/http://a.example/", "/page/http://a.example/?view=diff",
            "/page/http://a.example/?view=links", "/page/http://a.example/?view=text", "/graph",
            "/changes?q=fish", "/page/http://a.example/?view=records", "/ranks",
        ):  # fmt: skip
            page.goto(server.url + path, wait_until="load")
            assert page.evaluate("window.ran") is None, path
        assert dialogs == []
        page.close()
