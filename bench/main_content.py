"""How well and how fast main content is found: ours, trafilatura, resiliparse, and the whole visible text.

`python -m bench.main_content --table` prints F1 of each method on each labelled set (`bench.labelled`), and
pages per second of processor time, from a page in memory to its main content. ``dom`` is what the part `text`
of a snapshot keeps; ``visual`` uses visual cues too. ``visible`` is the simple baseline: all visible text of
a page. trafilatura runs in its fast mode, which is as good as its default here and faster; resiliparse in the
environment of the peers (`make peers`). ``--each`` adds a line for each documentation generator. Rules were
chosen on sets called ``tuning``, and on no page of those called ``held-out``; ``untouched`` sets were added
after the last rule was fixed.

Figures, as JSON lines, where the labelled pages are there:

`main-content`: processor seconds for all labelled articles (`--quick`: 30 of them), ours and trafilatura's.
`main-content-f1`: F1 on the same pages, as scrapinghub/article-extraction-benchmark counts it.
`main-content-docs`: F1 on the documentation pages of the generators that nothing was tuned on.
"""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.floors import read_floors, require
from bench.frame import PEERS, ROOT, BenchError, Call, Figure, digest_tree, main
from bench.html import Installed
from bench.labelled import (
    PARTS,
    digest_pages,
    find_articles,
    has_documentation,
    read_articles,
    read_documentation,
)

if TYPE_CHECKING:
    from webstrata.store.main_content.evaluate import Labelled, Quality

_NUM_QUICK = 30
OURS = ("dom", "visual", "low-slope", "slope", "trafilatura")
"""Methods of `webstrata.store.main_content`, in our environment."""


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Copy the labelled articles."""
    source = find_articles()
    truth = json.loads((source / "ground-truth.json").read_text())
    names = sorted(truth)[: _NUM_QUICK if quick else None]
    (folder / "html").mkdir()
    for name in names:
        shutil.copyfile(source / "html" / f"{name}.html.gz", folder / "html" / f"{name}.html.gz")
    (folder / "ground-truth.json").write_text(json.dumps({name: truth[name] for name in names}))


def prepare_documentation(folder: Path, _quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the documentation pages that nothing was tuned on, as a labelled set."""
    import gzip

    (folder / "html").mkdir()
    truth = {}
    for generator, pages in read_documentation("held-out")[0].items():
        for number, page in enumerate(pages):
            name = f"{generator}-{number:02}"
            (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(page.body, mtime=0))
            truth[name] = {"articleBody": page.truth, "url": page.url}
    (folder / "ground-truth.json").write_text(json.dumps(truth))


@functools.cache
def load(place: str) -> list[bytes]:
    """The pages of an input."""
    from webstrata.store.main_content.evaluate import read_labelled

    return [page.body for page in read_labelled(Path(place))]


def extract_all(place: str, method: str) -> int:
    """Extract all pages of an input; characters found."""
    from webstrata.store.main_content import extract

    return sum(len(extract(page, method=method)) for page in load(place))


def extract_ours(place: str) -> int:
    """Extract all pages with the method that snapshots keep."""
    return extract_all(place, "dom")


def extract_theirs(place: str) -> int:
    """Extract all pages with trafilatura."""
    return extract_all(place, "trafilatura")


def measure(place: str, methods: list[str]) -> dict[str, Any]:
    """F1 of the first method, and what else there is to say of all of them."""
    from webstrata.store.main_content.evaluate import read_labelled

    pages = read_labelled(Path(place))
    found = {}
    for method in methods:
        quality = measure_method(pages, method)
        found[method] = {name: round(value, 4) for name, value in quality._asdict().items()} | {
            "pages_per_second": round(quality.pages_per_second, 1)
        }
    return {"value": found[methods[0]]["f1"], "methods": found}


def measure_ours(place: str) -> dict[str, Any]:
    """F1 of the method that snapshots keep, with our other methods in the details."""
    return measure(place, ["dom", "slope", "low-slope", "visible"])


def measure_theirs(place: str) -> dict[str, Any]:
    """F1 of trafilatura."""
    return measure(place, ["trafilatura"])


def measure_method(pages: list[Labelled], method: str) -> Quality:
    """How good and how fast a method is: one of `OURS`, ``visible`` or ``resiliparse``."""
    from webstrata.store.main_content import extract
    from webstrata.store.main_content.evaluate import Quality, count_shingles, evaluate, summarize
    from webstrata.web.html import scan

    if method == "resiliparse":
        texts, seconds = run_resiliparse(pages)
        counts = [count_shingles(page.truth, text) for page, text in zip(pages, texts, strict=True)]
        return Quality(*summarize(counts), len(pages), seconds)
    if method == "visible":
        return evaluate(pages, lambda body, _url: scan(body, text=True).text)
    extract(pages[0].body, method=method)  # what is loaded at first use is not counted
    return evaluate(pages, lambda body, url: extract(body, url=url, method=method))


# ---- resiliparse, in the environment of the peers


def run_resiliparse(pages: list[Labelled]) -> tuple[list[str], float]:
    """Main content of pages by resiliparse, and its processor seconds."""
    from webstrata.store.main_content.tokens import decode

    command = [str(PEERS / "python"), "-m", "bench.main_content", "--serve-resiliparse"]
    told = json.dumps([decode(page.body) for page in pages])
    done = subprocess.run(command, input=told, cwd=ROOT, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    return answer["texts"], answer["seconds"]


def serve_resiliparse() -> None:
    """Read pages on stdin and write their main content: what the peers' interpreter runs."""
    from resiliparse.extract.html2text import extract_plain_text  # type: ignore[import-not-found]

    pages = json.load(sys.stdin)
    began = time.process_time()
    texts = [extract_plain_text(page, main_content=True, alt_texts=False) for page in pages]
    json.dump({"texts": texts, "seconds": time.process_time() - began}, sys.stdout)


# ---- the table


def print_table(*, each: bool) -> None:
    """F1 of each method on each set, checked against the floors; what is absent is said on stderr."""
    methods = ["visible", "low-slope", "dom", "visual", "trafilatura", "resiliparse"]
    if not list(PEERS.parent.glob("lib/python*/site-packages/resiliparse")):
        print("resiliparse is left out: run `make peers`", file=sys.stderr)
        methods.remove("resiliparse")
    sets: dict[str, list[Labelled]] = {}
    for part in PARTS:
        generators, absent = read_documentation(part)
        for sentence in absent:
            print(sentence, file=sys.stderr)
        if each:
            sets |= {f"{part}: {name}": pages for name, pages in generators.items()}
        sets[f"documentation, {part}"] = [page for pages in generators.values() for page in pages]
    sets |= {
        "articles, tuning": read_articles("articles"),
        "articles, held-out": read_articles("articles-rest"),
    }
    readability = read_articles("readability")
    sets |= {"readability, tuning": readability[::2], "readability, held-out": readability[1::2]}
    print(f"{'F1':28} {'pages':>5} " + " ".join(f"{method:>12}" for method in methods))
    speeds: dict[str, list[tuple[int, float]]] = {method: [] for method in methods}
    ours: dict[str, float] = {}
    for name, pages in sets.items():
        if not pages:
            print(
                f"{name} is left out: no pages (bench/labelled.py says where they come from)", file=sys.stderr
            )
            continue
        row = []
        for method in methods:
            quality = measure_method(pages, method)
            row.append(f"{quality.f1:12.3f}")
            speeds[method].append((quality.pages, quality.seconds))
            if method == "dom":
                ours[name] = quality.f1
        print(f"{name:28} {len(pages):5} " + " ".join(row), flush=True)
    rates = [sum(n for n, _ in found) / (sum(s for _, s in found) or 1) for found in speeds.values()]
    print(f"{'pages/s, one core':34} " + " ".join(f"{rate:12.0f}" for rate in rates))
    if "articles, tuning" in ours:
        require("main-content-dom", ours["articles, tuning"], digest_tree(find_articles(), "content"))
    held_out = sets["documentation, held-out"]
    if digest_pages(held_out) == read_floors()["main-content-docs"].input:  # other versions have other pages
        require("main-content-docs", ours["documentation, held-out"], digest_pages(held_out))


def _figure(name: str, data: str, prepare_it: Any) -> Figure:  # noqa: ANN401 (a function, as the frame has it)
    return Figure(
        name=name,
        ours=Call("bench.main_content:measure_ours"),
        theirs=Call("bench.main_content:measure_theirs"),
        peer=Installed("trafilatura"),
        prepare=prepare_it,
        data=data,
        measure="answer",
        unit="F1",
        better="more",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
    )


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
        _figure("main-content-f1", "main-content", prepare),
    ]
    if find_articles().is_dir()
    else []
) + (
    [_figure("main-content-docs", "main-content-docs", prepare_documentation)] if has_documentation() else []
)

if __name__ == "__main__":
    if "--serve-resiliparse" in sys.argv:
        serve_resiliparse()
    elif "--table" in sys.argv:
        try:
            print_table(each="--each" in sys.argv)
        except BenchError as error:
            sys.exit(f"bench.main_content: {error}")
    else:
        main(FIGURES)
