"""Pages in a real Chromium: accessibility, keyboard alone, without scripts, a hostile archive."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

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
    *(f"{TOMATOES}?view={view}" for view in ("text", "diff", "links", "ranks", "host", "similar", "records")),
    f"{TOMATOES}?view=diff&source=true", f"{TOMATOES}?view=diff&rendered=true", "/search?q=fish&at=2026-05",
    "/changes", "/changes?q=storm", "/graph", "/graph?of=reef.example", "/ranks", "/spectrum", "/hosts",
    "/plane?find=reef.example", "/hosts/pills.example", "/crawl", "/parts", "/nowhere",
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
        arguments += ["--disable-component-update", "--disable-sync"]
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


def test_a_handle_of_the_strip_is_moved_by_keys(browser: Any, url: str) -> None:  # noqa: ANN401
    page = browser.new_page()
    page.goto(f"{url}/search?q=fish")
    handle = page.locator(".strip [role=slider]").first
    assert handle.get_attribute("aria-valuetext") == "2026-04"
    handle.focus()
    page.keyboard.press("ArrowRight")
    assert handle.get_attribute("aria-valuetext") == "2026-05"
    page.keyboard.press("Enter")
    page.wait_for_url("**from=2026-05&to=2026-06")
    page.goto(f"{url}/ranks")
    page.locator(".strip [role=slider]").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_url("**/ranks?at=2026-04")
    page.close()


def test_nothing_moves_while_a_page_is_loaded(browser: Any, url: str) -> None:  # noqa: ANN401
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(
        "window.moved = 0; new PerformanceObserver(list => {for (const one of list.getEntries()) "
        "if (!one.hadRecentInput) moved += one.value}).observe({type: 'layout-shift', buffered: true})"
    )
    shifts = {}
    for path in PAGES[:-1]:
        page.goto(url + path)
        page.wait_for_timeout(300)
        shifts[path] = page.evaluate("moved")
    page.close()
    assert {path: moved for path, moved in shifts.items() if moved > 0.001} == {}


def test_a_neighbourhood_is_opened_by_clicks_and_filtered_by_time(browser: Any, url: str) -> None:  # noqa: ANN401
    page = browser.new_page(viewport={"width": 1280, "height": 1200})
    page.goto(f"{url}/graph?of=http://garden.example/pond")
    page.wait_for_selector("figure[data-arcs]")
    figure = page.locator("figure[data-graph]")
    before = int(figure.get_attribute("data-nodes"))
    canvas = page.locator("canvas")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"figure[data-nodes]:not([data-nodes='{before}'])")
    assert int(figure.get_attribute("data-nodes")) > before
    assert "2026-06" in figure.locator("output").inner_text()
    june = figure.locator("[role=status]").inner_text()
    slider = figure.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_url("**at=2026-04")
    assert figure.locator("output").inner_text() == "2026-04"
    assert figure.locator("[role=status]").inner_text() != june
    # the pond appeared in May
    page.wait_for_selector(".neighbour-list .sentence:has-text('not among the pages of 2026-04')")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".neighbour-list h2:has-text('2026-05')")
    page.wait_for_selector(".neighbour-list td:has-text('reef.example/fish')")
    page.close()


def test_ten_thousand_nodes_are_drawn_smoothly(browser: Any, url: str) -> None:  # noqa: ANN401
    number = 10_000
    rows = [{"name": f"http://a.example/{one}", "rank": one + 1, "when": [7, 0]} for one in range(number)]
    arcs = [[one, (one * 7919 + 13) % number, 7, 0] for one in range(1, number)]
    arcs += [[0, one, 7 if one % 3 else 4, 0] for one in range(1, number)]
    document = {
        "rows": rows, "arcs": arcs, "snapshots": ["2026-04", "2026-05", "2026-06"], "level": "page",
        "total": number, "left": 0, "next": None,
    }  # fmt: skip
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.route("**/neighbours.json*", lambda route: route.fulfill(json=document))
    page.goto(f"{url}/graph?of=http://reef.example/")
    page.wait_for_selector("figure[data-nodes='10000']", timeout=60_000)
    page.wait_for_timeout(2000)
    figure = page.locator("figure[data-graph]")
    assert float(figure.get_attribute("data-frame")) < 400  # 60 on an idle machine; tests share theirs
    assert 0 < int(figure.get_attribute("data-labels")) <= 120
    page.close()


def test_labels_of_drawings_do_not_overlap(browser: Any, url: str) -> None:  # noqa: ANN401
    page = browser.new_page(viewport={"width": 1280, "height": 900}, java_script_enabled=True)
    page.goto(f"{url}/changes?q=fish+OR+storm+OR+garden")
    boxes = page.evaluate(
        "[...document.querySelectorAll('.subgraph > svg text')].map(one => {"
        "const r = one.getBoundingClientRect();"
        "return [r.left, r.top, r.right, r.bottom]})"
    )
    page.close()
    assert len(boxes) > 3
    pairs = [(one, other) for place, one in enumerate(boxes) for other in boxes[:place]]
    assert [
        (one, other)
        for one, other in pairs
        if one[0] < other[2] and other[0] < one[2] and one[1] + 2 < other[3] and other[1] + 2 < one[3]
    ] == []


def test_the_plane_lists_the_pages_under_the_pointer(browser: Any, url: str) -> None:  # noqa: ANN401
    page = browser.new_page(viewport={"width": 1280, "height": 1200})
    page.goto(f"{url}/plane?find=http://reef.example/")
    page.wait_for_selector("[data-plane][data-ready]")
    box = page.locator(".overlay .spot").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".near li")
    assert "reef.example/" in page.locator(".near").inner_text()
    page.close()


def test_scripts_of_the_search_page_are_small(browser: Any, url: str) -> None:  # noqa: ANN401
    page = browser.new_page()
    sizes: list[int] = []
    page.on(
        "response",
        lambda response: sizes.append(len(gzip.compress(response.body()))) if ".js" in response.url else None,
    )
    page.goto(f"{url}/search?q=fish", wait_until="networkidle")
    page.close()
    assert sizes
    assert sum(sizes) <= 60_000


def test_titles_of_all_scripts_and_any_length_stay_inside(browser: Any) -> None:  # noqa: ANN401
    long = "Donaudampfschifffahrtsgesellschaft" * 12
    titles = {
        "http://a.example/": long,
        "http://a.example/%E9%AD%9A": "熱帯魚の飼育と水槽の管理について、初心者のための長い説明文" * 4,
        "http://a.example/%D8%B3%D9%85%D9%83": "أسماك المياه الدافئة في البحر الأحمر",
        f"http://a.example/{'long-' * 60}?{'q=1&' * 50}": "A page with a long address",
    }
    pages = {
        url: f"<title>{title}</title><p>fish {title}</p>"
        + "".join(f"<a href='{other}'>{title}</a>" for other in titles)
        for url, title in titles.items()
    }
    collection = testing.collection_of({"2026-05": pages, "2026-06": pages}, parts=testing.PARTS)
    with PageServer([collection], ServeSettings(port=0)) as server:
        for width in (390, 1280):
            page = browser.new_page(viewport={"width": width, "height": 900})
            paths = ["/", "/search?q=fish", "/ranks", "/graph", "/changes?q=fish"]
            paths += [f"/page/{quote(one, safe=':/')}?view=links" for one in titles]
            for path in paths:
                page.goto(server.url + path)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, path)
            page.goto(f"{server.url}/search?q=fish")
            assert "a.example › 魚" in page.locator(".results").inner_text()
            rtl = page.locator(".results h2", has_text="أسماك").first
            assert rtl.evaluate("one => getComputedStyle(one).direction") == "rtl"
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
