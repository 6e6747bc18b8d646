"""Collections with revisit records whose originals are in earlier snapshots, from real WARC files."""

from __future__ import annotations

import datetime as dt
import shutil
from typing import TYPE_CHECKING

import webstrata as ws
from tests.once import make_once
from webstrata.archive.warc import Capture, Revisit, WarcWriter
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from webstrata.api import Collection

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8"
HOME = b"<title>Home</title><p>The same home page in all three months, with a few words.<a href=/b>B</a>"
TERMS = b"<title>Terms</title><p>Terms of use, which two addresses share.<a href=/>home</a>"
URLS = ("http://a.example/", "http://a.example/b", "http://a.example/terms", "http://a.example/copy")


def date_of(label: str, second: int = 0) -> int:
    day = dt.datetime.fromisoformat(f"{label}-01").replace(tzinfo=dt.UTC)
    return (int(day.timestamp()) + second) * 10**9


def capture(
    url: str, label: str, second: int, body: bytes, original: tuple[str, int] | None = None
) -> Capture:
    revisit = Revisit("identical-digest", *original) if original else None
    return Capture(
        url=url,
        date=date_of(label, second),
        head=HTML,
        body=body,
        request=b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        revisit=revisit,
    )


def copy_made(factory: pytest.TempPathFactory, folder: Path) -> Collection:
    """A copy of what `make` makes, which is made once in a run of the tests."""
    made = make_once(factory, "revisits", make)
    shutil.copytree(made / "uk", folder / "uk", symlinks=True)
    return ws.open(folder / "uk")


def make(folder: Path) -> Collection:
    """April has the payloads; May and June have revisits of them, June's of another URL too."""
    uk = ws.create(folder / "uk")
    home, _, terms, copy = URLS
    captures = {
        "2026-04": [
            capture(home, "2026-04", 0, HOME),
            capture(terms, "2026-04", 1, TERMS),
            capture(URLS[1], "2026-04", 2, b"<title>B</title><p>April"),
        ],
        "2026-05": [
            capture(home, "2026-05", 0, HOME, (home, date_of("2026-04"))),
            capture(copy, "2026-05", 1, TERMS, (terms, date_of("2026-04", 1))),
            capture(URLS[1], "2026-05", 2, b"<title>B</title><p>May"),
        ],
        "2026-06": [
            capture(home, "2026-06", 0, HOME, (home, date_of("2026-04"))),
            capture(copy, "2026-06", 1, TERMS, (terms, date_of("2026-04", 1))),
            capture(URLS[1], "2026-06", 2, b"<title>B</title><p>June"),
        ],
    }
    for label, each in captures.items():
        with WarcWriter(folder, label) as writer:
            for one in each:
                writer.write(one)
        ingest(uk.add(label), [folder / f"{label}-00000.warc.gz"])
    return uk
