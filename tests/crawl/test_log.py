"""The crawl's log: a line for each URL that was brought to its end."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.crawl.origin import Origin, crawl, page, redirect, reply

ROOT = Path(__file__).parents[2]
ROBOTS = b"User-agent: *\nDisallow: /secret\n"


def say(origin: Origin) -> None:
    origin.say("a.test/robots.txt", reply(ROBOTS, kind="text/plain"))
    origin.say("b.test/robots.txt", reply(b"", status="404 Not Found"))
    targets = ("/secret", "/r", "/odd", "/x.pdf", "http://b.test/", "http://nowhere.test/")
    origin.say("a.test/", reply(page("first", *targets)))
    origin.say("a.test/r", redirect("/there"))
    origin.say("a.test/there", reply(page("there", "/copy")))
    origin.say("a.test/copy", reply(page("there", "/copy")))
    origin.say("a.test/odd", reply(page("odd"), kind="text/html evil\tkind"))


def test_the_columns_are_those_of_heritrix(tmp_path: Path) -> None:
    with Origin() as origin:
        say(origin)
        found = crawl(
            tmp_path, origin, "http://a.test/", crawl_log="heritrix", fetch="not PathEndsWithOneOf(.pdf)"
        )
    folder = found.snapshot.working_folder("crawl")
    lines = [line.split() for line in (folder / "crawl.log").read_text().splitlines()]
    assert {len(line) for line in lines} == {12}
    by_url = {line[3]: line for line in lines}
    assert len(by_url) == len(lines)
    assert {url: (line[1], line[4], line[5]) for url, line in by_url.items()} == {
        "http://a.test/robots.txt": ("200", "P", "-"),
        "http://b.test/robots.txt": ("404", "P", "-"),
        "http://a.test/": ("200", "-", "-"),
        "http://a.test/secret": ("-9998", "L", "http://a.test/"),
        "http://a.test/x.pdf": ("-5001", "L", "http://a.test/"),
        "http://a.test/odd": ("200", "L", "http://a.test/"),
        "http://a.test/r": ("302", "L", "http://a.test/"),
        "http://a.test/there": ("200", "LR", "http://a.test/r"),
        "http://a.test/copy": ("200", "LRL", "http://a.test/there"),
        "http://b.test/": ("404", "L", "http://a.test/"),
        "dns:nowhere.test": ("-1", "P", "-"),
    }
    first = by_url["http://a.test/"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first[0])
    assert first[6] == "text/html"
    assert re.fullmatch(r"#00\d", first[7])
    assert re.fullmatch(r"\d{17}\+\d+", first[8])
    record = found.capture("http://a.test/")
    assert first[9] == record["WARC-Payload-Digest"]
    assert int(first[2]) == len(record.body)
    assert by_url["http://a.test/copy"][11] == "duplicate:digest"


def test_as_json_it_says_the_same_and_a_full_file_gets_a_number(tmp_path: Path) -> None:
    with Origin() as origin:
        say(origin)
        found = crawl(tmp_path, origin, "http://a.test/", crawl_log="json", log_size=1)
    folder = found.snapshot.working_folder("crawl")
    paths = sorted(folder.glob("crawl*.log"))
    assert len(paths) > 1
    rows = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    told = {row["url"]: row for row in rows}
    assert len(told) == len(rows) == 11
    assert told["http://a.test/there"]["path"] == "LR"
    assert told["http://a.test/there"]["via"] == "http://a.test/r"
    assert (told["http://a.test/secret"]["status"], "size" in told["http://a.test/secret"]) == (-9998, False)


def test_without_it_nothing_is_carried_along(tmp_path: Path) -> None:
    with Origin() as origin:
        say(origin)
        found = crawl(tmp_path, origin, "http://a.test/")
    assert not list(found.snapshot.working_folder("crawl").glob("crawl*.log"))
    assert "if-none-match" not in {name for request in origin.requests for name in request.headers}


def test_every_code_of_the_log_is_in_its_table() -> None:
    source = (ROOT / "rust" / "src" / "crawl" / "log.rs").read_text()
    failed = re.search(r"pub const FAILED.* = \[(.*)\];", source)
    others = re.findall(r"pub const (?:ROBOTS|FILTER): i32 = (-\d+);", source)
    assert failed is not None
    assert len(others) == 2
    codes = {code.strip() for code in failed[1].split(",")} | set(others)
    page = (ROOT / "docs" / "formats" / "crawl.md").read_text()
    told = {f"-{code}" for code in re.findall(r"^\| −(\d+) \|", page, re.MULTILINE)}
    assert told == codes, "docs/formats/crawl.md: the table of codes has others than rust/src/crawl/log.rs"
