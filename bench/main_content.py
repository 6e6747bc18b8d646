"""How well and how fast main content is found: our filter beside trafilatura.

`main-content`: processor seconds for all labelled pages (`--quick`: 30 of them), from characters to text;
theirs in its fast mode, which is as good as its default and faster. `main-content-f1`: F1 on the same pages,
as scrapinghub/article-extraction-benchmark counts it; `details` has precision, recall and pages per second of
our other methods too, on our side; `stored` is what the part `text` of a snapshot keeps, and its pages per
second are those of all that is found for text and links; `stored-dom` what it keeps if settings say so.

The labelled set is the folder `content` of the third-party data that tests use (`WEBSTRATA_TEST_DATA`); both
figures are left out where it is not there.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
from pathlib import Path
from typing import Any

from bench.frame import ROOT, Call, Figure, main
from bench.html import Installed

_NUM_QUICK = 30


def find_labelled() -> Path:
    """The folder of labelled pages; it need not be there."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    return (Path(named) if named else ROOT.parent / "shared" / "data") / "content"


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Copy the labelled pages."""
    source = find_labelled()
    truth = json.loads((source / "ground-truth.json").read_text())
    names = sorted(truth)[: _NUM_QUICK if quick else None]
    (folder / "html").mkdir()
    for name in names:
        shutil.copyfile(source / "html" / f"{name}.html.gz", folder / "html" / f"{name}.html.gz")
    (folder / "ground-truth.json").write_text(json.dumps({name: truth[name] for name in names}))


@functools.cache
def load(place: str) -> list[str]:
    """The characters of the pages of an input."""
    from webstrata.store.main_content.evaluate import read_labelled
    from webstrata.store.main_content.tokens import decode

    return [decode(page.body) for page in read_labelled(Path(place))]


def extract_ours(place: str) -> int:
    """Extract all pages with our filter."""
    from webstrata.store.main_content.dom import extract_filtered

    return sum(len(extract_filtered(page)) for page in load(place))


def extract_theirs(place: str) -> int:
    """Extract all pages with trafilatura."""
    import trafilatura

    return sum(
        len(trafilatura.extract(page, include_comments=False, fast=True) or "") for page in load(place)
    )


def measure(place: str, methods: list[str]) -> dict[str, Any]:
    """F1 of the first method, and what else there is to say of all of them."""
    from webstrata.store.main_content import extract
    from webstrata.store.main_content.evaluate import evaluate, read_labelled

    pages = read_labelled(Path(place))
    found = {}
    for method in methods:
        extract(pages[0].body, method=method)  # what is loaded at first use is not counted
        quality = evaluate(pages, lambda body, url: extract(body, url=url, method=method))  # noqa: B023
        found[method] = {name: round(value, 4) for name, value in quality._asdict().items()} | {
            "pages_per_second": round(quality.pages_per_second, 1)
        }
    return {"value": found[methods[0]]["f1"], "methods": found}


def measure_ours(place: str) -> dict[str, Any]:
    """F1 of our filter, with our other methods in the details."""
    return measure(place, ["dom", "slope", "low-slope", "stored", "stored-dom"])


def measure_theirs(place: str) -> dict[str, Any]:
    """F1 of trafilatura."""
    return measure(place, ["trafilatura"])


FIGURES = (
    [
        Figure(
            name="main-content",
            ours=Call("bench.main_content:extract_ours"),
            theirs=Call("bench.main_content:extract_theirs"),
            peer=Installed("trafilatura"),
            prepare=prepare,
            data="main-content",
            measure="cpu",
        ),
        Figure(
            name="main-content-f1",
            ours=Call("bench.main_content:measure_ours"),
            theirs=Call("bench.main_content:measure_theirs"),
            peer=Installed("trafilatura"),
            prepare=prepare,
            data="main-content",
            measure="answer",
            unit="F1",
            better="more",
            rounds=1,
            quick_rounds=1,
            warm_up=False,
        ),
    ]
    if find_labelled().is_dir()
    else []
)

if __name__ == "__main__":
    main(FIGURES)
