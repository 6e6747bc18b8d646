"""Errors have one shape, whatever they come from."""

from __future__ import annotations

import importlib
import json
import sys
import urllib.error
from urllib.request import Request, urlopen

import pytest
from fastapi import FastAPI

from webstrata.errors import FormatError, MissingExtraError, StorageError
from webstrata.serve.http_api.refusals import refuse_in_one_shape
from webstrata.web.server import Server
from webstrata.web.settings import ServerSettings


def test_a_failure_is_a_sentence_and_not_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    refuse_in_one_shape(app)
    failures = {"format": FormatError("a: damaged"), "disk": StorageError("b: no"), "bug": KeyError("secret")}

    @app.get("/{name}")
    def fail(name: str) -> None:
        raise failures[name]

    @app.post("/echo")
    def echo(words: list[str]) -> int:
        return len(words)

    def ask(path: str, body: bytes | None = None) -> tuple[int, str]:
        with pytest.raises(urllib.error.HTTPError) as caught:
            urlopen(Request(server.url + path, body, {"Content-Type": "application/json"}))
        with caught.value as error:
            return error.code, json.loads(error.read())["error"]["message"]

    with Server(app, settings=ServerSettings(max_body=1000)) as server:
        assert ask("/format") == (422, "a: damaged")
        assert ask("/disk") == (500, "b: no")
        status, said = ask("/bug")
        assert (status, "secret" in said) == (500, False)
        for _ in range(10):
            assert ask("/bug")[0] == 500
        assert ask("/echo", b"[" + b" " * 2000 + b"]")[0] == 413
        assert ask("/echo", b"{")[0] == 422
    # once, however often it happens, and neither the application nor the base adds a traceback of its own
    assert ["/bug failed" in record.message for record in caplog.records if record.exc_info] == [True]


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.import_module("webstrata.serve.http_api")
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with pytest.raises(
        MissingExtraError,
        match=r"fastapi, which is not installed; install it with `pip install 'webstrata\[serve\]'`",
    ):
        importlib.reload(package)
