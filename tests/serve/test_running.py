"""The server of pages and replay."""

from __future__ import annotations

import pytest

from tests.serve.page.served import ask
from webstrata import testing
from webstrata.errors import UsageError
from webstrata.serve.running import PageServer, name_collections
from webstrata.serve.settings import ServeSettings


def test_pages_and_replay_have_neighbouring_ports_of_two_origins() -> None:
    with PageServer([testing.collection()], ServeSettings(port=0)) as server:
        assert server.replay_port not in (0, server.port)
        page = ask(f"{server.url}/page/http://reef.example/")
        frame = f"http://127.0.0.1:{server.replay_port}"
        assert f"frame-src {frame}" in page.headers["content-security-policy"]
        assert f'src="{frame}/uk/2026' in page.text
        # nothing of the archive is sent by the first origin
        assert ask(f"{server.url}/uk/20260601000000id_/http://reef.example/").status == 404
        raw = ask(f"{frame}/uk/20260601000000id_/http://reef.example/")
        assert raw.status in (200, 302, 307)


def test_a_proxy_in_front_names_the_replay_origin() -> None:
    settings = ServeSettings(port=0, replay_origin="https://replay.example.org")
    with PageServer([testing.collection()], settings) as server:
        page = ask(f"{server.url}/page/http://reef.example/")
        assert 'src="https://replay.example.org/uk/' in page.text


def test_a_browser_on_another_name_gets_the_replay_port_of_that_name() -> None:
    with PageServer([testing.collection()], ServeSettings(port=0)) as server:
        page = ask(f"{server.url}/page/http://reef.example/", Host=f"localhost:{server.port}")
        assert f'src="http://localhost:{server.replay_port}/uk/' in page.text


def test_a_port_in_use_is_refused_with_a_sentence() -> None:
    collection = testing.collection()
    with (
        PageServer([collection], ServeSettings(port=0)) as server,
        pytest.raises(UsageError, match="cannot listen there"),
    ):
        PageServer([collection], ServeSettings(port=server.port))


def test_three_collections_of_one_name_can_be_told_apart() -> None:
    assert list(name_collections([testing.empty("uk") for _ in range(3)])) == ["uk", "uk-2", "uk-3"]
