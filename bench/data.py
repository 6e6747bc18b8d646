"""Make the inputs that benchmarks share, once: `python -m bench.data`, which `make bench-data` runs.

An input is what a figure declares with `prepare`; it is kept in .bench-data/full under its name. Remove the
folder to have it made again.

**Real pages** are those below the folder that `WEBSTRATA_CORPUS` names (`real_pages`). Documentation packages
of Debian serve: `apt-get download python3.11-doc openjdk-17-doc python-sklearn-doc …`, and for each
`dpkg -x FILE.deb $WEBSTRATA_CORPUS/PACKAGE`.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import pkgutil
import sys
from typing import TYPE_CHECKING

import bench
from bench.frame import DATA, BenchError, Figure, digest_tree, find_corpus, find_input

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGES = (".html", ".htm", ".html.gz", ".htm.gz")


def real_pages(count: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Address and body of `count` real pages, the same each time, drawn from all of the corpus; in its order.

    The first folder of a page is its host: ``python3.11-doc/usr/a.html`` is ``http://python3.11-doc/usr/a.html``.
    """
    corpus = find_corpus()
    names = [
        path.relative_to(corpus).as_posix()
        for path in corpus.rglob("*")
        if path.name.endswith(_PAGES) and path.is_file() and not path.is_symlink()
    ]
    if count is not None:
        names = sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:count]
    for name in sorted(names):
        body = (corpus / name).read_bytes()
        yield f"http://{name.removesuffix('.gz')}", gzip.decompress(body) if name.endswith(".gz") else body


def find_figures() -> list[Figure]:
    """The figures of every module of this folder, in the order of the modules' names."""
    figures: list[Figure] = []
    for module in sorted(found.name for found in pkgutil.iter_modules(bench.__path__)):
        if module != "__main__":
            figures += getattr(importlib.import_module(f"bench.{module}"), "FIGURES", [])
    return figures


def main() -> None:
    """Make every input that is not there yet, and say what there is."""
    failed = False
    inputs = {figure.data or figure.name: figure for figure in find_figures()}
    for name, figure in inputs.items():
        try:
            place = find_input(figure, quick=False)
        except BenchError as error:
            failed = True
            print(f"bench-data: {name}: {error}", file=sys.stderr)
            continue
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        digest = digest_tree(place, name)
        print(f"{place.relative_to(DATA.parent)}  {size:,} bytes  {digest}".replace(",", " "))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
