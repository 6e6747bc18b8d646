"""Errors have one shape, whatever they come from."""

from __future__ import annotations

import json
import urllib.error
from urllib.request import Request, urlopen

import pytest
from fastapi import FastAPI

from webstrata.errors import FormatError, StorageError
from webstrata.serve.http_api.refusals import BodyLimit, refuse_in_one_shape
from webstrata.serve.http_api.running import Server


def test_a_failure_is_a_sentence_and_not_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    refuse_in_one_shape(app)
    app.add_middleware(BodyLimit, limit=1000)
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

    with Server(app) as server:
        assert ask("/format") == (422, "a: damaged")
        assert ask("/disk") == (500, "b: no")
        status, said = ask("/bug")
        assert (status, "secret" in said) == (500, False)
        assert ask("/echo", b"[" + b" " * 2000 + b"]")[0] == 413
        assert ask("/echo", b"{")[0] == 422
    assert any("/bug failed" in record.message for record in caplog.records)
