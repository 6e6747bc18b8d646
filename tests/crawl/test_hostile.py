"""What hosts may try on a crawler: none of it leaves its origin, names a file, or goes on for ever."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import Crawled, Origin, Request, crawl, head, page, redirect, reply

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "s3cret"
EVIL = "..%2F..%2Fetc%2Fpasswd"


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, list[Request], Path]:
    """One crawl of two hosts that try everything."""
    folder = tmp_path_factory.mktemp("hostile")
    cookies = [f"Set-Cookie: c{place}={SECRET}{'x' * 50}; Domain=test; Path=/" for place in range(400)]
    with Origin(("127.0.0.1", "127.0.0.2")) as origin:
        targets = ["/cookies", f"http://user:{SECRET}@a.test/credentials", "/away", "/basic", "/flood/0"]
        targets += [f"/{EVIL}", "/a/../../../x", "/file", "//b.test/..;/x", "/%00/../b", "/CON", "/-rf"]
        origin.say("a.test/", reply(page("home", *targets)))
        origin.say("a.test/cookies", reply(page("cookies", "/after", "http://b.test/"), *cookies))
        origin.say("a.test/after", reply(page("after")))
        origin.say("a.test/credentials", reply(page("credentials")))
        origin.say("a.test/away", redirect(f"http://user:{SECRET}@b.test/stolen"))
        origin.say("a.test/basic", head('WWW-Authenticate: Basic realm="x"', status="401 Unauthorized"))
        for place in range(60):
            origin.say(f"a.test/flood/{place}", redirect(f"/flood/{place + 1}"))
        names = ["Content-Disposition: attachment; filename=../../evil.sh", "Content-Location: /../evil"]
        for path in (f"/{EVIL}", "/x", "/file", "/CON", "/-rf"):
            origin.say(f"a.test{path}", reply(page(f"file {path}"), *names))
        origin.say("b.test/", reply(page("b")))
        origin.say("b.test/stolen", reply(page("stolen")))
        found = crawl(folder, origin, "http://a.test/", names={"b.test": origin.at("127.0.0.2")})
    return found, origin.requests, folder


def test_cookies_and_credentials_go_to_nobody(attacked: tuple[Crawled, list[Request], Path]) -> None:
    found, requests, _ = attacked
    paths = {request.path for request in requests}
    assert {"/after", "/away", "/basic"} <= paths
    # a URL with a name and a password is none that is asked for
    assert not {"/credentials", "/stolen"} & paths
    for request in requests:
        assert not {"cookie", "authorization", "proxy-authorization", "referer"} & set(request.headers)
        assert not any(SECRET in text for text in (request.path, *request.headers.values()))
    # what servers say of themselves is kept as they said it; what is ours has no secret
    for record in found.records:
        if record.kind != "response":
            assert SECRET not in str(record.headers)
            assert SECRET.encode() not in record.block
    assert not any(SECRET in url for url in found.lines)


def test_a_flood_of_redirects_ends(attacked: tuple[Crawled, list[Request], Path]) -> None:
    found, requests, _ = attacked
    assert len([request for request in requests if request.path.startswith("/flood/")]) == 11
    assert found.result is not None
    (cut,) = [cut for cut in found.result.cuts if cut.reason == "redirects"]
    assert (cut.number, cut.examples) == (1, ("http://a.test/flood/11",))


def test_no_name_of_a_file_comes_from_the_net(attacked: tuple[Crawled, list[Request], Path]) -> None:
    found, _, folder = attacked
    assert len([url for url in found.stored if "file" in url or "CON" in url or "passwd" in url]) >= 3
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names
    odd = {
        name
        for name in names
        if not re.fullmatch(r"[\w./-]+", name) or re.search(r"evil|passwd|CON|rf", name)
    }
    assert not odd
