"""A WACZ of ours in ReplayWeb.page: Chromium shows the archived page, with its style and its image."""

from __future__ import annotations

import http.server
import os
import re
import struct
import threading
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.peers.installed import find, find_npm
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.store.export import export
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer

DATE = 1_781_289_000 * 10**9  # 2026-06-12 18:30
TEXT = "Tropical fish live in warm water, Grüße"
PAGE = f"""<!doctype html><meta charset="utf-8"><title>Fish</title><link rel="stylesheet" href="/style.css">
<h1>{TEXT}</h1><img src="fish.png"><a href="/deep/page.html">deep</a>"""
HOST = """<!doctype html><script src="/ui.js"></script>
<replay-web-page source="/uk.wacz" replayBase="/replay/" embed="replayonly" url="{url}"></replay-web-page>"""


def make_png(width: int, height: int) -> bytes:
    """A red picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))

    rows = (b"\0" + b"\xff\0\0" * width) * height
    head = struct.pack(">2L5B", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def prepare(root: Path, package: Path) -> Path:
    """A folder to serve, with the component and its service worker."""
    (root / "replay").mkdir(parents=True)
    (root / "ui.js").symlink_to(package / "ui.js")
    (root / "replay/sw.js").symlink_to(package / "sw.js")
    return root


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to serve: the component, its service worker, and a WACZ of ours."""
    package = find_npm("replaywebpage")
    folder = tmp_path_factory.mktemp("replay")
    answers = {
        "http://example.org/": ("text/html", PAGE.encode()),
        "http://example.org/style.css": ("text/css", b"h1 { color: rgb(1, 2, 3) }"),
        "http://example.org/fish.png": ("image/png", make_png(7, 5)),
        "http://example.org/deep/page.html": ("text/html", b"<title>Deep</title><p>Deep fish"),
    }
    with WarcWriter(folder, "crawl") as writer:
        for url, (mime, body) in answers.items():
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n".encode()
            writer.write(Capture(url=url, date=DATE, head=head, body=body))
    snapshot = ws.create(folder / "uk").add("2026-06")
    ingest(snapshot, [folder / "crawl-00000.warc.gz"])
    root = prepare(folder / "site", package)
    export(snapshot, "wacz", root / "uk.wacz")
    return root


class RangeHandler(http.server.SimpleHTTPRequestHandler):
    """Files, or the ranges of them that a replay tool asks for."""

    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if wanted is None:
            super().do_GET()
            return
        with open(self.translate_path(self.path), "rb") as file:  # noqa: PTH123
            data = file.read()
        start = int(wanted[1]) if wanted[1] else max(len(data) - int(wanted[2]), 0)
        end = min(int(wanted[2]) + 1 if wanted[1] and wanted[2] else len(data), len(data))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        self.wfile.write(data[start:end])


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server of the files in a folder."""

    def make(*words: Any) -> RangeHandler:  # noqa: ANN401
        return RangeHandler(*words, directory=str(folder))

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), make) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = find("chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        arguments = ["--no-proxy-server", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        opened = started.chromium.launch(executable_path=chromium, args=arguments)
        yield opened
        opened.close()


LOADS = 3
"""Times that a page is loaded: the frame of the viewer may wait forever for its service worker."""


def replay(browser: Any, folder: Path, url: str, text: str) -> dict[str, Any]:  # noqa: ANN401
    """What Chromium makes of an archived page in ReplayWeb.page; errors of the console if it shows none."""
    (folder / "index.html").write_text(HOST.format(url=url))
    failures: list[Exception] = []
    with serving(folder) as address:
        for _ in range(LOADS):
            context = browser.new_context()
            try:
                return _show(context.new_page(), address, url, text)
            except AssertionError as error:
                failures.append(error)
            finally:
                context.close()
    raise ExceptionGroup(f"{url} is not shown in {LOADS} loads", failures)


def _show(page: Any, address: str, url: str, text: str) -> dict[str, Any]:  # noqa: ANN401
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    try:
        frame = page.frame_locator("replay-web-page iframe").frame_locator(
            "iframe[name='___wb_replay_top_frame']"
        )
        frame.get_by_text(text).wait_for(timeout=30_000)
        found = next(each for each in page.frames if f"mp_/{url}" in each.url)
        found.wait_for_load_state("load")
        return dict(
            found.evaluate(
                """() => ({
                    title: document.title,
                    text: document.body.innerText,
                    color: [...document.querySelectorAll("h1")].map(e => getComputedStyle(e).color),
                    images: [...document.images].map(e => [e.naturalWidth, e.naturalHeight]),
                })"""
            )
        )
    except Exception as error:
        frames = [each.url for each in page.frames]
        raise AssertionError(f"{url} is not shown: {error}; frames {frames}; console {said}") from error


def test_replay_web_page_shows_a_page_with_its_style_and_image(browser: Any, site: Path) -> None:  # noqa: ANN401
    shown = replay(browser, site, "http://example.org/", TEXT)
    assert shown["title"] == "Fish"
    assert TEXT in shown["text"]
    assert shown["color"] == ["rgb(1, 2, 3)"]
    assert shown["images"] == [[7, 5]]


def test_replay_web_page_shows_another_page_of_the_list(browser: Any, site: Path) -> None:  # noqa: ANN401
    assert replay(browser, site, "http://example.org/deep/page.html", "Deep fish")["title"] == "Deep"
