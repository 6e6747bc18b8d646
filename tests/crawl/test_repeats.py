"""Pages that are there twice, and pages asked for again on condition that they changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.origin import Origin, crawl, head, page, reply

if TYPE_CHECKING:
    from pathlib import Path

# long enough for a fingerprint
SAME = page("one text of some length, " * 8, "/behind-one")
# other bytes, the same text and structure
ALIKE = SAME.replace(b"<p>", b'<p class="other">')


def three(origin: Origin) -> list[str]:
    origin.say("/first", reply(SAME))
    origin.say("/same", reply(SAME, "X-Other: header"))
    origin.say("/alike", reply(ALIKE))
    return [f"http://a.test/{path}" for path in ("first", "same", "alike")]


def two_versions(origin: Origin) -> list[str]:
    """A site whose second version has the same pages, with relative links, but for one of its own."""
    text = "a chapter of some length, " * 6
    for version in ("old", "new"):
        origin.say(f"/{version}/", reply(page(f"the version {version}", "start")))
        origin.say(f"/{version}/start", reply(page(f"start of {text}", "one")))
        origin.say(f"/{version}/one", reply(page(f"first of {text}", "two")))
        origin.say(f"/{version}/two", reply(page(f"second of {text}", "../old/")))
    return [f"http://a.test/{version}/" for version in ("old", "new")]


def test_the_same_bytes_are_stored_once_and_then_pointed_to(tmp_path: Path) -> None:
    with Origin() as origin:
        found = crawl(tmp_path, origin, *three(origin))
    first, same = found.capture("http://a.test/first"), found.capture("http://a.test/same")
    assert (first.kind, same.kind) == ("response", "revisit")
    assert same["WARC-Profile"].endswith("/revisit/identical-payload-digest")
    assert same["WARC-Refers-To-Target-URI"] == "http://a.test/first"
    assert same["WARC-Refers-To-Date"] == first["WARC-Date"]
    assert same["WARC-Payload-Digest"] == first["WARC-Payload-Digest"]
    assert b"X-Other: header" in same.head
    assert same.body == b""
    assert found.lines["http://a.test/same"]["mime"] == "warc/revisit"


def test_the_same_page_in_other_bytes_is_stored_and_marked(tmp_path: Path) -> None:
    with Origin() as origin:
        found = crawl(tmp_path, origin, *three(origin))
    alike = found.capture("http://a.test/alike")
    assert (alike.kind, alike.body) == ("response", ALIKE)
    metadata = [
        record.block
        for record in found.records
        if record.kind == "metadata" and record["WARC-Target-URI"] == "http://a.test/alike"
    ]
    assert b"duplicate-of: http://a.test/first" in metadata[0]
    assert found.lines["http://a.test/alike"]["duplicate-of"] == "http://a.test/first"


def test_a_setting_stores_only_a_pointer(tmp_path: Path) -> None:
    with Origin() as origin:
        found = crawl(tmp_path, origin, *three(origin), store_pointers=True)
    alike = found.capture("http://a.test/alike")
    assert (alike.kind, alike.body) == ("revisit", b"")
    assert alike["WARC-Profile"] == "urn:webstrata:revisit:same-fingerprint"
    assert alike["WARC-Refers-To-Target-URI"] == "http://a.test/first"
    assert found.capture("http://a.test/same")["WARC-Profile"].endswith("/identical-payload-digest")


def test_a_duplicate_is_a_page_and_its_links_are_followed(tmp_path: Path) -> None:
    with Origin() as origin:
        found = crawl(tmp_path, origin, *two_versions(origin), fetchers=1)
    assert sorted(origin.paths()) == sorted(
        f"/{version}/{name}" for version in ("old", "new") for name in ("", "start", "one", "two")
    )
    assert (found["pages"], found["duplicates"]) == (8, 3)
    assert len(found.stored) == 8


def test_who_wants_it_follows_no_links_of_duplicates(tmp_path: Path) -> None:
    with Origin() as origin:
        found = crawl(tmp_path, origin, *two_versions(origin), fetchers=1, follow_duplicates=False)
    assert {path for path in origin.paths() if path.startswith("/new/")} == {"/new/", "/new/start"}
    assert (found["pages"], found["duplicates"]) == (6, 1)


def test_a_limit_of_pages_counts_duplicates(tmp_path: Path) -> None:
    with Origin() as origin:
        found = crawl(tmp_path, origin, *two_versions(origin), fetchers=1, max_pages=6)
    assert (found["pages"], len(found.stored)) == (6, 6)
    assert found["duplicates"] > 0


def test_pages_that_differ_in_digits_or_have_little_text_are_no_duplicates(tmp_path: Path) -> None:
    with Origin() as origin:
        for place in range(3):
            origin.say(f"/long-{place}", reply(b"<p>Version 1.%d. " % place + SAME))
            origin.say(f"/short-{place}", reply(b"<p>This page has <a href=/new-%d>moved</a>." % place))
            origin.say(f"/new-{place}", reply(page(f"what was moved to {place}")))
        names = [f"http://a.test/{name}-{place}" for name in ("long", "short") for place in range(3)]
        found = crawl(tmp_path, origin, *names)
    assert found["duplicates"] == 0
    assert {path for path in origin.paths() if "new" in path} == {"/new-0", "/new-1", "/new-2"}
    assert all("fingerprint-2" in found.lines[name] for name in names[:3])
    assert not any("fingerprint-2" in found.lines[name] for name in names[3:])


def test_errors_and_empty_pages_are_no_duplicates_of_each_other(tmp_path: Path) -> None:
    with Origin() as origin:
        for place in range(2):
            origin.say(f"/gone-{place}", reply(SAME, status="410 Gone"))
            origin.say(f"/empty-{place}", reply(b""))
        found = crawl(
            tmp_path,
            origin,
            *(f"http://a.test/{name}-{place}" for name in ("gone", "empty") for place in "01"),
        )
    assert found["duplicates"] == 0
    assert {record.kind for record in found.captures} == {"response"}


def test_what_a_filter_keeps_out_of_the_store_is_nothing_to_point_to(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", reply(page("no links")))
        found = crawl(
            tmp_path, origin, "http://a.test/", "http://b.test/", store="HostEquals(b.test)", fetchers=1
        )
    assert found.stored == {"http://b.test/"}
    assert found.capture("http://b.test/").body == page("no links")


def test_a_page_is_asked_for_again_on_condition_that_it_changed(tmp_path: Path) -> None:
    date = "Sun, 06 Nov 1994 08:49:37 GMT"
    with Origin() as origin:
        # what has no body must not be waited for, whatever its head says
        origin.say("/kept", head('ETag: "v1"', "Content-Length: 5000", status="304 Not Modified"))
        origin.say("/chunked", head("Transfer-Encoding: chunked", status="304 Not Modified"))
        origin.say("/changed", reply(page("news", "/more")))
        pages = [
            ("http://a.test/kept", '"v1"', date),
            ("http://a.test/chunked", "", date),
            ("http://A.test/changed", 'W/"x"', ""),
        ]
        found = crawl(tmp_path, origin, how={"pages": pages})
    kept, chunked, changed = (
        next(request.headers for request in origin.requests if request.path == path)
        for path in ("/kept", "/chunked", "/changed")
    )
    assert (kept["if-none-match"], kept["if-modified-since"]) == ('"v1"', date)
    assert "if-none-match" not in chunked
    assert "if-modified-since" not in changed
    assert changed["if-none-match"] == 'W/"x"'
    assert "/more" in origin.paths()
    assert not any(
        "if-none-match" in request.headers for request in origin.requests if request.path == "/more"
    )
    for path in ("kept", "chunked"):
        record = found.capture(f"http://a.test/{path}")
        assert (record.kind, record.status) == ("revisit", 304)
        assert record["WARC-Profile"].endswith("/revisit/server-not-modified")
        assert record["WARC-Refers-To-Target-URI"] == f"http://a.test/{path}"
        assert "WARC-Truncated" not in record.headers
    assert found.capture("http://a.test/changed").kind == "response"


def test_an_answer_without_a_body_is_stored(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", head("Content-Length: 7", "Transfer-Encoding: chunked", status="204 No Content"))
        found = crawl(tmp_path, origin, "http://a.test/")
    record = found.capture("http://a.test/")
    assert (record.status, record.body) == (204, b"")
    assert "WARC-Truncated" not in record.headers
