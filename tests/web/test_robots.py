"""robots.txt: other projects' cases, real files, a plain reference, and what the in-vitro web serves."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.peers.installed import find_peer
from tests.web import reference
from webstrata.invitro import Web
from webstrata.web.robots import MAX_BYTES, Robots, parse_robots, rules_for_status

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent


def target_of(url: str) -> str:
    """Path and query of a URL that may be none, as other parsers read it."""
    return re.sub(r"^[a-z]+://[^/?#;]*", "", url).partition("#")[0]


# ---- by hand


@pytest.mark.parametrize(
    ("text", "target", "is_allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow:\n", "/a", True),
        ("User-agent: *\nDisallow: /\n", "/a", False),
        ("User-agent: *\nDisallow: /\n", "", False),
        ("User-agent: *\nDisallow: /?\n", "?a", False),
        ("User-agent: *\nDisallow: /\n", "/robots.txt", True),
        ("User-agent: other\nDisallow: /\n", "/a", True),
        ("User-agent: *\nUser-agent: other\nDisallow: /\n", "/a", False),
        ("User-agent: other\nUser-agent: *\nDisallow: /\n", "/a", False),
        ("User-agent: other\nDisallow: /\nUser-agent: *\nDisallow: /b", "/a", True),
        ("User-agent: *\nDisallow: /a\nUser-agent: other\nDisallow: /b", "/b", True),
        ("\ufeffuser-AGENT :* # all\r\ndisallow :  /a # this\r\n", "/a/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*?", "/a?b", False),
        ("User-agent: *\nDisallow: /*?", "/a", True),
        ("User-agent: *\nDisallow: /a$", "/a", False),
        ("User-agent: *\nDisallow: /a$", "/a/b", True),
        ("User-agent: *\nDisallow: /a.b", "/axb", True),
        ("User-agent: *\nnonsense\nDisallow: /a", "/a", False),
        ("User-agent: *\u00a0\nDisallow: /a", "/a", False),
        ("User-agent: *\nDisallow: /a$b", "/a$b", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/a*b", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/axb", True),
        ("User-agent: *\nDisallow: /%e4", "/%E4x", False),
        ("User-agent *\nDisalow /a", "/a", False),
        ("User-agent: *\nDisallow /a b", "/a", True),
    ],
)
def test_the_longest_rule_for_everybody_counts(text: str, target: str, *, is_allowed: bool) -> None:
    assert parse_robots(text.encode(), "*").allows(target) is is_allowed
    assert parse_robots(text.encode()).allows(target) is is_allowed


@pytest.mark.parametrize(
    ("line", "agent", "is_meant"),
    [
        ("webstrata", "webstrata", True),
        ("WebStrata/2.0 (comment)", "webstrata", True),
        ("web", "webstrata", False),
        ("webstrata-visitor", "webstrata", False),
        ("webstrata", "webstrata/1.0", True),
        ("bot1", "bot1", True),
        ("bot12", "bot1", False),
        ("bot1/2", "bot1", True),
        ("", "", False),
    ],
)
def test_an_agent_is_meant_by_its_whole_name(line: str, agent: str, *, is_meant: bool) -> None:
    text = f"User-agent: {line}\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n".encode()
    robots = parse_robots(text, agent)
    assert robots.allows_many(["/a", "/b"]).tolist() == [not is_meant, is_meant]


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 1.5\n", 1.5),
        ("User-agent: other\nCrawl-delay: 9\n\nUser-agent: *\nCrawl-delay: 2\n", 2),
        ("User-agent: *\nCrawl-delay: 2\nCrawl-delay: 9\nCrawl-delay: 3", 9),
        ("User-agent: *\nCrawl-delay: 2\n\nUser-agent: webstrata\nDisallow: /", 0),
        ("User-agent: *\nCrawl-delay: soon\n", 0),
        ("User-agent: *\nCrawl-delay: -1\n", 0),
        ("User-agent: *\nCrawl-delay: inf\n", 0),
        ("User-agent: *\nCrawl-delay: " + "9" * 400, 0),
    ],
)
def test_the_delay_is_that_of_the_agents_named_before_it(text: str, delay: float) -> None:
    assert parse_robots(text.encode()).crawl_delay == delay


def test_sitemaps_are_for_all_and_signals_for_whom_they_are_meant() -> None:
    robots = parse_robots(
        b"Content-Usage: train-ai=n\nUser-agent: other\nContent-Signal: search=no\nSitemap: http://a/1\n"
        b"Disallow: /\nUser-agent: *\ncontent-signal: search=yes, ai-train=no\nSite-map: /2 # relative\n"
        b"Allow: /\nSitemap: http://a/1\n"
    )
    assert robots.sitemaps == ["http://a/1", "/2"]
    assert robots.signals == ["content-usage: train-ai=n", "content-signal: search=yes, ai-train=no"]


def test_a_status_says_what_is_allowed() -> None:
    text = b"User-agent: webstrata\nDisallow: /a\n"
    for status in (200, 204):
        assert rules_for_status(status, text).allows_many(["/a", "/b"]).tolist() == [False, True]
    for status in (301, 400, 401, 403, 404, 410, 451):
        assert rules_for_status(status, text).allows("/a")
    for none in (429, 500, 503, 599, 0, None):
        assert not rules_for_status(none, text).allows("/b")


def test_lines_beyond_the_cut_and_the_one_it_falls_into_are_not_read() -> None:
    rules = [f"Disallow: /{number}\n" for number in range(100_000)]
    text = ("User-agent: *\n" + "".join(rules)).encode()
    assert len(text) > MAX_BYTES
    robots = parse_robots(text)
    assert robots.num_rules == text[:MAX_BYTES].count(b"\n") - 1
    assert parse_robots(text, max_bytes=len(text)).num_rules == len(rules)
    short = b"User-agent: *\nDisallow: /abc"
    assert parse_robots(short, max_bytes=len(short)).num_rules == 1
    assert parse_robots(short, max_bytes=len(short) - 1).num_rules == 0


# ---- cases of other projects


class Case(NamedTuple):
    """An expectation of Google's."""

    content: bytes
    agent: str
    url: str
    is_allowed: bool


def read_textproto(path: Path) -> Iterator[Case]:
    """The expectations of a file: fields with strings, which go on behind each other, or with a word."""
    signs = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}

    def unescape(match: re.Match[bytes]) -> bytes:
        return bytes.fromhex(match[2].decode()) if match[2] else signs.get(match[1], match[1])

    text = re.sub(rb"^#.*$", b"", path.read_bytes(), flags=re.MULTILINE)
    string = rb'"((?:[^"\\]|\\.)*)"'
    fields: dict[str, bytes] = {}
    for match in re.finditer(rb"(\w+):\s*((?:%b\s*)+|\w+)" % string, text):
        value = b"".join(part[1] for part in re.finditer(string, match[2])) or match[2].strip(b'" \n')
        name = match[1].decode()
        fields[name] = re.sub(rb"\\(x([0-9A-Fa-f]{2})|.)", unescape, value)
        if name == "expected_outcome":
            yield Case(
                fields["robotstxt"],
                fields["useragent"].decode(),
                fields["testurl"].decode(),
                value == b"ALLOWED",
            )


def google_cases(test_data: Path, suite: str) -> list[Case]:
    paths = sorted((test_data / "robots" / "google" / suite).glob("*.textproto"))
    return [case for path in paths for case in read_textproto(path)]


@pytest.mark.parametrize(("suite", "number"), [("correctness", 146), ("stress", 254)])
def test_all_of_googles_cases_pass_when_it_is_to_be_like_google(
    test_data: Path, suite: str, number: int
) -> None:
    cases = google_cases(test_data, suite)
    assert len(cases) == number
    for content, agent, url, is_allowed in cases:
        robots = parse_robots(content, agent, like_google=True)
        assert robots.allows(target_of(url)) == is_allowed, (content, agent, url)


@pytest.mark.parametrize("blanks", [0, 100])
def test_a_long_line_is_cut_where_google_cuts_it(blanks: int) -> None:
    # Google's parser keeps 2083 * 8 - 1 bytes of a line, leading blanks included
    rule = " " * blanks + "disallow: /" + "a" * 20_000
    content = f"user-agent: *\n{rule}\n".encode()
    kept = 2083 * 8 - 1 - blanks - len("disallow: /")
    google, ours = (parse_robots(content, like_google=like) for like in (True, False))
    assert not google.allows("/" + "a" * kept)
    assert google.allows("/" + "a" * (kept - 1))
    assert ours.allows("/" + "a" * 19_999)
    assert not ours.allows("/" + "a" * 20_000)


def test_googles_cases_pass_but_where_the_rfc_says_otherwise(test_data: Path) -> None:
    missed = Counter(
        "robots.txt itself"
        if target_of(case.url) == "/robots.txt"
        else "digits in a name"
        if re.search(r"\d", case.agent)
        else "percent-encoding"
        for suite in ("correctness", "stress")
        for case in google_cases(test_data, suite)
        if parse_robots(case.content, case.agent).allows(target_of(case.url)) != case.is_allowed
    )
    assert missed == {"percent-encoding": 3, "robots.txt itself": 4, "digits in a name": 2}


def test_crawler_commons_cases_pass_but_two() -> None:
    lines = (ROOT / "tests" / "data" / "robots" / "crawler-commons.jsonl").read_text().splitlines()
    number, missed = 0, []
    for case in map(json.loads, lines):
        robots = parse_robots(case["content"].encode("latin-1"), case["agents"] or "*")
        for is_allowed in (True, False):
            urls = case["allowed" if is_allowed else "disallowed"]
            number += len(urls)
            answers = robots.allows_many(map(target_of, urls))
            missed += [case["test"]] * int((answers != is_allowed).sum())
    assert number == 324
    # a delay of an hour is no refusal, and "mozilla/5.0 (…)" is an agent that is called mozilla
    assert sorted(missed) == ["testBigCrawlDelay", "testMatchingUserAgentNamesHttpHeader"]


# ---- real files


def real_files(test_data: Path) -> list[Path]:
    return sorted((test_data / "robots" / "real").iterdir())


def sample_targets(path: Path) -> list[str]:
    """Paths near to what the rules of a file say."""
    text = path.read_bytes().decode("utf-8", "replace")
    rules = dict.fromkeys(re.findall(r"(?im)^\s*(?:dis)?allow\s*:\s*(/[^#\s]*)", text))
    near = [[rule.replace("*", "x").rstrip("$"), rule.replace("*", "").rstrip("$") + "y"] for rule in rules]
    return ["/", "/zzz?x=1", *(target for pair in near[:60] for target in pair)]


def test_real_files_are_read_and_kept_in_less_than_their_size(test_data: Path) -> None:
    paths = real_files(test_data)
    assert len(paths) > 1000
    kept = {path: parse_robots(path.read_bytes()) for path in paths}
    assert sum(robots.num_rules > 0 for robots in kept.values()) > 0.8 * len(paths)
    assert sum(robots.num_bytes for robots in kept.values()) < sum(path.stat().st_size for path in paths)


PROTEGO = """
import json, sys
from protego import Protego

for line in sys.stdin:
    path, agent, targets = json.loads(line)
    with open(path, "rb") as file:
        robots = Protego.parse(file.read().decode("utf-8-sig", "ignore"))
    answers = [robots.can_fetch("http://a.uk" + target, agent) for target in targets]
    print(json.dumps([answers, robots.crawl_delay(agent) or 0, list(dict.fromkeys(robots.sitemaps))]))
"""

# where protego decides otherwise on a real file, and why we do not
UNLIKE_PROTEGO = {
    "www.santabanta.com": "a group for Google is not one for Googlebot: names are compared whole",
    "www.myvue.com": "UTF-16 is read",
}


@pytest.mark.peer
def test_real_files_are_read_as_protego_reads_them(test_data: Path) -> None:
    python = find_peer("python", "protego")
    asked = [
        (str(path), agent, sample_targets(path))
        for path in real_files(test_data)
        for agent in ("webstrata", "Googlebot")
    ]
    done = subprocess.run(
        [python, "-c", PROTEGO],
        input="\n".join(map(json.dumps, asked)),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    number, different = 0, set()
    for (path, agent, targets), line in zip(asked, done.stdout.splitlines(), strict=True):
        robots = parse_robots(Path(path).read_bytes(), agent)
        ours = [robots.allows_many(targets).tolist(), robots.crawl_delay, robots.sitemaps]
        number += len(targets)
        if ours != json.loads(line):
            different.add(Path(path).name)
    assert number > 50_000
    assert different == set(UNLIKE_PROTEGO)


# ---- against the reference, and whatever comes


_pieces = st.sampled_from(
    [b"/", b"a", b"b", b"ab", b"*", b"$", b"%61", b"%2f", b"%2A", b"%", b"\xc3", b"index.html"]
)
_paths = st.lists(_pieces, max_size=8).map(lambda pieces: b"/" + b"".join(pieces))
_rules = st.lists(
    st.tuples(st.lists(_pieces, min_size=1, max_size=6).map(b"".join), st.booleans()), max_size=6
)


@given(_rules, st.lists(_paths, max_size=6))
@example([(b"/a**b*$", False), (b"/a$*", True)], [b"/aab", b"/a$c"])
def test_rules_match_as_regular_expressions_do(rules: list[tuple[bytes, bool]], paths: list[bytes]) -> None:
    lines = [(b"Allow: " if is_allowing else b"Disallow: ") + rule for rule, is_allowing in rules]
    robots = parse_robots(b"\n".join([b"User-agent: *", *lines]))
    assert robots.allows_many(paths).tolist() == [reference.allows(rules, path) for path in paths]


_lines = st.lists(
    st.one_of(
        st.binary(max_size=20),
        st.tuples(
            st.sampled_from(
                [b"User-agent", b"Allow", b"Disallow", b"Crawl-delay", b"Sitemap", b"Content-Usage"]
            ),
            st.sampled_from([b":", b" ", b" : ", b""]),
            st.binary(max_size=20),
        ).map(b"".join),
    )
)


@given(
    mark=st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"<"]),
    lines=_lines,
    path=st.binary(),
    like_google=st.booleans(),
)
def test_any_bytes_are_a_file_and_any_bytes_a_path(
    *, mark: bytes, lines: list[bytes], path: bytes, like_google: bool
) -> None:
    robots = parse_robots(mark + b"\r\n".join(lines), like_google=like_google)
    assert robots.allows(path) in (True, False)
    assert robots.crawl_delay >= 0
    assert all(isinstance(line, str) for line in robots.sitemaps + robots.signals)


def _cpu_seconds(robots: Robots, path: bytes) -> float:
    def once() -> float:
        begin = time.process_time_ns()
        for _ in range(20):
            robots.allows(path)
        return (time.process_time_ns() - begin) / 1e9

    return min(once() for _ in range(7))


@pytest.mark.parametrize("shape", ["many stars", "one long piece", "repeated pieces"])
def test_a_path_of_many_times_the_length_takes_about_as_many_times_as_long(shape: str) -> None:
    def spent(size: int) -> float:
        rule = {
            "many stars": b"/" + b"*a" * (size // 4) + b"*b",
            "one long piece": b"/*" + b"a" * (size // 2) + b"b",
            "repeated pieces": b"/" + (b"*" + b"a" * 50 + b"b") * (size // 100) + b"$",
        }[shape]
        robots = parse_robots(b"User-agent: *\nDisallow: " + rule)
        path = b"/" + b"a" * size
        assert robots.allows(path)
        return _cpu_seconds(robots, path)

    # trying all ways to match would take 1024 times as long, or for ever
    assert spent(320_000) < 200 * spent(10_000)


# ---- the in-vitro web


@pytest.mark.parametrize("preset", ["tiny", "small", "hostile"])
def test_what_the_invitro_web_serves_says_what_it_knows(preset: str) -> None:
    web = Web(preset, seed=3, hosts=60, pages=900, robots_share=1.0, trap_share=0.3)
    seen = set()
    for home in web.home_pages():
        status, _, body = web._core.fetch(f"{home}robots.txt", 0) or (0, b"", b"")
        if status != 200:
            continue
        robots = parse_robots(body, "*")
        links = {link.url for link in web.links(home) if link.url.startswith(home)}
        for url in sorted(links | {home + path for path in ("calendar/1", "deeper/", "a?b=1", "x/y")}):
            inner = {link.url for link in web.links(url) if link.url.startswith(home)}
            found = [url, *sorted(inner)[:20]]
            answers = robots.allows_many(inside[len(home) - 1 :] for inside in found)
            assert answers.dtype == np.bool_
            assert answers.tolist() == [web.allowed(inside) for inside in found]
            seen.update(answers.tolist())
    assert seen == {True, False}
