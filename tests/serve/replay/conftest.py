"""A replay origin over the ready collection, and one over captures of a test's own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata import testing
from webstrata.archive.warc import Capture, Revisit, WarcWriter
from webstrata.serve.replay import make_replay_app
from webstrata.serve.settings import ServeSettings
from webstrata.store.ingest.run import ingest
from webstrata.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SECOND = 10**9
JUNE = 1_780_272_000 * SECOND
"""2026-06-01T00:00:00Z"""


@pytest.fixture(scope="module")
def uk() -> Iterator[str]:
    """The address of the ready collection."""
    with Server(make_replay_app({"uk": testing.collection()}, ServeSettings())) as server:
        yield f"{server.url}/uk"


@contextmanager
def serving(collection: ws.Collection, **settings: object) -> Iterator[str]:
    """The address of a collection while it is served."""
    app = make_replay_app({"uk": collection}, ServeSettings(**settings))  # type: ignore[arg-type]
    with Server(app) as server:
        yield f"{server.url}/uk"


def store(folder: Path, snapshots: Mapping[str, list[Capture]]) -> ws.Collection:
    """A collection of captures."""
    collection = ws.create(folder / "uk")
    for label, captures in snapshots.items():
        with WarcWriter(folder, label) as writer:
            for capture in captures:
                writer.write(capture)
        ingest(collection.add(label), [folder / f"{label}-00000.warc.gz"])
    return collection


def respond(
    url: str,
    body: bytes = b"",
    *headers: str,
    at: int = 0,
    status: str = "200 OK",
    revisit: Revisit | None = None,
) -> Capture:
    """A capture, some seconds after the first of June."""
    lines = [f"HTTP/1.1 {status}", *headers, "", ""]
    head = "\r\n".join(lines).encode()
    return Capture(url=url, date=JUNE + at * SECOND, head=head, body=body, revisit=revisit)


HTML = "Content-Type: text/html; charset=utf-8"
