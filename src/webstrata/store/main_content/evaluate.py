r"""How good an extractor is on labelled pages, as scrapinghub/article-extraction-benchmark counts it.

A labelled set is a folder::

    ground-truth.json       {"<name>": {"articleBody": "…", "url": "…"}, …}
    html/<name>.html.gz     the page, UTF-8

The words of a text are the matches of ``\w+``; its shingles are all runs of four words, with their
multiplicity (a text with fewer words is one shingle). Of a page, with T the shingles of the true text and P
those of the extracted one,

    tp = Σ min(T, P)    fp = Σ max(0, P − T)    fn = Σ max(0, T − P)

each divided by tp + fp + fn, so that long pages weigh as much as short ones. Precision is the mean of
tp / (tp + fp) over the pages with tp + fp > 0, recall the mean of tp / (tp + fn) over those with tp + fn > 0,
and F1 is computed from the two means.
"""

from __future__ import annotations

import gzip
import json
import re
import time
import zlib
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.collection.tables import Rows
from webstrata.errors import FormatError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

SHINGLE = 4
"""Words of a shingle."""

_WORD = re.compile(r"\w+")


class Labelled(NamedTuple):
    """A page whose main content is known."""

    name: str
    url: str
    body: bytes
    truth: str


class TokenCounts(NamedTuple):
    """Shingles of a page that are rightly there, wrongly there, and missing, as shares of all."""

    tp: float
    fp: float
    fn: float


class Quality(NamedTuple):
    """How good an extractor is on a set of pages."""

    precision: float
    recall: float
    f1: float
    pages: int
    seconds: float
    """Of processor time, for all pages."""

    @property
    def pages_per_second(self) -> float:
        """Pages by the time it took."""
        return self.pages / self.seconds if self.seconds else 0.0


def read_labelled(folder: Path) -> list[Labelled]:
    """The pages of a labelled set, or `FormatError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "html").mkdir()
    >>> _ = (folder / "html" / "a.html.gz").write_bytes(gzip.compress(b"<p>Hello"))
    >>> truth = {"a": {"articleBody": "Hello", "url": "http://a.org/"}}
    >>> _ = (folder / "ground-truth.json").write_text(json.dumps(truth))
    >>> read_labelled(folder)
    [Labelled(name='a', url='http://a.org/', body=b'<p>Hello', truth='Hello')]
    """
    file = folder / "ground-truth.json"
    with explained(file, "read"):
        text = file.read_bytes()
    try:
        truth = {
            str(name): (str(page.get("url", "")), str(page["articleBody"]))
            for name, page in json.loads(text).items()
        }
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise FormatError(
            f'{file}: this is not {{"name": {{"articleBody": …}}, …}} ({error!r}); write it as JSON'
        ) from error
    pages = []
    for name, (url, main) in sorted(truth.items()):
        path = folder / "html" / f"{name}.html.gz"
        with explained(path, "read"):
            data = path.read_bytes()
        try:
            pages.append(Labelled(name, url, gzip.decompress(data), main))
        except (OSError, EOFError, zlib.error) as error:
            raise FormatError(f"{path}: this is no gzip file ({error}); restore it") from error
    if not pages:
        raise FormatError(f"{file}: it names no page; an empty set measures nothing")
    return pages


def count_shingles(truth: str, found: str) -> TokenCounts:
    """What a page contributes.

    Examples
    --------
    >>> count_shingles("one two three four five", "one two three four six")
    TokenCounts(tp=0.333..., fp=0.333..., fn=0.333...)
    """
    expected, got = _shingles(truth), _shingles(found)
    tp = (expected & got).total()
    fp, fn = got.total() - tp, expected.total() - tp
    total = tp + fp + fn
    return TokenCounts(tp / total, fp / total, fn / total) if total else TokenCounts(0.0, 0.0, 0.0)


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    if not words:
        return Counter()
    return Counter(tuple(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1)))


def summarize(counts: Iterable[TokenCounts]) -> tuple[float, float, float]:
    """Precision, recall and F1 of all pages; 0 where nothing can be counted.

    Examples
    --------
    >>> summarize([TokenCounts(0.5, 0.5, 0.0), TokenCounts(1.0, 0.0, 0.0)])
    (0.75, 1.0, 0.857...)
    """
    counts = list(counts)
    precisions = [page.tp / (page.tp + page.fp) for page in counts if page.tp + page.fp > 0]
    recalls = [page.tp / (page.tp + page.fn) for page in counts if page.tp + page.fn > 0]
    precision = sum(precisions) / len(precisions) if precisions else 0.0
    recall = sum(recalls) / len(recalls) if recalls else 0.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def evaluate(pages: Iterable[Labelled], extractor: Callable[[bytes, str], str]) -> Quality:
    """How good a function from body and URL to text is.

    Examples
    --------
    >>> pages = [Labelled("a", "http://a.org/", b"one two three four", "one two three four")]
    >>> quality = evaluate(pages, lambda body, url: body.decode())
    >>> quality.precision, quality.recall, quality.f1, quality.pages
    (1.0, 1.0, 1.0, 1)
    """
    counts, seconds = [], 0.0
    for page in pages:
        began = time.process_time()
        found = extractor(page.body, page.url)
        seconds += time.process_time() - began
        counts.append(count_shingles(page.truth, found))
    precision, recall, f1 = summarize(counts)
    return Quality(precision, recall, f1, len(counts), seconds)


def evaluate_methods(folder: Path, methods: Sequence[str] = (), *, progress: Progress | None = None) -> Rows:
    """How good and how fast each method is on the labelled pages of a folder, one row per method.

    Methods that need an extra that is not installed are left out, unless they are named.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "html").mkdir()
    >>> page = b"<nav><a href=/>Home</a></nav><main><p>A tale of a fish and of a storm.</p></main>"
    >>> _ = (folder / "html" / "a.html.gz").write_bytes(gzip.compress(page))
    >>> truth = {"a": {"articleBody": "A tale of a fish and of a storm.", "url": "http://a.example/"}}
    >>> _ = (folder / "ground-truth.json").write_text(json.dumps(truth))
    >>> [(row["method"], row["f1"]) for row in evaluate_methods(folder, ["dom"]).rows]
    [('dom', 1.0)]
    """
    from webstrata.store.main_content.methods import METHODS, extract

    pages = read_labelled(folder)
    rows = []
    for method in methods or METHODS:
        try:
            extract(pages[0].body, method=method)  # what is loaded at first use is not counted
        except MissingExtraError as error:
            if methods:
                raise
            (progress or Progress()).note(f"{method} is left out: {error}")
            continue
        quality = evaluate(pages, lambda body, url: extract(body, url=url, method=method))  # noqa: B023
        speed = quality.pages_per_second
        rows.append({"method": method, **quality._asdict(), "pages_per_second": speed})
    headings = {"method": "method", "precision": "precision", "recall": "recall", "f1": "F1"}
    return Rows(
        "methods",
        rows,
        {"folder": str(folder), "pages": len(pages)},
        headings=headings | {"pages_per_second": "pages/s"},
        formats=dict.fromkeys(("precision", "recall", "f1"), ".3f") | {"pages_per_second": ",.0f"},
    )
