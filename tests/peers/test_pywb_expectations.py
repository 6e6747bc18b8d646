"""What pywb's own tests expect of its sample archive, asked of our server.

The requests are those of pywb's ``tests/test_memento.py`` and ``tests/test_cdx_server_app.py``, over the WARC
files that its index names. `DIFFERENCES` lists every expectation that does not hold, and why.
"""

from __future__ import annotations

import json
import re
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

import webstrata as ws
from tests.serve.replay.asking import Answer, ask
from webstrata.serve.replay import make_replay_app
from webstrata.serve.settings import ServeSettings
from webstrata.store.ingest.run import ingest
from webstrata.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = (
    "example.warc.gz",
    "example-extra.warc",
    "iana.warc.gz",
    "dupes.warc.gz",
    "example-url-agnostic-orig.warc.gz",
    "example-url-agnostic-revisit.warc.gz",
    "post-test.warc.gz",
    "httpbin-resource.warc.gz",
    "missing-status-text.warc",
)
DIFFERENCES = {
    "test_memento_top_frame, test_memento_top_frame_timegate": "pywb shows its banner in a frame of its own; "
    "here the pages on the other origin do, so a memento is the page itself",
    "wombat.js and WBWombatInit in replayed pages": "no script runs in a replay here",
    "modifier mp_ in links": "replayed pages link to mementos without a modifier",
    "test_timemap_2 has three mementos": "the third has a URL with a user name, which is not stored",
    "URLs without a path (http://example.com?example=1)": "stored URLs are in normal form (/?example=1)",
    "redirect, robotflags and status - in CDXJ": "our index has redirect only for redirects, and the status "
    "of the response in a revisit record",
    "redirect_to_exact has status 307": "302 here, as RFC 7089 has it and memento_client expects it",
    "resolveRevisits gives 16 fields": "14 here: redirect and robotflags are not in every line",
}
CSS = "http://www.iana.org/_css/2013.1/screen.css"
PRINT = "http://www.iana.org/_css/2013.1/print.css"


@pytest.fixture(scope="module")
def archive(test_data: Path, tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    folder = test_data / "warc" / "pywb" / "warcs"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    collection = ws.create(tmp_path_factory.mktemp("pywb") / "pywb")
    ingest(collection.add("2014"), [folder / name for name in FILES])
    return collection


@pytest.fixture(scope="module")
def pywb(archive: ws.Collection) -> Iterator[str]:
    with Server(make_replay_app({"pywb": archive}, ServeSettings())) as server:
        yield f"{server.url}/pywb"


@pytest.fixture(scope="module")
def classic(archive: ws.Collection) -> Iterator[str]:
    with Server(make_replay_app({"pywb": archive}, ServeSettings(redirect_to_exact=True))) as server:
        yield f"{server.url}/pywb"


def query(pywb: str, url: str, **values: Any) -> Answer:  # noqa: ANN401
    return ask(f"{pywb}/cdx?{urlencode({'url': url, **values}, doseq=True)}")


def parse(line: str) -> dict[str, str]:
    key, timestamp, fields = line.split(" ", 2)
    return {"urlkey": key, "timestamp": timestamp, **json.loads(fields)}


def links_of(answer: Answer) -> list[str]:
    return [link.strip() for link in re.split(r", (?![0-9])", answer.headers["link"])]


def assert_memento(answer: Answer, pywb: str, url: str, timestamp: str, modifier: str = "") -> None:
    date = answer.headers["memento-datetime"]
    assert parsedate_to_datetime(date).strftime("%Y%m%d%H%M%S") == timestamp
    place = f"{pywb}/{timestamp}{modifier}/{url}"
    links = links_of(answer)
    assert f'<{place}>; rel="memento"; datetime="{date}"; collection="pywb"' in links
    assert answer.headers["content-location"] == place
    assert f'<{pywb}/{url}>; rel="timegate"' in links
    assert f'<{pywb}/timemap/link/{url}>; rel="timemap"; type="application/link-format"' in links
    assert f'<{url}>; rel="original"' in links


# ---- test_memento.py


@pytest.mark.parametrize("modifier", ["", "mp_", "id_"])
def test_an_exact_memento_has_its_time_and_links(pywb: str, modifier: str) -> None:
    answer = ask(f"{pywb}/20140127171238{modifier}/http://www.iana.org/")
    assert_memento(answer, pywb, "http://www.iana.org/", "20140127171238", modifier)
    assert "vary" not in answer.headers
    if modifier != "id_":
        assert '/pywb/20140127171238/http://www.iana.org/time-zones"' in answer.text
    else:
        assert '"/time-zones"' in answer.text


@pytest.mark.parametrize("modifier", ["", "mp_"])
def test_a_timegate_without_a_time_gives_the_latest_capture(pywb: str, modifier: str) -> None:
    answer = ask(f"{pywb}/{modifier + '/' if modifier else ''}{CSS}")
    assert answer.headers["vary"] == "accept-datetime"
    assert_memento(answer, pywb, CSS, "20140127171239", modifier)


def test_a_timegate_gives_the_capture_nearest_to_the_time(pywb: str) -> None:
    answer = ask(f"{pywb}/{CSS}", accept_datetime="Sun, 26 Jan 2014 20:08:00 GMT")
    assert answer.headers["vary"] == "accept-datetime"
    assert_memento(answer, pywb, CSS, "20140126200804")


def test_a_captured_redirect_is_a_redirect_within_the_archive(pywb: str) -> None:
    answer = ask(f"{pywb}/20140128051539/http://www.iana.org/domains/example")
    assert answer.status == 302
    assert "vary" not in answer.headers
    assert answer.headers["location"] == f"{pywb}/20140128051539/http://www.iana.org/domains/reserved"
    assert_memento(answer, pywb, "http://www.iana.org/domains/example", "20140128051539")


def test_a_timemap_lists_links_to_all_captures(pywb: str) -> None:
    answer = ask(f"{pywb}/timemap/link/http://example.com?example=1")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/link-format")
    dates = {
        "20140103030321": "Fri, 03 Jan 2014 03:03:21 GMT",
        "20140103030341": "Fri, 03 Jan 2014 03:03:41 GMT",
    }
    mementos = [
        f'<{pywb}/{stamp}/http://example.com/?example=1>; rel="memento"; datetime="{date}"; collection="pywb"'
        for stamp, date in dates.items()
    ]
    assert answer.text == (
        f'<{pywb}/timemap/link/http://example.com?example=1>; rel="self"; type="application/link-format"; '
        f'from="Fri, 03 Jan 2014 03:03:21 GMT",\n'
        f'<{pywb}/http://example.com?example=1>; rel="timegate",\n'
        f'<http://example.com?example=1>; rel="original",\n' + ",\n".join(mementos) + "\n"
    )


def test_a_timemap_in_cdxj_has_the_lines_of_the_index(pywb: str) -> None:
    answer = ask(f"{pywb}/timemap/cdxj/http://example.com?example=1")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/x-cdxj")
    first, second = map(parse, answer.lines)
    assert first["urlkey"] == second["urlkey"] == "com,example)/?example=1"
    assert first["digest"] == second["digest"] == "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"
    assert (first["timestamp"], first["mime"], first["offset"]) == ("20140103030321", "text/html", "333")
    assert (second["timestamp"], second["mime"], second["offset"]) == (
        "20140103030341",
        "warc/revisit",
        "1864",
    )
    assert (first["length"], second["length"]) == ("1043", "553")
    assert {first["source-coll"], second["source-coll"]} == {"pywb"}


def test_a_timemap_has_three_lines_besides_its_mementos(pywb: str) -> None:
    answer = ask(f"{pywb}/timemap/link/http://example.com")
    assert answer.headers["content-type"] == "application/link-format"
    assert len(answer.lines) - 3 == answer.text.count('rel="memento"') == 2


def test_errors_of_timemaps_are_those_of_pywb(pywb: str) -> None:
    missing = ask(f"{pywb}/timemap/link/http://example.com/x-not-found")
    assert (missing.status, missing.body) == (404, b"")
    wrong = ask(f"{pywb}/timemap/foo/http://example.com")
    assert (wrong.status, wrong.json()) == (400, {"message": "output=foo not supported"})


@pytest.mark.parametrize(
    "path", ["http://example.com/x-not-found", "timemap/link/http://example.com/x-not-found"]
)
def test_errors_have_no_headers_of_memento(pywb: str, path: str) -> None:
    answer = ask(f"{pywb}/{path}")
    assert answer.status == 404
    assert not {"vary", "memento-datetime", "link"} & set(answer.headers)


def test_a_malformed_accept_datetime_is_refused(pywb: str) -> None:
    answer = ask(f"{pywb}/{CSS}", accept_datetime="Sun")
    assert answer.status == 400
    assert "Accept-Datetime is 'Sun'" in answer.json()["error"]["message"]


def test_a_memento_ignores_accept_datetime(pywb: str) -> None:
    answer = ask(f"{pywb}/2/http://www.iana.org/", accept_datetime="Sun, 26 Jan 2014 20:06:24 GMT")
    assert answer.status == 200
    assert "vary" not in answer.headers
    assert "memento-datetime" in answer.headers


@pytest.mark.parametrize(
    ("date", "timestamp"),
    [("", "20140127171238"), ("Sun, 26 Jan 2014 20:06:24 GMT", "20140126200624")],
)
def test_a_timegate_can_redirect_to_the_memento(classic: str, date: str, timestamp: str) -> None:
    url = "http://www.iana.org/"
    answer = ask(f"{classic}/{url}", **({"accept_datetime": date} if date else {}))
    assert answer.status == 302
    assert answer.headers["location"] == f"{classic}/{timestamp}/{url}"
    assert "vary" in answer.headers
    assert "memento-datetime" not in answer.headers
    links = links_of(answer)
    assert f'<{classic}/{url}>; rel="timegate"' in links
    assert any(link.startswith(f'<{classic}/{timestamp}/{url}>; rel="memento"') for link in links)
    assert ask(answer.headers["location"]).status == 200


# ---- test_cdx_server_app.py


def test_an_exact_query_gives_all_captures_of_a_url(pywb: str) -> None:
    assert len(query(pywb, "http://www.iana.org/").lines) == 3
    rows = query(pywb, "http://www.iana.org/", output="json").lines
    assert len(rows) == 3
    text = query(pywb, "http://www.iana.org/", output="text")
    assert text.headers["content-type"] == "text/plain"
    assert "{" not in text.text
    assert len(text.lines) == 3


def test_a_prefix_query_gives_captures_below_a_url(pywb: str) -> None:
    answer = query(pywb, "http://www.iana.org/", matchType="prefix")
    assert any(len(line.split(" ")[0]) > len("org,iana)/") for line in answer.lines)


def test_filters_select_by_field(pywb: str) -> None:
    answer = query(pywb, CSS, filter=("mime:warc/revisit", "filename:dupes.warc.gz"))
    assert answer.headers["content-type"] == "text/x-cdxj"
    (found,) = map(parse, answer.lines)
    assert found["urlkey"] == "org,iana)/_css/2013.1/screen.css"
    assert (found["timestamp"], found["mime"]) == ("20140127171239", "warc/revisit")
    assert found["filename"] == "dupes.warc.gz"
    nothing = query(pywb, CSS, filter=("!mime:warc/revisit", "filename:dupes.warc.gz"), allowFuzzy="false")
    assert (nothing.status, nothing.lines) == (200, [])
    (other,) = map(parse, query(pywb, CSS, filter=("!mime:warc/revisit", "!filename:dupes.warc.gz")).lines)
    assert (other["timestamp"], other["mime"], other["filename"]) == (
        "20140126200625",
        "text/css",
        "iana.warc.gz",
    )


def test_a_limit_takes_the_first_or_the_last_captures(pywb: str) -> None:
    (first,) = map(parse, query(pywb, CSS, limit="1").lines)
    assert (first["timestamp"], first["mime"]) == ("20140126200625", "text/css")
    (last,) = map(parse, query(pywb, CSS, limit="1", reverse="1").lines)
    assert (last["timestamp"], last["mime"]) == ("20140127171239", "warc/revisit")


def test_fields_are_chosen_by_name(pywb: str) -> None:
    for line in query(pywb, PRINT, fields="urlkey,timestamp,status").lines:
        found = parse(line)
        assert found["urlkey"] == "org,iana)/_css/2013.1/print.css"
        assert re.fullmatch(r"\d{14}", found["timestamp"])
        assert re.fullmatch(r"\d{3}|-", found["status"])
    for line in query(pywb, PRINT, fields="urlkey,timestamp,status", output="json").lines:
        assert list(json.loads(line)) == ["urlkey", "timestamp", "status"]
    # pywb's tests do not look at the status of an unknown field, which pywb leaves out
    assert query(pywb, PRINT, fields="urlkey,nosuchfield").status == 200


def test_revisits_are_resolved_to_the_capture_with_their_payload(pywb: str) -> None:
    originals: dict[str, tuple[str, str, str]] = {}
    answer = query(pywb, PRINT, resolveRevisits="true")
    for line in answer.lines:
        found = parse(line)
        if found["orig.length"] == "-":
            assert found["orig.offset"] == found["orig.filename"] == "-"
            originals[found["digest"]] = (found["length"], found["offset"], found["filename"])
        else:
            named = (found["orig.length"], found["orig.offset"], found["orig.filename"])
            assert originals[found["digest"]] == named
    assert len(originals) == 1
    rows = query(
        pywb, PRINT, resolveRevisits="1", fields="urlkey,orig.length,orig.offset,orig.filename"
    ).lines
    assert parse(rows[0])["orig.filename"] == "-"
    assert {parse(row)["orig.filename"] for row in rows[1:]} == {"iana.warc.gz"}


def test_collapsed_captures_are_given_backwards(pywb: str) -> None:
    answer = query(pywb, PRINT, collapseTime="11", resolveRevisits="true", reverse="true")
    times = [parse(line)["timestamp"] for line in answer.lines]
    assert len(times) == 3
    assert times == sorted(times, reverse=True)


def test_errors_of_queries_are_those_of_pywb(pywb: str) -> None:
    wrong = query(pywb, PRINT, fields="urlkey,timestamp,status", output="foo")
    assert (wrong.status, wrong.json()) == (400, {"message": "output=foo not supported"})
    wrong = query(pywb, PRINT, fields="urlkey,timestamp,status", matchType="foo")
    assert (wrong.status, wrong.json()) == (400, {"message": "Invalid match_type: foo"})
