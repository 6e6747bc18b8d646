"""Routes of the replay origin, and what is refused."""

from __future__ import annotations

import gzip
import http.client
from urllib.parse import quote, urlsplit

import pytest

from tests.serve.replay.asking import ask
from tests.serve.replay.conftest import serving
from webstrata import testing


@pytest.mark.parametrize(
    "written",
    [
        "http://news.example/storm",
        "http:/news.example/storm",
        "news.example/storm",
        "https://www.news.example/storm",
        quote("http://news.example/storm", safe=""),
    ],
)
def test_a_url_is_found_however_it_is_written_in_the_path(uk: str, written: str) -> None:
    answer = ask(f"{uk}/2026id_/{written}")
    assert (answer.status, answer.headers["x-archive-orig-content-length"]) == (200, str(len(answer.body)))


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/nobody/cdx?url=a.uk", 404, "no such collection: nobody; served are uk"),
        ("/uk/http://news.example/nothing", 404, "was not captured"),
        ("/uk/2026/http://[", 400, "http://["),
        ("/uk/2026/%00", 400, ""),
    ],
)
def test_errors_are_one_sentence_with_their_status(uk: str, path: str, status: int, sentence: str) -> None:
    origin = uk.removesuffix("/uk")
    answer = ask(origin + path)
    assert answer.status == status
    assert sentence in answer.json()["error"]["message"]
    page = ask(origin + path, accept="text/html")
    assert (page.status, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert "sandbox" in page.headers["content-security-policy"]


def test_a_missing_url_comes_with_the_nearest_ones(uk: str) -> None:
    error = ask(f"{uk}/http://news.example/stone").json()["error"]
    assert "http://news.example/storm" in error["nearest"]
    page = ask(f"{uk}/http://news.example/<script>alert(1)</script>", accept="text/html")
    assert b"<script>" not in page.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_written(uk: str, method: str) -> None:
    answer = ask(f"{uk}/cdx?url=a.uk", method)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_scripts_of_other_origins_may_read(uk: str) -> None:
    answer = ask(f"{uk}/cdx?url=news.example", "OPTIONS")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, "*")


def test_answers_are_compressed_on_request(uk: str) -> None:
    plain = ask(f"{uk}/cdx?url=*.example")
    packed = ask(f"{uk}/cdx?url=*.example", accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    refused = ask(f"{uk}/cdx?url=*.example&gzip=false", accept_encoding="gzip")
    assert refused.body == plain.body


def test_the_head_of_a_memento_is_that_of_the_response(uk: str) -> None:
    got, head = (ask(f"{uk}/2026/http://news.example/", method) for method in ("GET", "HEAD"))
    assert head.body == b""
    assert {name: text for name, text in got.headers.items() if name != "date"} == {
        name: text for name, text in head.headers.items() if name != "date"
    }


def test_collections_and_health_are_told(uk: str) -> None:
    origin = uk.removesuffix("/uk")
    assert ask(f"{origin}/").json() == {"collections": ["uk"]}
    assert ask(f"{origin}/healthz").body == b"ok\n"
    assert ask(f"{uk}/").json()["snapshots"] == ["2026-04", "2026-05", "2026-06"]


def test_links_name_the_origin_that_clients_know() -> None:
    with serving(testing.collection(), replay_origin="https://replay.example.org") as address:
        answer = ask(f"{address}/2026id_/http://news.example/")
        assert answer.headers["content-location"].startswith("https://replay.example.org/uk/2026")


def test_a_client_that_leaves_does_not_disturb_the_next_one(uk: str) -> None:
    parts = urlsplit(uk)
    for _ in range(3):
        client = http.client.HTTPConnection(parts.hostname or "", parts.port)
        client.request("GET", "/uk/cdx?url=*.example")
        client.close()
    assert ask(f"{uk}/cdx?url=news.example").status == 200
