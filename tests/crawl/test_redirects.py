"""Redirects are links: the target waits for its turn as any other URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.origin import Origin, crawl, head, page, redirect, reply

if TYPE_CHECKING:
    from pathlib import Path


def test_a_chain_is_followed_and_every_answer_is_stored(tmp_path: Path) -> None:
    with Origin() as origin:
        for place in range(3):
            origin.say(f"/{place}", redirect(f"/{place + 1}"))
        origin.say("/3", reply(page("the end")))
        found = crawl(tmp_path, origin, "http://a.test/0")
    assert origin.paths() == ["/0", "/1", "/2", "/3"]
    assert [found.capture(f"http://a.test/{place}").status for place in range(4)] == [302, 302, 302, 200]
    assert found.lines["http://a.test/0"]["redirect"] == "http://a.test/1"
    assert list(found.snapshot.urls) == ["http://a.test/3"]
    assert found.snapshot.urls.node("http://a.test/0") == 0


def test_a_loop_ends(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/a", redirect("/b"))
        origin.say("/b", redirect("/a"))
        origin.say("/self", redirect("/self"))
        found = crawl(tmp_path, origin, "http://a.test/a", "http://a.test/self")
    assert sorted(origin.paths()) == ["/a", "/b", "/self"]
    assert found["pages"] == 0


def test_no_more_redirects_are_followed_in_a_row_than_the_limit_says(tmp_path: Path) -> None:
    with Origin() as origin:
        for place in range(9):
            origin.say(f"/{place}", redirect(f"/{place + 1}"))
        crawl(tmp_path, origin, "http://a.test/0", max_redirects=4)
        assert origin.paths() == ["/0", "/1", "/2", "/3", "/4"]
        origin.requests.clear()
        crawl(tmp_path, origin, "http://a.test/0", max_redirects=0)
        assert origin.paths() == ["/0"]


def test_a_link_begins_a_new_row_of_redirects(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/0", redirect("/1"))
        origin.say("/1", reply(page("between", "/2")))
        origin.say("/2", redirect("/3"))
        origin.say("/3", reply(page("end")))
        crawl(tmp_path, origin, "http://a.test/0", max_redirects=1)
    assert origin.paths() == ["/0", "/1", "/2", "/3"]


def test_targets_are_resolved_as_links_are(tmp_path: Path) -> None:
    targets = {
        "/d/relative": ("x", "/d/x"),
        "/d/parent": ("../y", "/y"),
        "/d/query": ("?q=1", "/d/query?q=1"),
        "/d/absolute": ("http://A.test:80/z#part", "/z"),
        "/d/without-scheme": ("//a.test/w", "/w"),
        "/d/blank": ("/with blank", "/with%20blank"),
        "/d/folded": ("/fol\r\n ded", "/fol%20ded"),
    }
    with Origin() as origin:
        for path, (target, _) in targets.items():
            origin.say(path, redirect(target))
        found = crawl(tmp_path, origin, *(f"http://a.test{path}" for path in targets))
    for path, (_, target) in targets.items():
        if path != "/d/folded":
            assert target in origin.paths(), path
            assert found.lines[f"http://a.test{path}"]["redirect"] == f"http://a.test{target}"


def test_a_target_that_is_no_url_is_not_followed(tmp_path: Path) -> None:
    garbage = {
        "/mail": redirect("mailto:a@b.test"),
        "/file": redirect("file:///etc/passwd"),
        "/script": redirect("javascript:alert(1)"),
        "/port": redirect("http://a.test:99999/"),
        "/empty-host": redirect("http:///"),
        "/bytes": b"HTTP/1.1 302 Found\r\nLocation: http://\xff\xfe /\r\nContent-Length: 0\r\n\r\n",
        "/none": head("Content-Length: 0", status="302 Found"),
        "/long": redirect("/" + "x" * 3000),
    }
    with Origin() as origin:
        for path, answer in garbage.items():
            origin.say(path, answer)
        found = crawl(tmp_path, origin, *(f"http://a.test{path}" for path in garbage))
    assert set(origin.paths()) == set(garbage)
    assert found.stored >= {f"http://a.test{path}" for path in garbage}
    assert found["status_3xx"] == len(garbage)


def test_the_host_of_the_target_keeps_its_delay_and_its_robots(tmp_path: Path) -> None:
    with Origin(("127.0.0.1", "127.0.0.2")) as origin:
        origin.say("a.test/0", redirect("http://b.test/1"))
        origin.say("a.test/2", redirect("http://b.test/secret"))
        origin.say("b.test/robots.txt", reply("User-agent: *\nDisallow: /secret", kind="text/plain"))
        origin.say("b.test/1", reply(page("there")))
        names = {"b.test": origin.at("127.0.0.2")}
        found = crawl(
            tmp_path, origin, "http://a.test/0", "http://a.test/2", names=names, host_delays=("b.test=300ms",)
        )
    asked = [request for request in origin.requests if request.host == "b.test"]
    assert [request.path for request in asked] == ["/robots.txt", "/1"]
    assert asked[1].opened - asked[0].ended >= 0.3
    assert found["disallowed"] == 1


def test_depth_begins_anew_on_another_host(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("a.test/0", reply(page("zero", "/1")))
        origin.say("a.test/1", redirect("http://b.test/0"))
        origin.say("b.test/0", reply(page("other", "/1")))
        origin.say("b.test/1", reply(page("last", "/2")))
        crawl(tmp_path, origin, "http://a.test/0", max_depth=1)
    assert origin.paths("a.test") == ["/0", "/1"]
    assert origin.paths("b.test") == ["/0", "/1"]
