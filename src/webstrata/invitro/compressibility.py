"""How pages compress, beside real ones.

The ratio is bytes over gzip's bytes (level 6), each page by itself. It is taken twice: of the HTML as it goes
over the wire, and of what is left when scripts, styles, comments and tags are cut out, because markup and
text compress for different reasons.
"""

from __future__ import annotations

import gzip
import re
import statistics
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MAX_PAGES = 300
_HIDDEN = re.compile(rb"(?is)<(script|style|noscript|svg)\b.*?</\1\s*>|<!--.*?-->")
_TAG = re.compile(rb"<[^>]*>")
_SPACE = re.compile(rb"\s+")
_LINK = re.compile(rb"(?i)<a\s[^>]*\bhref")


@dataclass(frozen=True)
class PageSizes:
    """Sizes of a sample of pages; those over all pages are sums, the others medians."""

    source: str
    num_pages: int
    mean_bytes: float
    median_bytes: float
    links_per_page: float
    html_ratio: float
    """Of the median page."""
    text_ratio: float
    """Of the median page, without its markup."""
    text_share: float
    """Mean share of the text in the bytes of a page."""


REAL_ARTICLES = PageSizes(
    source="91 real articles (scrapinghub/article-extraction-benchmark)",
    num_pages=91,
    mean_bytes=186_096,
    median_bytes=116_788,
    links_per_page=153.1,
    html_ratio=4.65,
    text_ratio=2.23,
    text_share=0.082,
)
"""What `measure_pages` finds for real pages, for those who have none at hand."""


def measure_pages(source: str, pages: Sequence[bytes]) -> PageSizes:
    """Sizes and compressibility of pages.

    Examples
    --------
    >>> page = b"<p>" + b"word " * 200 + b"<a href='/'>home</a>"
    >>> sizes = measure_pages("one page", [page])
    >>> sizes.num_pages, sizes.links_per_page, sizes.html_ratio > 10
    (1, 1.0, True)
    """
    texts = [strip_markup(page) for page in pages]
    return PageSizes(
        source=source,
        num_pages=len(pages),
        mean_bytes=statistics.fmean(map(len, pages)),
        median_bytes=statistics.median(map(len, pages)),
        links_per_page=statistics.fmean(len(_LINK.findall(page)) for page in pages),
        html_ratio=statistics.median(_ratio(page) for page in pages),
        text_ratio=statistics.median(_ratio(text) for text in texts),
        text_share=statistics.fmean(len(text) / len(page) for text, page in zip(texts, pages, strict=True)),
    )


def strip_markup(page: bytes) -> bytes:
    """The text of a page, roughly: without scripts, styles, comments and tags.

    Examples
    --------
    >>> strip_markup(b"<p>One<script>two()</script> <b>three</b>")
    b' One three '
    """
    return _SPACE.sub(b" ", _TAG.sub(b" ", _HIDDEN.sub(b" ", page)))


def read_corpus(folder: Path) -> list[bytes]:
    """Up to `MAX_PAGES` real pages below a folder: ``.html`` or ``.htm``, also gzipped.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "a.html").write_text("<p>a")
    >>> _ = (folder / "b.html.gz").write_bytes(gzip.compress(b"<p>b"))
    >>> read_corpus(folder)
    [b'<p>a', b'<p>b']
    """
    names = re.compile(r"(?i)\.html?(\.gz)?$")
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and names.search(path.name))
    if not paths:
        raise MissingError(
            f"{folder}: no .html or .html.gz file is below it; name a folder of real pages with --corpus"
        )
    pages = []
    for path in paths[:MAX_PAGES]:
        with explained(path, "read"):
            data = path.read_bytes()
        try:
            pages.append(gzip.decompress(data) if path.name.endswith(".gz") else data)
        except (OSError, EOFError, zlib.error) as error:
            raise FormatError(
                f"{path}: this is no gzip file ({error}); restore it, or take it out"
            ) from error
    return [page for page in pages if page]


def _ratio(data: bytes) -> float:
    return len(data) / len(gzip.compress(data, 6))
