"""How fast the links of pages are found: our scan beside lexbor, a browser-grade parser, by selectolax.

Both sides get the same pages in memory and make, as Python objects, the targets of all `a`, `area`, `frame`
and `iframe`; ours has found title, directives and fingerprint on the way. The answer, distinct targets per
page summed over all pages, must be the same, or there is no figure. Seconds are of processor time, for all
pages of the input; pages per second are their number (`--quick`: 300) by that time.

`html-links`: 2 000 pages of the in-vitro web, some 20 KB and 60 links each. `html-links-real`: the pages of
the folder that `WEBSTRATA_CORPUS` names, up to as many; it is left out where none is named.
"""

from __future__ import annotations

import functools
import gzip
import importlib.metadata
import os
from dataclasses import dataclass
from pathlib import Path

from bench.frame import Call, Figure, Peer, find_corpus, main

_NUM_KINDS = 4
"""The first kinds of links: anchor, area, frame, iframe."""


@dataclass(frozen=True)
class Installed(Peer):
    """A peer that our own tests use too, and so is in our environment."""

    def _version(self) -> str:
        try:
            return importlib.metadata.version(self.name)
        except importlib.metadata.PackageNotFoundError:
            return ""


def _count(quick: bool) -> int:  # noqa: FBT001 (as the frame says it)
    return 300 if quick else 2000


def prepare_invitro(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write pages of the in-vitro web, one file each."""
    from bench.invitro import choose_pages
    from webstrata.invitro import Web

    web = Web("realistic", seed=7)
    for number, url in enumerate(choose_pages(web, _count(quick))):
        (folder / f"{number:05}.html").write_bytes(web.fetch(url).body)


def prepare_real(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Copy pages of the corpus, one file each."""
    paths = [path for path in sorted(find_corpus().rglob("*")) if path.suffix in (".html", ".htm", ".gz")]
    for number, path in enumerate(paths[: _count(quick)]):
        body = path.read_bytes()
        (folder / f"{number:05}.html").write_bytes(gzip.decompress(body) if path.suffix == ".gz" else body)


@functools.cache
def load(place: str) -> list[bytes]:
    """The pages of an input."""
    return [path.read_bytes() for path in sorted(Path(place).glob("*.html"))]


def scan_ours(place: str) -> int:
    """Scan all pages with the core."""
    from webstrata._core.web import scan_page

    total = 0
    for body in load(place):
        found = scan_page(body, "utf-8", tld="", agents=[], resources=False, anchors=False, text=False)
        total += len({target for kind, target, _, _ in found["links"] if kind < _NUM_KINDS})
    return total


def scan_lexbor(place: str) -> int:
    """Parse all pages and ask their trees."""
    from selectolax.lexbor import LexborHTMLParser

    blanks = "".join(map(chr, range(33)))
    total = 0
    for body in load(place):
        nodes = LexborHTMLParser(body).css("a[href], area[href], frame[src], iframe[src]")
        total += len(
            {
                target
                for node in nodes
                if (
                    target := (
                        (node.attributes.get("href") or node.attributes.get("src") or "").strip(blanks)
                    )
                )
                or node.tag in ("a", "area")
            }
        )
    return total


def _figure(name: str) -> Figure:
    return Figure(
        name=name,
        ours=Call("bench.html:scan_ours"),
        theirs=Call("bench.html:scan_lexbor"),
        peer=Installed("selectolax"),
        prepare=prepare_real if name.endswith("real") else prepare_invitro,
        measure="cpu",
        agree=True,
    )


FIGURES = [
    _figure("html-links"),
    *([_figure("html-links-real")] if os.environ.get("WEBSTRATA_CORPUS") else []),
]

if __name__ == "__main__":
    main(FIGURES)
