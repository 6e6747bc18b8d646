"""Documentation sets with known-item queries, for `bench.search_quality`.

**Sets.** `docs` is ``docs/docs.warc.gz`` of the third-party data (`WEBSTRATA_TEST_DATA`) with its own
queries. The others are documentation packages of Debian, unpacked below the folder that `WEBSTRATA_CORPUS`
names (``apt-get download PACKAGE; dpkg -x FILE.deb $WEBSTRATA_CORPUS/PACKAGE``), at most `MAX_PAGES` pages
of each, chosen by the SHA-256 of their paths. The part of a set says what it is for: defaults are chosen on
`tuning` and reported on `report`; sets of `untouched` were added after all of them, and nothing was changed
for them. The queries of `docs` are split by the SHA-256 of the page's URL.

**Queries** are drawn from the HTML by the rule below. No extractor is involved, and no search engine:

- The paragraphs of a page are the texts of its ``<p>`` and ``<dd>`` elements. Pages with fewer than 40 words
  in paragraphs, and pages whose paragraphs equal those of another page, are not asked for.
- *sentence*: 5 to 9 consecutive words of a paragraph, as they are written; punctuation at the beginning and
  the end of each word is removed.
- *keywords*: three words of the paragraphs (3 letters or more, lower case), drawn from the 30 with the lowest
  document frequency, not counting words that are on one page only.
- *navigational*: the text of a link (1 to 8 words) to a page, without a fragment, between two sections of the
  set: other hosts, or other first folders of a host. All links between sections with this text lead to one
  page, and at most a tenth of the pages have one: the text is neither ambiguous nor a menu. The right answer
  is the page that the link leads to.

`NUM_QUERIES` of each kind are drawn with the seed `SEED`, by page, so that no page is asked for twice with
one kind. The ``href`` of each link between sections to a page that is asked for is removed before
indexing, for ours and for the peers.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from bench.frame import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

MAX_PAGES = 1500
NUM_QUERIES = 150
SEED = 26
KINDS = ("sentence", "keywords", "navigational")
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_NAMES = re.compile(r"\.html?(\.gz)?$")


class Query(NamedTuple):
    """What is asked, and the URL of the page that is right."""

    kind: str
    text: str
    url: str


@dataclass(frozen=True)
class Corpus:
    """A documentation set: a package of Debian and the folder of its pages, or `docs`."""

    name: str
    part: str
    package: str = ""
    under: str = ""

    def find(self) -> Path | str:
        """Its folder or WARC file, or a sentence that says why it is absent."""
        if not self.package:
            named = os.environ.get("WEBSTRATA_TEST_DATA")
            data = Path(named) if named else ROOT.parent / "shared" / "data"
            path = data / "docs" / "docs.warc.gz"
            return path if path.is_file() else f"{self.name}: no docs/docs.warc.gz in WEBSTRATA_TEST_DATA"
        named = os.environ.get("WEBSTRATA_CORPUS")
        if not named:
            return f"{self.name}: WEBSTRATA_CORPUS is not set; unpack the package {self.package} below it"
        folder = Path(named) / self.package / self.under
        return (
            folder if folder.is_dir() else f"{self.name}: no pages of the package {self.package} in {named}"
        )


CORPORA = (
    Corpus("docs", "both"),
    Corpus("octave", "tuning", "octave-doc", "usr/share/doc/octave/octave.html"),
    Corpus("erlang", "tuning", "erlang-doc", "usr/share/doc/erlang-doc"),
    Corpus("apache", "report", "apache2-doc", "usr/share/doc/apache2-doc/manual/en"),
    Corpus("sqlalchemy", "report", "python-sqlalchemy-doc", "usr/share/doc/python-sqlalchemy-doc/html"),
    Corpus("qt", "report", "qtbase5-doc-html", "usr/share/qt5/doc"),
    # added when all defaults were fixed, before anything was run on them
    Corpus("gap", "report", "gap-doc", "usr/share/gap/doc"),
    Corpus("maxima", "report", "maxima-doc", "usr/share/doc/maxima-doc/html"),
    Corpus("tomcat", "report", "tomcat10-docs", "usr/share/tomcat10-docs/docs"),
    Corpus("exim", "untouched", "exim4-doc-html", "usr/share/doc/exim4-doc-html"),
    Corpus("grass", "untouched", "grass-doc", "usr/share/doc/grass-doc/html"),
    Corpus("sympy", "untouched", "python-sympy-doc", "usr/share/doc/python-sympy-doc/html"),
    Corpus("boost", "untouched", "libboost1.74-doc", "usr/share/doc/libboost1.74-doc/doc/html"),
    Corpus("lilypond", "untouched", "lilypond-doc-html", "usr/share/doc/lilypond/html/Documentation"),
    Corpus("llvm", "untouched", "llvm-14-doc", "usr/share/doc/llvm-14-doc/html"),
)


# ---- pages


def read_pages(corpus: Corpus, place: Path) -> dict[str, bytes]:
    """The HTML of each page, by URL, in order."""
    if not corpus.package:
        return dict(sorted(_read_warc(place)))
    names = [
        path.relative_to(place).as_posix()
        for path in place.rglob("*")
        if _NAMES.search(path.name) and path.is_file() and not path.is_symlink()
    ]
    names = sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:MAX_PAGES]
    found = {}
    for name in sorted(names):
        body = (place / name).read_bytes()
        url = f"http://{corpus.name}.docs.test/{name.removesuffix('.gz')}"
        found[url] = gzip.decompress(body) if name.endswith(".gz") else body
    return found


def _read_warc(path: Path) -> Iterator[tuple[str, bytes]]:
    from webstrata.archive.warc import read_records

    for record in read_records(path, kinds=("response",)):
        if record.url and b" 200" in record.head.partition(b"\r\n")[0]:
            yield record.url, record.payload


@dataclass
class Outline:
    """The paragraphs of a page and its links with their texts."""

    paragraphs: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects the texts of ``p``, ``dd`` and ``a`` elements."""

    def __init__(self) -> None:
        super().__init__()
        self.outline = Outline()
        self._block: list[str] | None = None
        self._link: tuple[str, list[str]] | None = None
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style"):
            self._skipped += 1
        elif tag in ("p", "dd"):
            self._end_block()
            self._block = []
        elif tag == "a":
            self._end_link()
            if href := dict(attrs).get("href"):
                self._link = (href, [])
        elif tag not in _VOID and tag in ("div", "ul", "ol", "dl", "dt", "table", "pre", "li"):
            self._end_block()

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._skipped = max(0, self._skipped - 1)
        elif tag in ("p", "dd", "div"):
            self._end_block()
        elif tag == "a":
            self._end_link()

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if self._block is not None:
            self._block.append(data)
        if self._link is not None:
            self._link[1].append(data)

    def close(self) -> None:
        super().close()
        self._end_block()
        self._end_link()

    def _end_block(self) -> None:
        if self._block and (text := " ".join("".join(self._block).split())):
            self.outline.paragraphs.append(text)
        self._block = None

    def _end_link(self) -> None:
        if self._link and (text := " ".join("".join(self._link[1]).split())):
            self.outline.links.append((self._link[0], text))
        self._link = None


def outline(body: bytes) -> Outline:
    """The paragraphs and links of a page.

    Examples
    --------
    >>> outline(b"<p>Big <b>fish</b><p>swim <a href='a.html'>far</a>").paragraphs
    ['Big fish', 'swim far']
    """
    reader = _Reader()
    reader.feed(_decode(body))
    reader.close()
    return reader.outline


def _decode(body: bytes) -> str:
    found = re.search(rb"charset=[\"']?([\w-]+)", body[:2048])
    try:
        return body.decode(found[1].decode() if found else "utf-8")
    except (LookupError, UnicodeDecodeError):
        return body.decode("latin-1")


# ---- queries


def make_queries(pages: Mapping[str, bytes]) -> list[Query]:
    """Queries of all kinds, by the rule in the header."""
    outlines = {url: outline(body) for url, body in pages.items()}
    asked = _choose_pages(outlines)
    return [
        *_draw("sentence", asked, lambda url, rng: _draw_sentence(outlines[url].paragraphs, rng)),
        *_draw("keywords", asked, _make_keywords(outlines)),
        *_make_navigational(outlines),
    ]


def _choose_pages(outlines: Mapping[str, Outline]) -> list[str]:
    texts = {url: " ".join(found.paragraphs) for url, found in outlines.items()}
    times = Counter(texts.values())
    return [url for url, text in texts.items() if len(text.split()) >= 40 and times[text] == 1]


def _draw(
    kind: str, urls: Sequence[str], make: Callable[[str, random.Random], str | None]
) -> Iterator[Query]:
    rng = random.Random(f"{SEED} {kind}")
    order = list(urls)
    rng.shuffle(order)
    found = 0
    for url in order:
        if found < NUM_QUERIES and (text := make(url, rng)):
            found += 1
            yield Query(kind, text, url)


def _draw_sentence(paragraphs: Sequence[str], rng: random.Random) -> str | None:
    long = [text for text in paragraphs if len(text.split()) >= 9]
    if not long:
        return None
    words = [word.strip("\"'“”‘’`.,;:!?()[]{}<>…") for word in rng.choice(long).split()]
    words = [word for word in words if any(map(str.isalnum, word))]
    size = rng.randint(5, 9)
    if len(words) < size:
        return None
    start = rng.randint(0, len(words) - size)
    return " ".join(words[start : start + size])


def _make_keywords(outlines: Mapping[str, Outline]) -> Callable[[str, random.Random], str | None]:
    words = {
        url: set(re.findall(r"\b[a-z]{3,}\b", " ".join(found.paragraphs).lower()))
        for url, found in outlines.items()
    }
    frequencies = Counter(word for own in words.values() for word in own)

    def make(url: str, rng: random.Random) -> str | None:
        known = [word for word in sorted(words[url]) if frequencies[word] > 1]
        rarest = sorted(known, key=lambda word: frequencies[word])[:30]
        return " ".join(sorted(rng.sample(rarest, 3))) if len(rarest) >= 3 else None

    return make


def _make_navigational(outlines: Mapping[str, Outline]) -> Iterator[Query]:
    targets: defaultdict[str, set[str]] = defaultdict(set)
    sources: defaultdict[str, set[str]] = defaultdict(set)
    for source, target, text in _links_between(outlines):
        if 1 <= len(text.split()) <= 8 and any(map(str.isalpha, text)):
            key = text.lower()
            targets[key].add(target)
            sources[key].add(source)
    least = len(outlines) / 10
    found: defaultdict[str, list[str]] = defaultdict(list)
    for text, leads in sorted(targets.items()):
        if len(leads) == 1 and len(sources[text]) <= least:
            found[next(iter(leads))].append(text)
    yield from _draw("navigational", sorted(found), lambda url, rng: rng.choice(found[url]))


def _links_between(outlines: Mapping[str, Outline]) -> Iterator[tuple[str, str, str]]:
    """Links between sections: source, target, text."""
    names = {url.rpartition("/")[2] for url in outlines}
    for source, own in outlines.items():
        for href, text in own.links:
            if "#" in href or href.rpartition("/")[2] not in names:
                continue
            target = resolve(source, href)
            if target in outlines and find_section(source) != find_section(target):
                yield source, target, text


@functools.lru_cache(maxsize=1 << 16)
def resolve(source: str, href: str) -> str:
    """The URL that a link leads to, without fragment; empty where it is none.

    Examples
    --------
    >>> resolve("http://a.docs.test/x/b.html", "../c.html#d")
    'http://a.docs.test/c.html'
    """
    try:
        return urldefrag(urljoin(source, href.strip())).url
    except ValueError:
        return ""


def find_section(url: str) -> tuple[str, str]:
    """The host and first folder of a URL.

    Examples
    --------
    >>> find_section("http://a.docs.test/x/b.html"), find_section("http://a.docs.test/c.html")
    (('a.docs.test', 'x'), ('a.docs.test', ''))
    """
    parts = urlsplit(url)
    folders = parts.path.split("/")[1:-1]
    return parts.hostname or "", folders[0] if folders else ""


def read_queries(path: Path) -> list[Query]:
    """The queries of a file with a line per query: kind, text and URL, separated by tabs."""
    lines = path.read_text().splitlines()[1:]
    return [Query(*line.split("\t")) for line in lines]


def is_tuning(corpus: Corpus, query: Query) -> bool:
    """Whether a query is of the part that defaults are chosen on."""
    if corpus.part != "both":
        return corpus.part == "tuning"
    return hashlib.sha256(query.url.encode()).digest()[0] % 2 == 0


def load(corpus: Corpus, place: Path) -> tuple[dict[str, bytes], list[Query]]:
    """The pages to be indexed, without the links that navigational queries ask for, and the queries."""
    pages = read_pages(corpus, place)
    queries = make_queries(pages)
    if not corpus.package:
        given = read_queries(place.with_name("queries.tsv"))
        queries = given + [query for query in queries if query.kind == "navigational"]
    wanted = {query.url for query in queries if query.kind == "navigational"}
    return {url: _remove_links(url, body, wanted) for url, body in pages.items()}, queries


_LINK = re.compile(rb"<a\b[^>]*?\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)


def _remove_links(url: str, body: bytes, wanted: set[str]) -> bytes:
    """The page with the ``href`` of links between sections to some pages removed."""
    names = {target.rpartition("/")[2] for target in wanted}
    pieces, place = [], 0
    for found in _LINK.finditer(body):
        group = found.lastindex or 1
        href = found[group].decode("latin-1").replace("&amp;", "&").partition("#")[0]
        # some pages have a thousand links
        if href.rpartition("/")[2] not in names:
            continue
        target = resolve(url, href)
        if target in wanted and find_section(url) != find_section(target):
            pieces.append(body[place : found.start(group)])
            place = found.end(group)
    return b"".join([*pieces, body[place:]])
