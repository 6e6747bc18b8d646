"""`webstrata content`, as typed."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command

TEXT = "A paragraph of running text about nothing in particular, long enough to be told from a menu."
LINES = [f"{number}. {TEXT}" for number in ("First", "Second", "Third", "Fourth", "Fifth")]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = tmp_path / "labelled"
    (folder / "html").mkdir(parents=True)
    menu = "<nav>" + "<a href=/>Menu</a>" * 30 + "</nav>"
    page = f"<body>{menu}<article>{''.join(f'<p>{line}</p>' for line in LINES)}</article>{menu}".encode()
    truth = {}
    for name in ("one", "two"):
        (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(page))
        truth[name] = {"articleBody": " ".join(LINES), "url": f"http://{name}.org/"}
    (folder / "ground-truth.json").write_text(json.dumps(truth))
    (tmp_path / "page.html").write_bytes(page)
    return folder


def test_each_method_is_measured_on_labelled_pages(webstrata: Command, labelled: Path) -> None:
    done = webstrata("content", "evaluate", "labelled")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "2 pages"
    assert lines[1].split() == ["method", "precision", "recall", "F1", "pages/s"]
    names = ["dom", "visual", "trafilatura", "slope", "low-slope"]
    assert [line.split()[0] for line in lines[2:]] == names
    assert lines[3].split()[1:4] == ["1.000", "1.000", "1.000"]
    document = json.loads(webstrata("content", "evaluate", "labelled", "--method", "dom", "--json").stdout)
    assert (document["pages"], list(document["methods"])) == (2, ["dom"])
    assert document["methods"]["dom"]["f1"] == 1
    assert document["methods"]["dom"]["pages_per_second"] > 0


def test_main_content_of_a_file_is_printed(webstrata: Command, labelled: Path) -> None:
    for method in ("trafilatura", "dom"):
        done = webstrata("content", "extract", "page.html", "--method", method)
        assert done.stdout.splitlines() == LINES, method
    assert "Menu" not in webstrata("content", "extract", "page.html", "--method", "slope").stdout


def test_what_cannot_be_measured_is_said_in_a_sentence(
    webstrata: Command, labelled: Path, tmp_path: Path
) -> None:
    assert_refused(webstrata("content", "evaluate", "nowhere"), "nowhere")
    assert_refused(
        webstrata("content", "evaluate", "labelled/html"), "ground-truth.json: nothing there to read"
    )
    assert_refused(webstrata("content", "evaluate", "labelled", "--method", "best"), "'best' is not known")
    assert_refused(webstrata("content", "extract", "page.html", "--method", "best"), "'best' is not known")
    (tmp_path / "labelled" / "html" / "two.html.gz").write_bytes(b"no gzip")
    assert_refused(webstrata("content", "evaluate", "labelled"), r"two\.html\.gz: this is no gzip file")
