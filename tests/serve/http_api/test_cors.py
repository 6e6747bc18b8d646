"""Pages of other origins read JSON only where a list allows it, and those of the replay origin never."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.serve.page.served import ask
from webstrata.errors import UsageError
from webstrata.serve.http_api.cors import check_origins
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import webstrata as ws

NOTEBOOK = "https://notebook.example"
ALLOW = "access-control-allow-origin"


@pytest.fixture(scope="module")
def open_server(ready: ws.Collection) -> Iterator[PageServer]:
    with PageServer([ready], ServeSettings(port=0, cors_origins=(NOTEBOOK, "http://127.0.0.1:1"))) as server:
        yield server


def test_by_default_no_other_origin_may_read(url: str) -> None:
    for origin in (NOTEBOOK, "null", url):
        assert ALLOW not in ask(f"{url}/search.json?q=storm", origin=origin).headers
    asked = ask(f"{url}/search.json", method="OPTIONS", origin=NOTEBOOK, access_control_request_method="GET")
    assert ALLOW not in asked.headers


def test_a_listed_origin_may_read_documents_and_errors_but_no_page(open_server: PageServer) -> None:
    for path in ("/search.json?q=storm", "/api/ranks", "/api/links/2026-06/", "/search.json?at=what"):
        answer = ask(f"{open_server.url}{path}", origin=NOTEBOOK, accept="application/json")
        assert answer.headers[ALLOW] == NOTEBOOK, path
        assert "origin" in answer.headers["vary"]
        assert "access-control-allow-credentials" not in answer.headers
    assert ALLOW not in ask(f"{open_server.url}/search?q=storm", origin=NOTEBOOK).headers
    assert ALLOW not in ask(f"{open_server.url}/search.json", origin="https://other.example").headers


def test_a_preflight_allows_no_token(open_server: PageServer) -> None:
    answer = ask(
        f"{open_server.url}/api/links/2026-06/links",
        method="OPTIONS",
        origin=NOTEBOOK,
        access_control_request_method="POST",
    )
    assert (answer.status, answer.headers["access-control-allow-headers"]) == (204, "content-type")


def test_the_replay_origin_may_never_read(ready: ws.Collection, open_server: PageServer) -> None:
    with pytest.raises(UsageError, match="is the replay origin, where pages of strangers are shown"):
        PageServer([ready], ServeSettings(port=0, replay_origin=NOTEBOOK, cors_origins=(NOTEBOOK,)))
    assert ALLOW not in ask(f"{open_server.url}/search.json", origin=open_server.replay_url).headers


def test_even_a_list_with_the_replay_port_does_not_let_it_read(ready: ws.Collection) -> None:
    from webstrata.serve.page.app import make_app
    from webstrata.serve.page.site import Site
    from webstrata.web.server import Server

    settings = ServeSettings(cors_origins=("http://127.0.0.1:8081",))
    with Server(make_app({"uk": Site(ready, "uk")}, settings, 8081)) as server:
        assert ALLOW not in ask(f"{server.url}/search.json", origin="http://127.0.0.1:8081").headers


@pytest.mark.parametrize("origin", ["*", "notebook.example", "https://a.example/path", "null"])
def test_what_is_not_an_origin_is_refused(origin: str) -> None:
    with pytest.raises(UsageError, match="is not an origin"):
        check_origins([origin], [])
