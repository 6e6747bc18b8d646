"""The drawing of an answer: all pages and links with their kinds, offline, and switched in a browser."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.search.change.events import make_events
from webstrata.serve.figures.changes import draw_subgraph, place_nodes, write_answer

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.search.change import ChangeAnswer


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> ChangeAnswer:
    return make_events(tmp_path_factory.mktemp("events") / "uk").changes("flood", "2026-01", "2026-02")


def test_links_that_came_went_and_stayed_are_told_apart(answer: ChangeAnswer) -> None:
    chart = draw_subgraph(answer).to_dict()
    tables = list(chart["datasets"].values()) if "datasets" in chart else []
    tables += [layer["data"]["values"] for layer in chart["layer"] if "values" in layer.get("data", {})]
    links = next(rows for rows in tables if "kind" in rows[0] and "x2" in rows[0])
    kinds = [row["kind"] for row in links]
    assert kinds.count("came") == len(answer.graph.gained)
    assert kinds.count("went") == len(answer.graph.lost)
    assert len(kinds) == len(answer.graph.to_arrow())


def test_linked_pages_lie_near_each_other_and_none_on_another() -> None:
    arcs = np.array([(one, other) for block in (0, 5) for one in range(block, block + 5)
                     for other in range(block, block + 5)])  # fmt: skip
    places = place_nodes(10, arcs)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert apart[:5, :5].max() < apart[:5, 5:].min()
    assert apart[~np.eye(10, dtype=bool)].min() > 0.01
    assert place_nodes(0, np.zeros((0, 2), int)).shape == (0, 2)
    assert np.isfinite(place_nodes(1, np.zeros((0, 2), int))).all()


def test_the_page_needs_no_network(answer: ChangeAnswer, tmp_path: Path) -> None:
    path = write_answer(answer, tmp_path / "out" / "flood.html", "uk")
    text = path.read_text()
    assert "vegaEmbed" in text
    assert not re.search(r'(?:src|href)="https?:', text)
    assert (tmp_path / "out" / "flood.svg").read_text().startswith("<svg")
    specs = json.loads(text.partition("const figures = ")[2].partition(";\n")[0])
    assert list(specs) == ["flood"]


@pytest.mark.slow
def test_a_browser_switches_between_before_and_after(answer: ChangeAnswer, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium to look at the page with")
    from playwright.sync_api import sync_playwright

    path = write_answer(answer, tmp_path / "flood.html", "uk")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        failed: list[str] = []
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("#flood input[type=radio]")
        seen = {}
        for name in ("before", "after", "changes"):
            page.check(f"#flood input[value={name}]")
            seen[name] = page.screenshot()
        browser.close()
    assert not failed
    assert len(set(seen.values())) == 3
