"""The connectivity server over HTTP: real requests on loopback, against the server in process."""

from __future__ import annotations

import json
import time
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import pyarrow as pa
import pytest
from openapi_spec_validator import validate

from tests.graph.linked import link_pages
from webstrata.serve.http_api.links import ARROW, LinkLimits, make_links_app
from webstrata.web.server import Server
from webstrata.web.server.answers import BASE_STATUSES
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.graph.connectivity import Connectivity

LINKS = {(source, target) for source in range(50) for target in range(source % 7, 60, 5)}
LIMITS = LinkLimits(pages=100, links=400, sources=20)
SETTINGS = ServerSettings(max_body=10_000)
SEEN: set[tuple[str, str, int]] = set()
"""Method, path and status of every response that `ask` got."""


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Connectivity:
    return link_pages(tmp_path_factory.mktemp("links") / "uk", 60, LINKS, frontier=10).connectivity


@pytest.fixture(scope="module")
def url(links: Connectivity) -> Iterator[str]:
    with Server(make_links_app(links, LIMITS), settings=SETTINGS) as server:
        yield server.url


def ask(address: str, question: object = None, **headers: str) -> tuple[int, Any]:
    body = None if question is None else json.dumps(question).encode()
    headers = {"Content-Type": "application/json"} | {name.title(): text for name, text in headers.items()}
    request = Request(address, body, headers)
    path = urlsplit(address).path or "/"
    try:
        with urlopen(request) as answer:
            SEEN.add((request.get_method(), path, answer.status))
            raw = answer.read()
            is_json = answer.headers["content-type"] == "application/json"
            return answer.status, json.loads(raw) if is_json else raw
    except urllib.error.HTTPError as error:
        SEEN.add((request.get_method(), path, error.code))
        with error:
            return error.code, json.loads(error.read())


def name(node: int) -> str:
    return f"http://test/{node:03}"


def test_one_page_is_asked_about_by_url_or_node(url: str) -> None:
    out = sorted(target for source, target in LINKS if source == 9)
    status, found = ask(f"{url}/links?{urlencode({'url': 'HTTP://TEST:80/009#top'})}")
    assert status == 200
    assert (found["node"], found["url"], found["total"]) == (9, name(9), len(out))
    assert found["links"] == [{"node": node, "url": name(node)} for node in out]
    assert ask(f"{url}/links?node=9")[1] == found
    into = sorted(source for source, target in LINKS if target == 55)
    asked = {"node": 55, "direction": "in", "facts": "true", "offset": 2, "limit": 3}
    found = ask(f"{url}/links?{urlencode(asked)}")[1]
    assert found["total"] == len(into)
    assert found["links"] == [
        {"node": node, "url": name(node), "nofollow": True, "texts": [f"from {node} to 55"]}
        for node in into[2:5]
    ]


def test_a_batch_is_answered_as_json_or_arrow(url: str) -> None:
    pages = [name(9), 3, "http://test/nowhere", name(9), 59]
    status, found = ask(f"{url}/links", {"pages": pages})
    assert (status, found["unknown"]) == (200, 1)
    assert [row["node"] for row in found["pages"]] == [9, 3, None, 9, 59]
    wanted = [sorted(target for source, target in LINKS if source == node) for node in (9, 3, -1, 9, 59)]
    assert [row["nodes"] for row in found["pages"]] == wanted
    assert [row["urls"] for row in found["pages"]] == [[name(node) for node in row] for row in wanted]
    status, raw = ask(f"{url}/links", {"pages": pages}, accept=ARROW)
    table = pa.ipc.open_stream(raw).read_all()
    assert list(zip(table["place"].to_pylist(), table["node"].to_pylist(), strict=True)) == [
        (place, node) for place, row in enumerate(wanted) for node in row
    ]
    assert table["url"].to_pylist() == [name(node) for row in wanted for node in row]
    short = ask(f"{url}/links", {"pages": pages, "names": False})[1]
    assert [set(row) for row in short["pages"]] == [{"node", "nodes"}] * 5
    assert ask(f"{url}/nodes", pages) == (200, [9, 3, None, 9, 59])


def test_common_neighbours_and_neighbourhoods_are_those_of_the_server(url: str, links: Connectivity) -> None:
    assert ask(f"{url}/common?node=2&url={name(9)}")[1]["nodes"] == links.common([[2, 9]])[1].tolist()
    groups: list[list[str | int]] = [[name(2), 9], [4], [7, 8, 0]]
    found = ask(f"{url}/common", {"groups": groups, "direction": "in"})[1]["groups"]
    assert [row["nodes"] for row in found] == [
        links.common([group], direction="in")[1].tolist() for group in groups
    ]
    table = pa.ipc.open_stream(ask(f"{url}/common", {"groups": groups}, accept=ARROW)[1]).read_all()
    assert table["node"].to_pylist() == links.common(groups)[1].tolist()
    question = {"pages": [3], "hops": 2, "direction": "both", "limit": 12, "arcs": True}
    found = ask(f"{url}/neighbourhood", question)[1]
    wanted = links.neighbourhood([3], hops=2, direction="both", limit=12)
    assert found["nodes"] == wanted.nodes.tolist()
    assert found["distances"] == wanted.distances.tolist()
    assert found["complete"] is False
    kept = set(found["nodes"])
    assert {tuple(arc) for arc in found["arcs"]} == {arc for arc in LINKS if set(arc) <= kept}
    asked = {"url": name(3), "hops": 2, "direction": "both", "limit": 12, "arcs": "true"}
    assert ask(f"{url}/neighbourhood?{urlencode(asked)}")[1] == found
    facts = ask(f"{url}/facts", {"arcs": [[9, name(2)], [9, 3]]})[1]["arcs"]
    assert facts == [
        {"links": 1, "nofollow": False, "texts": ["from 9 to 2"]},
        {"links": 0, "nofollow": None, "texts": []},
    ]


@pytest.mark.parametrize(
    ("path", "question", "status", "said"),
    [
        ("/links?url=http://test/0095", None, 404, "no such page in 2026-06"),
        ("/links?url=nothing", None, 422, "this is no URL"),
        ("/links", None, 422, "name one page"),
        ("/links?node=60", None, 422, "the graph has 60 nodes"),
        ("/links?node=-1", None, 422, "node: Input should be greater than or equal to 0"),
        ("/links?node=1&direction=up", None, 422, "direction: Input should be 'out' or 'in'"),
        ("/links", {"pages": [60]}, 422, "the graph has 60 nodes"),
        ("/links", {"pages": [1] * 101}, 422, "these are 101, and 100 are allowed in one question"),
        ("/links", {"pages": list(range(45))}, 413, "and 400 are allowed in one question"),
        ("/links", {"pages": ["x" * 11_000]}, 413, "longer than 10,000 bytes"),
        ("/links", {"sites": [1]}, 422, "pages: Field required"),
        ("/common", {"groups": [[1, "http://test/zzz"]]}, 404, "no such page in 2026-06"),
        ("/common", None, 422, "name the pages"),
        ("/neighbourhood?node=1&hops=9", None, 422, "hops: 9, and 8 are allowed"),
        ("/facts", {"arcs": [[node, 1] for node in range(30)]}, 413, "and 20 are allowed"),
        ("/nowhere", None, 404, "GET /nowhere: Not Found"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_shape(
    url: str, path: str, question: object, status: int, said: str
) -> None:
    code, found = ask(url + path, question)
    assert (code, found["error"]["status"]) == (status, status)
    assert said in found["error"]["message"]
    assert set(found) == {"error"}
    if "no page" in said:
        assert found["error"]["nearest"]


def test_the_limits_and_the_questions_are_told(url: str) -> None:
    about = ask(url)[1]
    assert (about["nodes"], about["pages"], about["arcs"]) == (60, 50, len(LINKS))
    assert about["limits"]["links"] == 400
    document = ask(f"{url}/openapi.json")[1]
    assert ARROW in document["paths"]["/links"]["post"]["responses"]["200"]["content"]
    question = document["components"]["schemas"]["BatchQuestion"]["properties"]["pages"]
    assert question["examples"] == [["http://example.org/", 17]]
    # the example of each question is one that is answered, or refused because there is no such page
    for path, name_of in (("/links", "BatchQuestion"), ("/common", "CommonQuestion")):
        properties = document["components"]["schemas"][name_of]["properties"]
        field = "pages" if "pages" in properties else "groups"
        assert ask(url + path, {field: properties[field]["examples"][0]})[0] in (200, 404)


def test_many_clients_at_once_get_their_own_answers(url: str) -> None:
    def out(node: int) -> list[int]:
        return [link["node"] for link in ask(f"{url}/links?node={node}")[1]["links"]]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(out, range(50)))
    assert found == [sorted(target for source, target in LINKS if source == node) for node in range(50)]


def test_every_response_is_described_and_the_description_is_valid(url: str, links: Connectivity) -> None:
    document = ask(f"{url}/openapi.json")[1]
    validate(document)
    # the tests above have asked for most of them; these are those of the base
    settings = ServerSettings(max_head=1000, query_time=0.01)
    app = make_links_app(_Slow(links), LIMITS)  # type: ignore[arg-type]
    with Server(app, settings=settings) as server:
        assert ask(f"{server.url}/links?node=1")[0] == 503
        assert ask(f"{server.url}/?{'x' * 2000}")[0] == 431
        assert ask(f"{server.url}/", host="attacker.example")[0] == 421
    assert ask(f"{url}/nodes", [1, "http://test/001"])[0] == 200
    assert ask(f"{url}/facts", {"arcs": [[9, 2]]})[0] == 200
    assert ask(f"{url}/neighbourhood?node=1")[0] == 200
    described = document["paths"]
    undescribed = [
        (method, path, status)
        for method, path, status in SEEN
        if path in described and str(status) not in described[path][method.lower()]["responses"]
    ]
    assert not undescribed
    for path, methods in described.items():
        for method, operation in methods.items():
            for status in BASE_STATUSES:
                schema = operation["responses"][str(status)]["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/ErrorDocument"}, (method, path, status)


class _Slow:
    """A connectivity server that takes its time."""

    def __init__(self, links: Connectivity) -> None:
        self._links = links

    def __getattr__(self, name: str) -> object:
        time.sleep(0.2)
        return getattr(self._links, name)


def test_a_path_without_the_method_says_so_and_a_head_is_a_get(url: str) -> None:
    status, found = ask(f"{url}/facts")
    assert (status, "GET /facts: Method Not Allowed" in found["error"]["message"]) == (405, True)
    with urlopen(Request(f"{url}/links?node=9", method="HEAD")) as answer:
        assert (answer.status, answer.read()) == (200, b"")
        assert int(answer.headers["content-length"]) > 100
