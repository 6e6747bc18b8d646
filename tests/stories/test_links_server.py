"""`webstrata links-server`: the real command, asked over loopback and ended by Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import shlex
import signal
import socket
import subprocess
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import urlopen

from tests.conftest import command_path
from tests.graph.linked import link_pages
from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_links_are_asked_for_over_http_until_ctrl_c(tmp_path: Path) -> None:
    link_pages(tmp_path / "uk", 3, [(0, 1), (0, 2), (2, 1)])
    process = subprocess.Popen(
        [command_path(), "links-server", "uk", "2026-06"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("Serving the links of 3 nodes and 3 arcs of uk 2026-06 at http://127.0.0.1:")
        with urlopen(f"{first.split()[-1]}/links?url=http://test/001&direction=in") as answer:
            assert [link["url"] for link in json.load(answer)["links"]] == [
                "http://test/000",
                "http://test/002",
            ]
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")


def test_a_snapshot_without_a_graph_is_refused(webstrata: Command) -> None:
    webstrata("new", "uk", "2026-06")
    assert_refused(webstrata("links-server", "uk", "2026-06"), "no part graph")
    assert_refused(webstrata("links-server", "uk", "2026-06", "--port", "70000"), "70000")
    assert_refused(webstrata("links-server", "uk", "2026-06", "--max-body", "much"), "a size such as 64MiB")


def test_400_half_sent_requests_with_256_descriptors_lock_nobody_out(tmp_path: Path) -> None:
    link_pages(tmp_path / "uk", 3, [(0, 1), (0, 2), (2, 1)])
    line = f"ulimit -n 256 && exec {shlex.quote(str(command_path()))} links-server uk 2026-06 --access-log"
    process = subprocess.Popen(
        ["sh", "-c", line], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        place = ("127.0.0.1", urlsplit(url).port)
        with contextlib.ExitStack() as stack:
            for _ in range(400):
                peer = stack.enter_context(socket.create_connection(place, timeout=60))
                with contextlib.suppress(ConnectionError):
                    peer.sendall(b"GET /links?node=0 HTTP/1.1\r\nHost: localhost\r\nX-")
            with urlopen(f"{url}/links?node=0", timeout=60) as answer:
                assert json.load(answer)["total"] == 2
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert said.count("\n") == 1
    assert '"GET /links?node=0 HTTP/1.1" 200 ' in said
