"""Traps: pages that are none, URLs without end, and the same page under many addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest

import webstrata as ws
from tests.crawl.origin import Answer, Origin, Request, Step, crawl, page, reply, spell, tree
from tests.crawl.test_run import crawl_web
from webstrata.store.links import arcs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Machine(Origin):
    """An origin that makes up what was not written down."""

    def __init__(self, make: Callable[[str], Answer]) -> None:
        super().__init__()
        self.make = make

    def _choose(self, request: Request) -> tuple[Step, ...]:
        if request.host + request.path in self._answers or request.path == "/robots.txt":
            return super()._choose(request)
        answer = self.make(request.path)
        return (answer,) if isinstance(answer, bytes) else answer


# ---- soft 404s


def sorry(path: str) -> Answer:
    """What is not there, said with status 200, the address in its text."""
    return reply(f"<title>Oops</title><p>There is no {path} here.</p><a href='/more{path}'>go on</a>")


def test_pages_that_say_that_nothing_is_there_are_marked_and_lead_nowhere(tmp_path: Path) -> None:
    with Machine(sorry) as origin:
        # the first of them comes before the host is asked for what cannot be there
        missing = [f"/gone/{spell(str(place))}{place}" for place in range(20)]
        origin.say("a.test/", reply(page("home", missing[0], "/1", "/2", "/3")))
        for place in range(1, 4):
            origin.say(f"a.test/{place}", reply(page(f"number {place}", *missing[6 * place :][:7])))
        found = crawl(tmp_path, origin, "http://a.test/", probe_after=1)
    probes = [path for path in origin.paths() if "/" not in path[1:] and len(path) == 14]
    assert len(probes) == 1
    # nobody leads to the probe, and so it is not stored
    assert not any(f"http://a.test{path}" in found.lines for path in probes)
    soft = {url for url, line in found.lines.items() if "soft-404" in line.get("robots", "")}
    assert soft | {f"http://a.test{missing[0]}"} >= {url for url in found.lines if "/gone/" in url}
    assert found["soft_404"] == len(soft)
    assert found["pages"] == len(found.lines)
    assert not [
        path for path in origin.paths() if path.startswith("/more/gone/") and path[11:] in missing[1:]
    ]


def test_hosts_that_say_404_or_forbid_the_probe_lose_nothing(tmp_path: Path) -> None:
    with Origin(("127.0.0.1", "127.0.0.2")) as origin:
        tree(origin, names=("a.test", "b.test"), size=7)
        origin.say("b.test/robots.txt", reply("User-agent: *\nAllow: /$\nAllow: /2\nDisallow: /\n"))
        names = {"a.test": origin.at(), "b.test": origin.at("127.0.0.2")}
        found = crawl(tmp_path, origin, *(f"http://{name}/" for name in names), names=names, probe_after=1)
    assert len(origin.paths("a.test")) == 8
    assert origin.paths("b.test") == ["/", "/2"]
    assert (found["pages"], found["soft_404"]) == (9, 0)


def test_a_host_that_shows_its_home_page_for_everything_keeps_its_home_page(tmp_path: Path) -> None:
    with Machine(lambda _: reply(page("home", "/1", "/2"))) as origin:
        found = crawl(tmp_path, origin, "http://a.test/", probe_after=1)
    assert "soft-404" not in found.lines["http://a.test/"].get("robots", "")
    assert found["soft_404"] == 2


@pytest.mark.slow
def test_soft_404s_of_the_in_vitro_web_are_told_with_precision_and_recall(tmp_path: Path) -> None:
    web = ws.invitro.Web("small", seed=7, soft_404_share=0.5, broken_share=0.1)
    snapshot, _, result = crawl_web(tmp_path, web, probe_after=1, dust_support=0)
    told = {row["url"] for row in read_index(snapshot) if "soft-404" in row.get("robots", "")}
    served = set(web.graph(view="served").urls)
    true = {url for url in served if not (web.facts(url) or {})["title"]}
    assert told <= served
    assert len(true) > 50
    assert not told - true
    assert len(told) >= 0.9 * len(true)
    assert result.counters["soft_404"] == len(told)
    good = set(web.graph(view="collection").urls) - true
    assert good <= set(snapshot.urls)


def read_index(snapshot: ws.Snapshot) -> list[dict[str, str]]:
    from webstrata.archive.cdxj import Index

    with snapshot.open_part("captures") as part, Index(part.path) as index:
        return [dict(entry.fields) for entry in index]


# ---- patterns


def test_a_pattern_whose_pages_repeat_each_other_is_left_and_looked_at_again(tmp_path: Path) -> None:
    with Machine(lambda path: reply(page("please log in" if "?" in path else f"place {path}"))) as origin:
        targets = [f"/login?from={place}" for place in range(400)] + [f"/good/{place}" for place in range(90)]
        origin.say("a.test/", reply(page("home", *targets)))
        found = crawl(tmp_path, origin, "http://a.test/", dust_support=0, probe_after=0, crawl_log="heritrix")
        log = (found.snapshot.working_folder("crawl") / "crawl.log").read_text().splitlines()
        asked = len([path for path in origin.paths() if path.startswith("/login")])
        everything = crawl(
            tmp_path, origin, "http://a.test/", dust_support=0, probe_after=0, max_duplicate_share=1
        )
    assert found["trapped"] == 400 - asked
    left = [line.split() for line in log if "-5001" in line]
    assert {line[-1] for line in left} == {"trap"}
    assert len(left) == found["trapped"]
    assert 64 <= asked <= 64 + 2 + 400 // 64
    assert everything["trapped"] == 0
    assert len([url for url in found.snapshot.urls if "/good/" in url]) == 90
    assert found.result is not None
    (cut,) = [cut for cut in found.result.cuts if cut.reason == "trap"]
    assert cut.number == found["trapped"]
    assert len(cut.examples) == 8
    assert all(url.startswith("http://a.test/login?from=") for url in cut.examples)


def test_pages_behind_a_run_of_second_addresses_are_not_lost(tmp_path: Path) -> None:
    def show(path: str) -> Answer:
        return reply(page(f"number {spell(dict(parse_qsl(path.partition('?')[2]))['id'])}"))

    first = [f"/view?cat=7&id={place}" for place in range(100)]
    # of the same pattern, and longer in a row than the crawl looks back
    second = [f"/view?id={place}&cat=7" for place in range(100)]
    late = [f"/view?cat=8&id={place}" for place in range(100, 160)]
    with Machine(show) as origin:
        origin.say("a.test/", reply(page("home", *first, *second, *late)))
        found = crawl(tmp_path, origin, "http://a.test/", probe_after=0)
    assert {url for url in found.snapshot.urls if "cat=8" in url} == {f"http://a.test{path}" for path in late}
    assert found["trapped"] == 0


def test_a_pattern_that_is_variable_in_many_places_is_full_one_day(tmp_path: Path) -> None:
    with Machine(lambda path: reply(page(f"day {path}"))) as origin:
        days = [f"/calendar/20{place % 90 + 10}/{place % 12 + 1}/{place}" for place in range(40)]
        origin.say("a.test/", reply(page("home", *days, *(f"/item?id={place}" for place in range(40)))))
        found = crawl(tmp_path, origin, "http://a.test/", max_pages_per_pattern=25)
    assert len([path for path in origin.paths() if path.startswith("/calendar/")]) == 25
    assert len([path for path in origin.paths() if path.startswith("/item")]) == 40
    assert found["trapped"] == 15


# ---- copies without end


def test_a_calendar_whose_months_differ_in_digits_is_left_at_once(tmp_path: Path) -> None:
    def month(path: str) -> Answer:
        number = int(path.rsplit("/", 1)[1])
        return reply(f"<h1>Month {number}</h1><a href=/cal/{number - 1}>a</a><a href=/cal/{number + 1}>b</a>")

    with Machine(month) as origin:
        for name in ("a.test", "b.test"):
            origin.say(f"{name}/", reply(page(f"home of {name}", "/cal/500")))
        names = {"b.test": origin.at()}
        found = crawl(
            tmp_path, origin, "http://a.test/", "http://b.test/", names=names, probe_after=0, fetchers=1
        )
    # the first month leads to its neighbours; of another host it is known
    assert sorted(origin.paths("a.test") + origin.paths("b.test")) == sorted(
        ["/", "/", "/cal/499", "/cal/500", "/cal/501", "/cal/500"]
    )
    assert found["pages"] == 6
    assert found.result is not None
    (cut,) = [cut for cut in found.result.cuts if cut.reason == "repeat"]
    assert cut.number == 6


@pytest.mark.parametrize("text", ["the same for all", "the same for all, at some length. " * 10])
def test_one_page_for_every_path_with_relative_links_ends(tmp_path: Path, text: str) -> None:
    folders = [f"{spell(str(place))}/" for place in range(8)]
    with Machine(lambda _: reply(page(text, *folders))) as origin:
        found = crawl(tmp_path, origin, "http://a.test/", probe_after=0, host_delay=0.0)
    # 64 pages lead on, to eight others each at most
    assert len(origin.paths()) <= 1 + 64 * 8
    assert found.result is not None
    assert found.result.end == "exhausted"


def test_folders_in_themselves_are_left_at_once(tmp_path: Path) -> None:
    with Machine(lambda path: reply(f"<h1>Level {path.count('/')}</h1><a href=deeper/>on</a>")) as origin:
        origin.say("a.test/", reply(page("home", "/deeper/")))
        crawl(tmp_path, origin, "http://a.test/", probe_after=0)
    assert origin.paths() == ["/", "/deeper/", "/deeper/deeper/"]


def test_chapters_of_a_second_version_are_all_fetched(tmp_path: Path) -> None:
    def chapter(path: str) -> Answer:
        number = int(path.rsplit("-", 1)[1])
        text = f"chapter {spell(str(number))} has some length, " * 10
        return reply(page(text, *([f"chapter-{number + 1}"] if number < 30 else [])))

    with Machine(chapter) as origin:
        origin.say("a.test/", reply(page("home", *(f"/{version}.0/chapter-1" for version in range(1, 6)))))
        found = crawl(tmp_path, origin, "http://a.test/", probe_after=0, max_depth=40, host_delay=0.0)
    assert len(origin.paths()) == 1 + 5 * 30
    assert (found["pages"], found["duplicates"]) == (151, 120)


def test_pages_that_only_lead_elsewhere_are_all_followed(tmp_path: Path) -> None:
    def moved(path: str) -> Answer:
        name = path.rsplit("/", 1)[1]
        if path.startswith("/new/"):
            return reply(page(f"what is called {name}"))
        return reply(f"<meta http-equiv=refresh content='0; url=/new/{name}'><p>This page has moved.")

    names = [spell(str(place)) for place in range(100, 200)]
    with Machine(moved) as origin:
        origin.say("a.test/", reply(page("home", *(f"/old/{name}" for name in names))))
        crawl(tmp_path, origin, "http://a.test/", probe_after=0, host_delay=0.0)
    assert {path for path in origin.paths() if path.startswith("/new/")} == {f"/new/{name}" for name in names}


# ---- DUST


def session_pages(path: str) -> Answer:
    """Pages that link to each other under a new session identifier each time."""
    bare = path.partition("?")[0]
    place = int(bare.strip("/") or 0)
    # like the real ones, they differ in their bytes from session to session
    links = (f"<a href='/{other}?sid={place}x{other}x{len(path)}'>on</a>" for other in next_to(place))
    return reply(page(f"number {place}") + "".join(links).encode())


def next_to(place: int) -> set[int]:
    return {other % 40 for other in (place + 1, place + 2, place * 3, place * 5 + 7)}


def test_parameters_without_meaning_are_learned_and_taken_out(tmp_path: Path) -> None:
    with Machine(session_pages) as origin:
        how: dict[str, Any] = {"host_delay": 0.005, "probe_after": 0}
        plain = crawl(tmp_path, origin, "http://a.test/0", dust_support=0, **how)
        before = len(origin.paths())
        found = crawl(tmp_path, origin, "http://a.test/0", dust_support=5, **how)
        after = len(origin.paths()) - before
    assert plain["rewritten"] == 0
    assert found["rewritten"] > 0
    assert after < before
    assert found.result is not None
    (rule,) = found.result.rules
    assert (rule.origin, rule.name, rule.precision) == ("http://a.test", "sid", 1.0)
    assert rule.support >= 5
    # nothing is lost: the same pages, and all links between them, whatever they are written as
    places = [int(url.removeprefix("http://a.test/").partition("?")[0]) for url in found.snapshot.urls]
    assert set(places) == set(range(40))
    between = {(places[source], places[target]) for source, target in zip(*arcs(found.snapshot), strict=True)}
    assert between == {(place, other) for place in range(40) for other in next_to(place)}


@pytest.mark.slow
def test_of_a_hostile_web_no_good_page_in_a_thousand_is_lost(tmp_path: Path) -> None:
    web = ws.invitro.Web("hostile", seed=7, hosts=120, pages=6_000, latency=0.0, slow_share=0.0)
    snapshot, _, result = crawl_web(
        tmp_path, web, probe_after=32, response_timeout=2.0, connect_timeout=2.0, fetch_timeout=5.0
    )
    # by their text: under which of its session identifiers a page is found is chance
    good, found = (
        {row["text"] for row in web.table(list(urls)).select(["title", "text"]).to_pylist() if row["title"]}
        for urls in (web.graph(view="collection").urls, snapshot.urls)
    )
    assert len(good) > 3000
    assert len(good - found) <= 0.001 * len(good), (len(good - found), len(good), result.cuts)
    traps = [url for url in snapshot.urls if (web.facts(url) or {})["trap"]]
    assert len(traps) <= 2 * len(web.hosts()["name"])
