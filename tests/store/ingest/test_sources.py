"""What the user named."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.warcs import pack, response
from webstrata.errors import UsageError
from webstrata.store.ingest.run import ingest
from webstrata.store.ingest.sources import list_sources

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_with_archives_and_stray_pages_is_read_with_a_note(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(pack(response("http://a.uk/", b"<p>a")))
    (folder / "readme.html").write_text("<p>How this was made")
    result = ingest(ws.create(tmp_path / "uk").add("2026-06"), [folder])
    assert (result.captures, result.copied) == (1, 1)
    assert result.notes == [
        f"{folder}: 1 HTML file is not read, since its URL is not known; give --base-url to read it"
    ]


@pytest.mark.parametrize("name", ["pipe.html", "pipe", "pipe.warc.gz"])
def test_fifos_and_sockets_in_a_folder_are_passed_over_with_a_note(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    os.mkfifo(folder / name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "s"))
        (folder / "index.html").write_text("<p>a")
        snapshot = ws.create(tmp_path / "uk").add("2026-06")
        result = ingest(snapshot, [folder], base_url="http://a.uk/")
    assert list(snapshot.urls) == ["http://a.uk/"]
    kinds = {"is a FIFO", "is a socket"}
    assert {note.partition(": this ")[2].partition(",")[0] for note in result.notes} == kinds


def test_a_fifo_or_device_that_is_named_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match=r"pipe: this is a FIFO; name a regular file"):
        list_sources([tmp_path / "pipe"])
