"""What pages and hosts say about uses of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.origin import Crawled, Origin, crawl, page, reply

if TYPE_CHECKING:
    from pathlib import Path

HEADERS = (
    "X-Robots-Tag: noai, otherbot: noindex",
    "Content-Usage: train-ai=n",
    "TDM-Policy: https://a.test/p",
)


def told(found: Crawled, url: str) -> dict[str, str]:
    """The fields of the metadata record of a URL."""
    (record,) = [
        record for record in found.records if record.kind == "metadata" and record["WARC-Target-URI"] == url
    ]
    lines = (line.partition(": ") for line in record.block.decode().splitlines() if line)
    return {name: value for name, _, value in lines}


def say(origin: Origin) -> None:
    origin.say("/robots.txt", reply("User-agent: *\nContent-Usage: /x train-ai=n\nDisallow: /private\n"))
    origin.say("/", reply(page("home", "/header", "/meta", "/silent"), *HEADERS))
    origin.say("/header", reply(page("reserved by a header"), "tdm-reservation: 1"))
    meta = b'<meta name="robots" content="nofollow, noindex"><META content="1" name="tdm-reservation">'
    origin.say("/meta", reply(b"<html>" + meta + page("reserved by the page", "/beyond")))
    origin.say("/silent", reply(page("no word")))


def test_every_statement_is_recorded_with_its_capture(tmp_path: Path) -> None:
    with Origin() as origin:
        say(origin)
        found = crawl(tmp_path, origin, "http://a.test/")
    home = told(found, "http://a.test/")
    assert home["x-robots-tag"] == "noai, otherbot: noindex"
    assert home["content-usage"] == "train-ai=n"
    assert home["tdm-policy"] == "https://a.test/p"
    assert home["robots-txt"] == "content-usage: /x train-ai=n"
    assert told(found, "http://a.test/header")["tdm-reservation"] == "1"
    meta = told(found, "http://a.test/meta")
    assert (meta["tdm-reservation"], meta["robots-meta"]) == ("1", "noindex,nofollow")
    assert found.lines["http://a.test/header"]["signals"] == (
        "tdm-reservation: 1; robots-txt: content-usage: /x train-ai=n"
    )
    assert "tdm-reservation" not in told(found, "http://a.test/silent")
    # recorded alone: what they speak of is neither crawling nor archiving
    assert len(found.stored) == 4
    assert "/beyond" not in origin.paths()


def test_who_does_not_want_reserved_pages_does_not_store_them(tmp_path: Path) -> None:
    with Origin() as origin:
        say(origin)
        found = crawl(tmp_path, origin, "http://a.test/", store_reserved=False)
    assert found.stored == {"http://a.test/", "http://a.test/silent"}
    assert found.result is not None
    (cut,) = [cut for cut in found.result.cuts if cut.reason == "reserved"]
    assert cut.examples == ("http://a.test/header", "http://a.test/meta")
