"""Other people's clients, as they come from the package index, ask our replay origin."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.peers.installed import find_peer, run
from tests.peers.test_warc import ask, serving_pywb
from tests.serve.replay.conftest import HTML, respond, serving, store
from webstrata import testing
from webstrata.archive.warc import Revisit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import webstrata as ws

pytestmark = pytest.mark.peer

LIST = """
import cdx_toolkit, json, sys
cdx = cdx_toolkit.CDXFetcher(source=sys.argv[1])
found = [dict(capture.data) for capture in cdx.iter("*.example", limit=1000)]
chosen = cdx.iter("news.example/*", filter=["=status:200"], from_ts="202605")
good = [dict(capture.data) for capture in chosen]
print(json.dumps([found, good, cdx.get_size_estimate("*.example")]))
"""
TRAVEL = """
import datetime, json, sys
from memento_client import MementoClient
client = MementoClient(timegate_uri=sys.argv[1], check_native_timegate=False)
moment = datetime.datetime(2026, 5, 3)
info = client.get_memento_info(sys.argv[1] + "2026/http://news.example/", moment)
print(json.dumps([
    MementoClient.is_memento(sys.argv[1] + "20260501000007/http://news.example/"),
    MementoClient.is_timegate(sys.argv[1] + "http://news.example/"),
    info["original_uri"],
    info.get("mementos", {}).get("closest", {}).get("uri"),
]))
"""


def test_cdx_toolkit_iterates_over_captures() -> None:
    python = find_peer("python", "cdx_toolkit")
    collection = testing.collection()
    with serving(collection) as address:
        found, good, _ = json.loads(run(python, "-c", LIST, f"{address}/cdx").splitlines()[-1])
    entries = [entry for snapshot in collection for entry in snapshot.captures]
    assert sorted(row["url"] for row in found) == sorted(entry.url for entry in entries)
    assert {row["timestamp"][:6] for row in good} == {"202605", "202606"}
    assert all(row["url"].startswith("http://news.example/") for row in good)


@pytest.mark.parametrize("redirects", [False, True])
def test_memento_client_finds_the_nearest_memento(redirects: bool) -> None:  # noqa: FBT001
    python = find_peer("python", "memento_client")
    with serving(testing.collection(), redirect_to_exact=redirects) as address:
        said = json.loads(run(python, "-c", TRAVEL, f"{address}/").splitlines()[-1])
    assert said[:3] == [True, True, "http://news.example/"]
    # this client reads the place of a memento from a redirect, and not from Content-Location
    wanted = f"{address}/20260501000007/http://news.example/"
    assert said[3] == ([wanted] if redirects else None)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """Pages, pictures, redirects, errors and revisits."""
    captures = []
    for number in range(60):
        url = f"http://a{number % 5}.uk/{number}"
        kind = number % 6
        if kind == 0:
            captures.append(respond(url, b"", "Location: /1", status="302 Found", at=number))
        elif kind == 1:
            captures.append(respond(url, b"error %d" % number, HTML, status="404 Not Found", at=number))
        elif kind == 2:
            captures.append(respond(url, bytes(range(256)) * number, "Content-Type: image/png", at=number))
        elif kind == 3:
            first = respond(url, b"<p>%d" % number, HTML, at=number)
            again = Revisit("identical-digest", url, first.date)
            captures += [first, respond(url, b"<p>%d" % number, HTML, at=number + 1000, revisit=again)]
        else:
            captures.append(respond(url, f"<p>é {number}</p>".encode(), HTML, at=number))
    return store(tmp_path_factory.mktemp("clients"), {"2026-06": captures})


@pytest.fixture(scope="module")
def relayed(archive: ws.Collection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A pywb whose only source is our server."""
    wayback = find_peer("wayback")
    folder: Path = tmp_path_factory.mktemp("relay")
    with serving(archive) as address:
        (folder / "config.yaml").write_text(
            f"framed_replay: false\ncollections:\n  uk:\n    index: cdx+{address}/cdx\n"
        )
        with serving_pywb(wayback, folder) as pywb:
            yield pywb


def test_pywb_relays_every_capture_byte_by_byte(archive: ws.Collection, relayed: str) -> None:
    wrong = []
    total = 0
    for entry in archive["2026-06"].captures:
        total += 1
        capture = archive.capture(entry.url, entry.timestamp)
        status, body = ask(f"{relayed}/{entry.timestamp}id_/{entry.url}")
        if (status, body) != (entry.status, capture.payload):
            wrong.append((entry.url, entry.status, status))
    assert len(wrong) <= total // 100, wrong
