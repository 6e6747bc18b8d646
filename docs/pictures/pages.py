"""Take the pictures of pages: ``python docs/pictures/pages.py COLLECTION QUERY URL``.

Chromium opens the pages that `webstrata serve` shows of a collection with several snapshots, ranks and a text
index, as ``webstrata-demo/web``. QUERY is what is searched for, URL the page whose last change is shown.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from urllib.parse import quote, urlencode

from playwright.sync_api import sync_playwright

from webstrata.api import Collection
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

FOLDER = Path(__file__).parent
ARGUMENTS = ("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
SETTLED = 4000
"""Milliseconds after which drawings have come to rest."""


def list_views(query: str, url: str) -> dict[str, tuple[str, int, int, str]]:
    """By the name of each picture the address, the size of the window and the colours."""
    words, page = urlencode({"q": query}), f"/page/{quote(url, safe=':/')}"
    return {
        "serve-home": ("/", 1280, 900, "light"),
        "serve-search": (f"/search?{words}", 1280, 900, "light"),
        "serve-diff": (f"{page}?view=diff", 1280, 900, "light"),
        "serve-links": (f"{page}?view=links", 1280, 900, "light"),
        "serve-changes": (f"/changes?{words}", 1280, 900, "light"),
        "serve-graph": ("/graph", 1280, 1020, "dark"),
        "serve-plane": ("/plane", 1280, 900, "light"),
        "serve-phone": (f"/search?{words}", 390, 844, "dark"),
    }


def main(path: str, query: str, url: str) -> None:
    """Take each picture."""
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with (
        PageServer([Collection.open(path)], ServeSettings(port=0)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for name, (address, width, height, scheme) in list_views(query, url).items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.goto(server.url + address)
            if "graph" in name:
                page.locator("figure[data-graph]").scroll_into_view_if_needed()
                page.wait_for_timeout(SETTLED)
            page.screenshot(path=FOLDER / f"{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:4])
