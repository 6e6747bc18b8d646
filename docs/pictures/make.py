"""Make the pictures of the report and the dashboard: ``python docs/pictures/make.py REPORT.html``.

Those of the report are taken by Chromium from a report of `webstrata demo`. That of the dashboard is what
`webstrata crawl watch` shows of a crawl of the same web while it runs, drawn by Rich as SVG.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console

from webstrata.api import Collection
from webstrata.cli.crawl import dashboard
from webstrata.crawl.control import connect
from webstrata.crawl.series import read_series

FOLDER = Path(__file__).parent
VIEWS = {
    "report": (1280, 1000, "light", "#collection"),
    "report-time": (1280, 1000, "light", "#time"),
    "report-dark": (1280, 1000, "dark", "#rank"),
    "report-phone": (390, 844, "light", "#graph"),
}


def draw_dashboard(seconds: float = 8.0) -> None:
    """Let a crawl run for some seconds, and draw what the dashboard shows then."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "uk"
        subprocess.run(["webstrata", "new", str(place)], check=True)
        words = ["--invitro", "demo", "--invitro-seed", "7"]
        with subprocess.Popen(["webstrata", "crawl", str(place), "2026-06", *words]) as crawl:
            time.sleep(seconds)
            with connect(Collection.open(place)["2026-06"]) as client:
                status = client.status() | {"collection": "uk"}
            history = dashboard.History()
            for row in read_series(place / "snapshots" / "2026-06" / "crawl" / "series.jsonl"):
                history.add(row)
            crawl.terminate()
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(dashboard.draw_dashboard(status, history, 100))
    picture = console.export_svg(title="webstrata crawl watch uk 2026-06")
    # a typeface from elsewhere is not asked for
    plain = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    (FOLDER / "dashboard.svg").write_text(plain)


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
    draw_dashboard()
    main(Path(sys.argv[1]))
