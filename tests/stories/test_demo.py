"""`webstrata demo`, as typed."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.stories.conftest import assert_refused, picture
from webstrata.collection import Collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


@pytest.mark.parametrize("preset", ["tiny", pytest.param("demo", marks=pytest.mark.slow)])
def test_the_demo_is_made_again_equals_the_truth_and_ends_by_saying_what_to_try_next(
    webstrata: Command, tmp_path: Path, preset: str
) -> None:
    webstrata("new", "webstrata-demo/web", "2025-12", "--title", "webstrata demo")
    done = webstrata("demo", "--preset", preset)
    assert done.returncode == 0, done.stderr
    assert "$ webstrata new webstrata-demo/web" in done.stdout
    assert "delays are scaled down to fit" in done.stdout
    months = {"tiny": 2, "demo": 6}[preset]
    for what in ("nodes", "arcs"):
        sentence = rf"2026-0.: the ([\d,]+) {what} found are those of the truth, and no others."
        found = [int(number.replace(",", "")) for number in re.findall(sentence, done.stdout)]
        assert len(found) == months
        assert preset == "tiny" or min(found) >= 8_000
    assert len(re.findall(r"2026-0.: [\d,]+ requests, polite \(", done.stdout)) == months
    report = tmp_path / "webstrata-demo" / "web" / "reports" / "report.html"
    assert "The report: webstrata-demo/web/reports/report.html" in done.stdout
    assert f"In all {months} snapshots the nodes and arcs" in report.read_text()
    labels = [snapshot.date for snapshot in Collection.open(tmp_path / "webstrata-demo" / "web")]
    assert labels == [f"2026-0{month}" for month in range(1, months + 1)]
    tries = done.stdout.partition("Try next")[2].splitlines()[1:]
    assert len(tries) == 5
    for line in tries:
        words = [word for word in shlex.split(line)[1:] if word != "--open"]
        assert webstrata(*words).returncode == 0, line


def test_anything_else_that_is_there_is_left_alone(
    webstrata: Command, uk: Collection, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    before = picture(tmp_path)
    for place in ("uk", "mine", "uk/collection.toml"):
        assert_refused(webstrata("demo", "--output", place), f"{place}: this folder is not a demo")
    assert picture(tmp_path) == before
    assert len(uk) == 2


def test_a_step_that_fails_ends_the_demo_with_its_exit_code(webstrata: Command) -> None:
    done = webstrata("demo", faults="no-space")
    assert_refused(done, "no space left to write")


def test_the_demo_of_real_pages_goes_from_ingest_to_report(webstrata: Command, tmp_path: Path) -> None:
    words = [
        "file",
        "socket",
        "thread",
        "signal",
        "buffer",
        "parser",
        "module",
        "object",
        "process",
        "stream",
    ]
    for number, word in enumerate(words * 3):
        path = tmp_path / "docs" / ("python" if number % 2 else "posix") / f"{word}{number}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        other = f"{words[(number + 2) % 10]}{(number + 2) % 30}.html"
        path.write_text(
            f"<title>The {word} library {number}</title><main><p>How to read a {word}, and how to close it "
            f"again when the work is done. See <a href={other}>the next chapter</a>.</main>"
        )
    refused = webstrata("demo", "--real", "--docs", "docs/python", "--output", "real")
    assert refused.returncode == 2
    assert "no documentation with 20 or more HTML pages below docs/python" in refused.stderr
    assert not (tmp_path / "real").exists()
    (tmp_path / "all").mkdir()
    (tmp_path / "docs").rename(tmp_path / "all" / "manual")
    done = webstrata("demo", "--real", "--docs", "all", "--output", "real")
    assert done.returncode == 0, done.stderr
    assert "manual.docs.test: 30 pages" in done.stdout
    assert "the snapshot has 30 pages" in done.stdout
    assert "http://manual.docs.test/" in done.stdout.partition("webstrata search")[2]
    assert (tmp_path / "real" / "docs" / "reports" / "report.html").is_file()
    assert webstrata("demo", "--docs", "all").returncode == 2
