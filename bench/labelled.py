"""Pages whose main content is known: documentation of many generators, and articles of public benchmarks.

`python -m bench.labelled` brings the documentation packages that `main_content.toml` names into the folder
`WEBSTRATA_CORPUS` (`apt-get download`, `dpkg-deb -x`), one folder per package, and prints how many pages each
generator gives. Pages are never committed; a set whose folder is absent is left out, and a sentence says so.

===================  =====================================================================================
``documentation``    generators of `main_content.toml`; truth is the text of the generator's body element
``articles``         ``content`` of the third-party data that tests use: 91 articles with their text; rules
                     were chosen on them
``articles-rest``    the other pages of scrapinghub/article-extraction-benchmark, where a clone of it is
                     ``$WEBSTRATA_CORPUS/article-extraction-benchmark``
``readability``      test pages of mozilla/readability, truth is the text of ``expected.html``; a clone in
                     ``$WEBSTRATA_CORPUS/readability``; rules were chosen on every other one
===================  =====================================================================================
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import ROOT, BenchError, find_corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.store.main_content.evaluate import Labelled

FILE = Path(__file__).with_suffix("").with_name("main_content.toml")
PARTS = ("tuning", "held-out", "untouched")
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
"""Elements within a line; any other separates words."""
UNSEEN = frozenset({"script", "style", "noscript", "template", "title", "-comment"})
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Generator:
    """A table of `main_content.toml`."""

    name: str
    part: str
    package: str
    paths: str
    selector: str
    remove: str = ""
    without: tuple[str, ...] = ()
    pages: int
    words: int


def read_generators(file: Path = FILE) -> list[Generator]:
    """The generators of `file`, in its order."""
    tables: dict[str, Any] = tomllib.loads(file.read_text())
    common = {name: tables.pop(name) for name in ("pages", "words")}
    found = []
    for name, table in tables.items():
        fields = common | table | {"without": tuple(table.get("without", ()))}
        found.append(Generator(name=name, **fields))
    return found


def read_text(node: Any) -> str:  # noqa: ANN401 (selectolax has no types)
    """The text of an element, a line for each element that is not within a line."""
    pieces: list[str] = []
    waiting: list[Any] = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif node.tag == "-text":
            pieces.append(node.text_content or "")
        elif node.tag not in UNSEEN:
            edge = "" if node.tag in INLINE else "\n"
            waiting += [edge, *reversed(list(node.iter(include_text=True))), edge]
    return "".join(pieces)


def select(body: bytes, selector: str, remove: str = "") -> str:
    """The text of the first element that a selector finds in a page; nothing where it finds none."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(body.decode("utf-8", "replace"))
    node = tree.css_first(selector)
    if node is None:
        return ""
    for inner in node.css(remove) if remove else ():
        inner.decompose()
    return read_text(node)


def sample(generator: Generator, corpus: Path) -> Iterator[Labelled]:
    """The pages of a generator, by the rule of `main_content.toml`."""
    from webstrata.store.main_content.evaluate import Labelled

    folder = corpus / generator.package
    names = [path.relative_to(folder) for path in folder.glob(generator.paths) if path.is_file()]
    names = [name for name in names if not any(name.match(glob) for glob in generator.without)]
    found = 0
    for name in sorted(names, key=lambda name: hashlib.sha256(str(name).encode()).digest()):
        if found == generator.pages:
            break
        body = (folder / name).read_bytes()
        truth = select(body, generator.selector, generator.remove)
        if len(_WORD.findall(truth)) >= generator.words:
            found += 1
            yield Labelled(f"{generator.name}/{name.name}", f"http://{generator.package}/{name}", body, truth)


def read_documentation(part: str) -> tuple[dict[str, list[Labelled]], list[str]]:
    """Pages of each generator of a part (one of `PARTS`), and a sentence for each absent one."""
    try:
        corpus = find_corpus()
    except BenchError as error:
        return {}, [str(error)]
    sets, absent = {}, []
    for generator in read_generators():
        if generator.part == part:
            pages = list(sample(generator, corpus))
            if pages:
                sets[generator.name] = pages
            else:
                absent.append(
                    f"{generator.name}: {corpus / generator.package} has no page of it; "
                    "run `python -m bench.labelled`"
                )
    return sets, absent


def digest_pages(pages: list[Labelled]) -> str:
    """The SHA-256 of pages and their truth, as floors name their input."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(hashlib.sha256(page.body).digest() + hashlib.sha256(page.truth.encode()).digest())
    return f"sha256:{digest.hexdigest()}"


def has_documentation() -> bool:
    """Whether a package of a held-out generator is there."""
    named = os.environ.get("WEBSTRATA_CORPUS", "")
    return bool(named) and any(
        (Path(named) / generator.package).is_dir()
        for generator in read_generators()
        if generator.part == "held-out"
    )


def find_articles() -> Path:
    """The folder of the 91 labelled articles; it need not be there."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    return (Path(named) if named else ROOT.parent / "shared" / "data") / "content"


def read_articles(name: str) -> list[Labelled]:
    """The pages of ``articles``, ``articles-rest`` or ``readability``; none where the folder is absent."""
    from webstrata.store.main_content.evaluate import Labelled, read_labelled

    articles = read_labelled(find_articles()) if find_articles().is_dir() else []
    if name == "articles":
        return articles
    try:
        corpus = find_corpus()
    except BenchError:
        return []
    if name == "articles-rest":
        folder, known = corpus / "article-extraction-benchmark", {page.name for page in articles}
        pages = read_labelled(folder) if folder.is_dir() else []
        return [page for page in pages if page.name not in known]
    found = []
    for folder in sorted((corpus / "readability" / "test" / "test-pages").glob("*")):
        expected = (folder / "expected.html").read_bytes()
        found.append(
            Labelled(
                folder.name,
                "http://fakehost/test/page.html",
                (folder / "source.html").read_bytes(),
                select(expected, "body"),
            )
        )
    return found


def fetch() -> list[str]:
    """Bring the packages that are not there yet; a sentence for each that cannot be had."""
    corpus, failed = find_corpus(), []
    for package in sorted({generator.package for generator in read_generators()}):
        folder = corpus / package
        if folder.is_dir():
            continue
        download = corpus / f".{package}"
        download.mkdir(exist_ok=True)
        try:
            subprocess.run(["apt-get", "download", package], cwd=download, check=True, capture_output=True)
            [archive] = download.glob("*.deb")
            subprocess.run(["dpkg-deb", "-x", archive, folder], check=True, capture_output=True)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            failed.append(f"{package}: it could not be brought ({error}); unpack it to {folder}")
        for file in download.iterdir():
            file.unlink()
        download.rmdir()
    return failed


def main() -> None:
    """Bring what is missing and print what there is."""
    try:
        failed = fetch()
    except BenchError as error:
        sys.exit(f"bench.labelled: {error}")
    for part in PARTS:
        sets, absent = read_documentation(part)
        failed += absent
        for name, pages in sets.items():
            print(f"{part:9} {name:14} {len(pages):3} pages")
    for name in ("articles", "articles-rest", "readability"):
        print(f"{'articles':9} {name:14} {len(read_articles(name)):3} pages")
    for sentence in failed:
        print(f"bench.labelled: {sentence}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
