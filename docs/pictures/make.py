"""Make the pictures of the report and the dashboard: ``python docs/pictures/make.py REPORT.html``.

They are taken by Chromium from a report of `webstrata demo`, and drawn by Rich from a crawl of the same web.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent
VIEWS = {
    "report": (1280, 1000, "light", "#collection"),
    "report-time": (1280, 1000, "light", "#time"),
    "report-dark": (1280, 1000, "dark", "#rank"),
    "report-phone": (390, 844, "light", "#graph"),
}


def main(report: Path) -> None:
    """Take each picture."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for name, (width, height, scheme, place) in VIEWS.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.goto(report.resolve().as_uri())
            page.evaluate("drawAll()")
            top = page.evaluate(f"document.querySelector('{place}').getBoundingClientRect().top + scrollY")
            page.evaluate(f"scrollTo({{ top: {top if place != '#collection' else 0}, behavior: 'instant' }})")
            page.wait_for_timeout(300)
            page.screenshot(path=FOLDER / f"{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
