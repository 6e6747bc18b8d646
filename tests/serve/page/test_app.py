"""The application over real HTTP: every page and its JSON, errors, caching, headers, hostile archives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from openapi_spec_validator import validate

import webstrata as ws
from tests.serve.page.served import ask
from webstrata import testing
from webstrata.serve.page.app import ROUTES, Route
from webstrata.serve.page.home import show_home
from webstrata.serve.page.services import load_static
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = "http://garden.example/tomatoes"
PAGES = (
    "", "search", "search?q=fish", "search?q=fish&at=2026-05", "search?q=zebra", f"page/{PAGE}", "changes",
    "changes?q=storm", "graph", "graph?of=reef.example", f"graph?of={PAGE}", "ranks", "ranks?level=host",
    "plane", "spectrum", "hosts", "hosts/pills.example", "crawl", "parts",
    *(
        f"page/{PAGE}?view={view}"
        for view in ("text", "main", "diff", "links", "ranks", "similar", "records")
    ),
)  # fmt: skip


def to_json(path: str) -> str:
    """The address of the JSON document of a page."""
    word, slash, rest = path.partition("?")[0].partition("/")
    question = f"?{path.partition('?')[2]}" if "?" in path else ""
    return f"{word or 'home'}.json{slash}{rest}{question}"


@pytest.mark.parametrize("path", PAGES)
def test_every_page_and_its_json_show_the_same_rows(url: str, path: str) -> None:
    page, document = ask(f"{url}/{path}"), ask(f"{url}/{to_json(path)}")
    assert (page.status, document.status) == (200, 200)
    assert document.headers["content-type"] == "application/json"
    assert document.json["made_by"].startswith("webstrata ")
    # the link to the document, and the command, stand on the page
    assert f'href="/{to_json(path)}"'.replace("&", "&amp;") in page.text
    shown = {row[name] for row in document.json["rows"] for name in ("url", "name", "host") if row.get(name)}
    for text in shown if "plane" not in path else ():
        assert str(text).removeprefix("http://") in page.text


def test_every_route_has_a_json_address_of_its_own() -> None:
    paths = [route.json_path for route in ROUTES]
    assert len(set(paths)) == len(paths)
    assert Route("page/{url:path}", show_home).json_path == "page.json/{url:path}"


def test_a_page_that_has_not_changed_is_not_sent_again(url: str) -> None:
    ask(f"{url}/search?q=fish")  # opens the index, which may take a busy machine longer than a query may
    first = ask(f"{url}/search?q=fish")
    assert first.status == 200
    tag = first.headers["etag"]
    again = ask(f"{url}/search?q=fish", If_None_Match=tag)
    assert (again.status, again.body) == (304, b"")
    assert ask(f"{url}/search?q=soup", If_None_Match=tag).status == 200
    assert first.headers["cache-control"] == "private, no-cache"


def test_a_crawl_page_is_never_kept_by_a_cache(url: str) -> None:
    found = ask(f"{url}/crawl")
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["etag"] is None


def test_pages_are_compressed_and_may_load_nothing_but_this_origin(url: str) -> None:
    found = ask(f"{url}/ranks", Accept_Encoding="gzip")
    assert found.headers["content-encoding"] == "gzip"
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert found.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script(?![^>]*src=)|<style| style=|\son[a-z]+=", found.text)
    assert not re.findall(r'(?:src|srcset)="(?:https?:)?//', found.text)


@pytest.mark.parametrize(
    ("path", "status", "word"),
    [
        ("nowhere", 404, "no such page"),
        ("search?q=%22open", 400, "quotation has no end"),
        ("search?q=fish&at=2026-13", 400, "not a date"),
        ("search?q=fish&at=1999", 400, "before the first snapshot"),
        ("search?q=fish&from=2026-06&to=2026-05", 400, "range"),
        ("search?q=fish&cursor=what", 400, "not a cursor"),
        ("page/http://garden.example/tomato", 404, "never captured"),
        ("page/no%20url", 422, "URL"),
        (f"page/{PAGE}?at=2020", 400, "first captured"),
        (f"page/{PAGE}?view=what", 422, "view"),
        ("changes?q=storm&from=2026-06&to=2026-05", 400, "choose an earlier date"),
        ("hosts/nowhere.example", 404, "not among the hosts"),
        ("graph?of=nowhere.example", 404, "not among the hosts"),
        ("figures/plane/1999.svg", 404, "no figure"),
        ("static/../app.py", 404, "no such page"),
    ],
)
def test_what_cannot_be_answered_gets_one_sentence_and_the_right_status(
    url: str, path: str, status: int, word: str
) -> None:
    page = ask(f"{url}/{path}")
    assert page.status == status
    assert word in page.text
    plain = ask(f"{url}/{path}", Accept="application/json")
    assert plain.headers["content-type"] == "application/problem+json"
    assert plain.json["status"] == status
    assert word in plain.json["detail"]
    assert "Traceback" not in page.text


def test_a_query_that_cannot_be_read_has_the_place_marked(url: str) -> None:
    found = ask(f"{url}/search.json?q={quote('fish (soup')}")
    assert found.status == 400
    assert "^" in found.json["excerpt"]


def test_a_url_that_was_never_captured_offers_the_nearest(url: str) -> None:
    found = ask(f"{url}/page.json/http://garden.example/tomato")
    assert found.json["nearest"][0] == PAGE
    assert f'href="/page/{PAGE}"' in ask(f"{url}/page/http://garden.example/tomato").text


def test_a_form_with_a_url_leads_to_its_page(url: str) -> None:
    found = ask(f"{url}/page?url=garden.example/pond")
    assert (found.status, found.headers["location"]) == (303, "/page/http://garden.example/pond")


def test_a_stranger_as_host_is_refused(url: str) -> None:
    assert ask(f"{url}/", Host="attacker.example").status == 421


def test_nothing_can_be_written_without_a_token_file(url: str) -> None:
    assert ask(f"{url}/hosts/pills.example/label", b"label=spam").status == 404
    assert ask(f"{url}/search", b"q=fish").status == 405


def test_health_metrics_and_static_files_are_served(url: str) -> None:
    assert ask(f"{url}/healthz").json == {"status": "ok"}
    assert ask(f"{url}/readyz").json == {"status": "ready"}
    ask(f"{url}/search?q=fish")
    text = ask(f"{url}/metrics").text
    assert re.search(
        r'webstrata_requests_total\{origin="pages",route="show_search",status="200"\} [1-9]', text
    )
    for name, (content, _, kind) in load_static().items():
        found = ask(f"{url}/static/{name}")
        assert (found.body, found.headers["content-type"].partition(";")[0]) == (content, kind)


def test_openapi_describes_every_document_with_its_parameters(url: str) -> None:
    document = ask(f"{url}/openapi.json").json
    validate(document)
    assert {f"/{route.json_path.replace(':path', '')}" for route in ROUTES} <= set(document["paths"])
    names = {one["name"] for one in document["paths"]["/search.json"]["get"]["parameters"]}
    assert {"q", "at", "from", "to", "host", "language", "fold", "hide_spam", "cursor"} == names


def test_completion_gives_words_that_begin_so(url: str) -> None:
    assert {"text": "fish tomatoes"} in ask(f"{url}/complete.json?q=fish+tom").json["rows"]


def test_figures_are_pictures_that_can_run_nothing(url: str) -> None:
    found = ask(f"{url}/figures/plane/2026-06.svg?theme=dark")
    assert found.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in found.headers["content-security-policy"]
    assert found.text.startswith("<svg")


NASTY = '"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}'


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    shown = NASTY.replace("<", "&lt;")
    odd = "http://a.example/?q=%22%3E%3Cscript%3Ealert(3)%3C/script%3E"
    pages = {
        odd: f"<title>{shown}</title><p>fish {shown}",
        "http://a.example/": f"<title>{shown}</title><p>fish</p><a href='{odd}'>{shown}</a>"
        "<a href='javascript:alert(4)'>x</a>",
    }
    collection = testing.collection_of({"2026-05": pages, "2026-06": pages}, parts=testing.PARTS)
    with PageServer([collection], ServeSettings(port=0)) as server:
        yield server.url


@pytest.mark.parametrize(
    "path",
    [
        "", f"search?q={quote(NASTY)}", "search?q=fish", "page/http://a.example/?view=text", "graph", "ranks",
        "page/http://a.example/?view=links", "page/http://a.example/?view=diff", "changes?q=fish", "hosts",
        "page/http://a.example/?view=similar", "page/http://a.example/?view=records", "hosts/a.example",
        f"hosts/{quote(NASTY, safe='')}", f"page/{quote(NASTY)}", f"graph?of={quote(NASTY)}", "parts",
        f"page/http://a.example/{quote(NASTY)}", f"search?q=fish&host={quote(NASTY)}", f"{quote(NASTY)}",
    ],
)  # fmt: skip
def test_nothing_of_an_archive_or_an_address_becomes_markup(hostile: str, path: str) -> None:
    found = ask(f"{hostile}/{path}")
    assert "<script>alert" not in found.text
    assert "<img src=x" not in found.text
    assert found.text != "49"
    assert 'href="javascript:' not in found.text
    # our own files, and nothing inside of the page
    own = re.findall(
        r'<script (?:type="module" )?src="/static/[a-z]+\.js\?v=[0-9a-f]+"(?: defer)?></script>', found.text
    )
    assert 2 <= len(own) == found.text.count("<script")
    assert found.status < 500


def test_several_collections_have_paths_of_their_own() -> None:
    one, two = testing.collection(), testing.empty("other")
    with PageServer([one, two], ServeSettings(port=0)) as server:
        start = ask(f"{server.url}/")
        assert 'href="/uk/"' in start.text
        assert 'href="/other/"' in start.text
        assert ask(f"{server.url}/uk/search.json?q=fish").json["rows"]
        empty = ask(f"{server.url}/other/")
        assert "has no pages yet" in empty.text
        assert ask(f"{server.url}/other/search").status == 200


def test_a_missing_part_is_named_with_its_command_and_the_rest_is_shown() -> None:
    pages = {"http://a.example/": "<title>A</title><p>fish"}
    collection = testing.collection_of({"2026-06": pages}, parts=())
    with PageServer([collection], ServeSettings(port=0)) as server:
        for path in ("", "search?q=fish", "changes?q=fish", "graph", "ranks", "plane", "spectrum", "hosts"):
            found = ask(f"{server.url}/{path}")
            assert found.status == 200, path
            missing = ask(f"{server.url}/{to_json(path)}").json["missing"]
            assert all(one["command"].startswith("webstrata build ") for one in missing)
            assert missing or path.startswith("changes")  # which needs a second snapshot, and says so
        assert "fish" in ask(f"{server.url}/page/http://a.example/?view=text").text


def test_a_part_built_while_it_is_served_is_seen_soon() -> None:
    pages = {"http://a.example/": "<title>A</title><p>fish"}
    collection = testing.collection_of({"2026-06": pages}, parts=())
    clock = iter(range(0, 10_000, 5)).__next__
    from webstrata.serve.page.search import show_search
    from webstrata.serve.page.site import Site

    site = Site(collection, "uk", clock=clock)
    before = site.version
    assert show_search(site, q="fish").missing
    ws.open(collection.path).build("text_index")
    assert [row["url"] for row in show_search(site, q="fish").rows] == ["http://a.example/"]
    assert site.version != before


def test_a_public_server_tells_no_path_of_this_machine() -> None:
    collection = testing.collection()
    paths = (
        "",
        "search?q=fish",
        "parts",
        "ranks?method=hits",
        "spectrum",
        "search?q=fish&at=1999",
        "nowhere",
    )
    with PageServer([collection], ServeSettings(port=0, public=True)) as server:
        for path in paths:
            for address in (path, to_json(path)):
                assert str(collection.path) not in ask(f"{server.url}/{address}").text, address
