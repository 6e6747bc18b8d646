"""A collection with two snapshots that captured the same site."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.archive.cdxj import Line
from webstrata.archive.warc import Capture, Revisit, WarcWriter
from webstrata.store.build import build_store

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b"HTTP/1.1 %d x\r\nContent-Type: text/html; charset=%s\r\n\r\n"


def capture_all(folder: Path, captures: list[Capture]) -> Path:
    """A folder as a crawl leaves it."""
    folder.mkdir()
    with WarcWriter(folder, "crawl") as writer, (folder / "captures.cdxj").open("wb") as out:
        for capture in captures:
            line = Line(
                url=capture.url,
                date=capture.date,
                mime="warc/revisit" if capture.revisit else "text/html",
                status=int(capture.head.split()[1]),
                digest=capture.digest,
                duplicate_of=capture.revisit.url if capture.revisit else None,
                truncated=capture.truncated,
                **writer.write(capture)._asdict(),
            )
            out.write(line.to_bytes())
    return folder


@pytest.fixture(scope="session")
def made_uk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection `uk` of all tests; to be copied, not changed."""
    return make_uk(tmp_path_factory.mktemp("table"))


@pytest.fixture
def uk(made_uk: Path, tmp_path: Path) -> ws.Collection:
    """In May: a, b, and c the same as b; in June: a changed, d, and b as it was in May."""
    shutil.copytree(made_uk, tmp_path / "uk", symlinks=True)
    return ws.open(tmp_path / "uk")


def make_uk(folder: Path) -> Path:
    collection = ws.create(folder / "uk")
    head = HEAD % (200, b"utf-8")
    old = 10**18
    same = "<title>The same</title><p>façade".encode()
    may = [
        Capture(url="http://a.org/", date=old, head=HEAD % (503, b"utf-8"), body=b"busy"),
        Capture(
            url="http://a.org/",
            date=old + 10**9,
            head=head,
            body=b"<title>May</title><a href=/x>one</a><a href=/x>two</a><a href=http://b.org/>B</a>",
        ),
        Capture(url="http://b.org/", date=old, head=head, body=same),
        Capture(
            url="http://c.org/",
            date=old + 10**9,
            head=head,
            body=same,
            revisit=Revisit("identical-digest", "http://b.org/", old),
        ),
    ]
    june = [
        Capture(
            url="http://a.org/",
            date=old + 10**15,
            head=HEAD % (200, b"latin1"),
            body="<title>Juné</title>".encode("latin1"),
        ),
        Capture(
            url="http://b.org/",
            date=old + 10**15,
            head=head,
            body=same,
            revisit=Revisit("identical-digest", "http://b.org/", old),
        ),
        Capture(url="http://d.org/p?q=1", date=old + 10**15, head=head, body=b"d"),
    ]
    build_store(collection.add("2026-05"), capture_all(folder / "may", may))
    build_store(collection.add("2026-06"), capture_all(folder / "june", june))
    return collection.path
