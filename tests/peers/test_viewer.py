"""ReplayWeb.page as it comes from npm, served as a user's own viewer, over our raw mementos in Chromium."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.peers.installed import find, find_npm
from tests.serve.replay.conftest import HTML, respond, serving, store
from webstrata.archive.warc import Revisit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer

TEXT = "Text of the page in June"
PAGE = f"""<!doctype html><meta charset="utf-8"><title>Fish</title><link rel="stylesheet" href="/style.css">
<h1>{TEXT}</h1><p id="made"></p><script>
document.getElementById("made").textContent = "made by a script at " + location.href;
fetch("/data.json").then(answer => answer.json()).then(data => document.title = data.title);
</script><a href="/next">next</a>"""
TRIES = 3


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """Chromium, and the replay origin with a viewer."""
    chromium, package = find("chromium"), find_npm("replaywebpage")
    playwright = pytest.importorskip("playwright.sync_api")
    html = "<title>{0}</title><h1>{0}</h1>"
    body = html.format("The same since May").encode()
    same = respond("http://a.uk/same", body, HTML, at=-30 * 86400)
    original = Revisit("identical-digest", "http://a.uk/same", same.date)
    june = [
        respond("http://a.uk/", PAGE.encode(), HTML),
        respond("http://a.uk/style.css", b"h1 { color: rgb(1, 2, 3) }", "Content-Type: text/css"),
        respond("http://a.uk/data.json", b'{"title": "From JSON"}', "Content-Type: application/json"),
        respond("http://a.uk/moved", b"", "Location: /target", status="302 Found"),
        respond("http://a.uk/target", html.format("Behind the redirect").encode(), HTML),
        respond("http://a.uk/closed", html.format("No entry here").encode(), HTML, status="403 Forbidden"),
        respond("http://a.uk/next", html.format("The next page").encode(), HTML),
        respond("http://a.uk/same", body, HTML, revisit=original),
    ]
    folder: Path = tmp_path_factory.mktemp("viewer")
    collection = store(folder, {"2026-05": [same], "2026-06": june})
    flags = ["--no-proxy-server", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with serving(collection, viewer=str(package)) as address, playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=flags)
        yield browser, address.removesuffix("/uk")
        browser.close()


def show(replayed: tuple[Any, str], url: str, text: str, *, click: str = "") -> dict[str, Any]:
    """What Chromium shows of a capture in the viewer."""
    browser, origin = replayed
    failures: list[Exception] = []
    for _ in range(TRIES):  # the frame of the viewer may wait forever for its service worker
        context = browser.new_context()
        page = context.new_page()
        said: list[str] = []
        outside: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on(
            "request",
            lambda request, outside=outside: (
                outside.append(request.url)
                if not request.url.startswith((origin, "data:", "blob:"))
                else None
            ),
        )
        try:
            page.goto(f"{origin}/view/uk/20260620/{url}")
            frame = page.frame_locator("replay-web-page iframe").frame_locator(
                "iframe[name='___wb_replay_top_frame']"
            )
            if click:
                frame.locator(click).click(timeout=30_000)
            frame.get_by_text(text).first.wait_for(timeout=30_000)
            inner = next(each for each in page.frames if "mp_/" in each.url)
            inner.wait_for_load_state("networkidle")
            found = inner.evaluate(
                """() => ({title: document.title, text: document.body.innerText,
                color: [...document.querySelectorAll("h1")].map(e => getComputedStyle(e).color)})"""
            )
            return {**found, "outside": outside, "address": inner.url}
        except Exception as error:
            frames = [each.url for each in page.frames]
            failures.append(AssertionError(f"{error}; frames {frames}; console {said}"))
        finally:
            context.close()
    raise ExceptionGroup(f"{url} is not shown in {TRIES} loads", failures)


def test_a_page_runs_its_scripts_with_its_style_and_stays_in_the_archive(replayed: tuple[Any, str]) -> None:
    shown = show(replayed, "http://a.uk/", TEXT)
    assert "made by a script at http://a.uk/" in shown["text"]
    assert shown["title"] == "From JSON"
    assert shown["color"] == ["rgb(1, 2, 3)"]
    assert shown["outside"] == []


def test_a_captured_redirect_is_followed(replayed: tuple[Any, str]) -> None:
    assert "Behind the redirect" in show(replayed, "http://a.uk/moved", "Behind the redirect")["text"]


def test_a_captured_403_shows_its_page(replayed: tuple[Any, str]) -> None:
    assert "No entry here" in show(replayed, "http://a.uk/closed", "No entry here")["text"]


def test_a_revisit_shows_the_payload_of_another_snapshot(replayed: tuple[Any, str]) -> None:
    assert "The same since May" in show(replayed, "http://a.uk/same", "The same since May")["text"]


def test_a_link_leads_to_the_next_capture(replayed: tuple[Any, str]) -> None:
    shown = show(replayed, "http://a.uk/", "The next page", click="a")
    assert shown["address"].endswith("mp_/http://a.uk/next")
