"""Whether name servers are there."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import prepare
from tests.crawl.test_names import NameServer
from webstrata.crawl import name_servers
from webstrata.crawl.name_servers import check_name_servers
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

URLS = ["http://192.0.2.1/", "http://[2001:db8::1]:80/", "http://a.test:8080/"]


def test_one_server_that_answers_is_enough() -> None:
    with NameServer() as server:
        check_name_servers(["127.0.0.1:1", *server.setting], URLS)
    check_name_servers(["127.0.0.1:1"], URLS, {"a.test"})


def test_a_crawl_whose_server_is_silent_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_servers, "TIMEOUT", 0.05)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        server = f"127.0.0.1:{silent.getsockname()[1]}"
        job = prepare(tmp_path, URLS, {}, resolve=True, user_agent="t", name_servers=(server,))
        with pytest.raises(UsageError, match=f"name_servers: {server} does not answer, so no host"):
            job.run()
    assert not job.folder.exists()


def test_without_servers_those_of_the_system_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_servers, "_SYSTEM", tmp_path / "resolv.conf")
    check_name_servers([], URLS)
    (tmp_path / "resolv.conf").write_text("search test\nnameserver 127.255.255.254\nnameserver fe80::1%2\n")
    monkeypatch.setattr(name_servers, "TIMEOUT", 0.05)
    with pytest.raises(UsageError, match=r"127\.255\.255\.254 does not answer"):
        check_name_servers([], URLS)
