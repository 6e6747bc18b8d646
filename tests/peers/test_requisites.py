"""What a page needs to be shown: our requests compared with those of `wget -p -H` and of Chromium.

The pages are real: three themes of MkDocs, with the stylesheets, fonts, icons and images that they come with,
and a page that names resources in every way there is. Chromium runs no scripts here, since we do not either.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.crawl.origin import QUICK
from tests.crawl.test_resources import PAGE
from tests.peers.installed import find
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.peer, pytest.mark.long]

THEMES = {
    "mkdocs": "theme: mkdocs",
    "readthedocs": "theme: readthedocs",
    "material": "theme: {name: material, font: false, icon: {logo: material/library}}",
}
TEXT = """# A page

Words, `code`, and a picture: ![a picture](picture.png)

```python
print("code with colours")
```
"""


class _Handler(SimpleHTTPRequestHandler):
    asked: set[str]

    def do_GET(self) -> None:
        self.asked.add(self.path.partition("?")[0])
        super().do_GET()

    def end_headers(self) -> None:
        # a browser then runs no script, and does not ask for any
        self.send_header("Content-Security-Policy", "script-src 'none'")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, set[str]]]:
    """Serve a folder; its address, and the paths that were asked for."""
    asked: set[str] = set()
    handler = partial(type("Handler", (_Handler,), {"asked": asked}), directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def make_site(name: str, folder: Path) -> Path:
    """A site of one page, built by the theme of this name."""
    site = folder / "site"
    if name == "every way":
        (site / "base").mkdir(parents=True)
        (site / "index.html").write_text(PAGE)
        (site / "frame").write_text("<title>framed</title>")
        (site / "base" / "inline.css").write_text("@font-face { font-family: f; src: url(font.woff2) }")
        (site / "base" / "a.css").write_text("@import 'c.css' screen; body { background: url(d.png) }")
        (site / "base" / "c.css").write_text("p { font-family: f; background: image-set('e.png' 1x) }")
        (site / "base" / "site.webmanifest").write_text('{"icons": [{"src": "app.png"}]}')
        return site
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(TEXT)
    (docs / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "mkdocs.yml").write_text(f"site_name: a site\n{THEMES[name]}\nplugins: []\n")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(folder / "mkdocs.yml")],
        check=True,
        timeout=300,
    )
    return site


def ask_with_webstrata(site: Path, folder: Path) -> set[str]:
    with serving(site) as (address, asked):
        snapshot = ws.create(folder / "uk").add("2026-06")
        # no link is followed, so only what the page needs is asked for
        settings = CrawlSettings(**(QUICK | {"resources": True, "schedule": "HostEquals(nowhere.test)"}))
        Crawl(snapshot, settings, seeds=[address], hosts={"127.0.0.1": ("127.0.0.1", None)}).run()
    return asked - {"/robots.txt"}


def ask_with_wget(site: Path, folder: Path) -> set[str]:
    with serving(site) as (address, asked):
        words = ["-q", "-p", "-H", "-e", "robots=off", "--tries=1", "-P", str(folder / "wget"), address]
        subprocess.run([find("wget"), *words], check=False, timeout=300)
    return asked


def ask_with_chromium(site: Path, folder: Path) -> set[str]:
    with serving(site) as (address, asked):
        words = [
            "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-proxy-server",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={folder / 'chromium'}", f"--screenshot={folder / 'page.png'}",
            "--window-size=1200,3000", address,
        ]  # fmt: skip
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        subprocess.run([find("chromium"), *words], check=True, timeout=300, capture_output=True, env=kept)
    return asked


@pytest.mark.parametrize("name", [*THEMES, "every way"])
def test_nothing_is_missing_that_a_browser_or_wget_asks_for(name: str, tmp_path: Path) -> None:
    find("wget")
    find("chromium")
    site = make_site(name, tmp_path)
    ours = ask_with_webstrata(site, tmp_path)
    browser = ask_with_chromium(site, tmp_path)
    assert len(browser) > 3
    assert browser - ours == set()
    # what stands in a template, and the `src` of a text field, no browser asks for
    assert ask_with_wget(site, tmp_path) - ours - {"/base/never.png", "/base/none.png"} == set()
