"""Where a server listens, and how it ends."""

from __future__ import annotations

import importlib
import sys
from urllib.request import urlopen

import pytest
from fastapi import FastAPI

from webstrata.errors import MissingExtraError, UsageError
from webstrata.serve.http_api.running import Server


def test_a_port_that_is_taken_is_said() -> None:
    with (
        Server(FastAPI()) as server,
        pytest.raises(
            UsageError, match=r"cannot listen there \(address already in use\); choose another port"
        ),
    ):
        Server(FastAPI(), port=server.port)


def test_it_stops_after_some_seconds_and_lets_its_port_go() -> None:
    server = Server(FastAPI())
    server.run(0.1)
    with Server(FastAPI(), port=server.port) as again, urlopen(f"{again.url}/openapi.json") as answer:
        assert answer.status == 200


def test_without_the_extra_one_is_told_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.import_module("webstrata.serve.http_api")
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with pytest.raises(
        MissingExtraError, match=r"fastapi, which is not installed; `pip install 'webstrata\[serve\]'`"
    ):
        importlib.reload(package)
