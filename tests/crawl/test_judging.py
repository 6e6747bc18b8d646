"""Who decides in a crawl: filters, functions of the user's, priorities, the gate."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.origin import HANG, Origin, core_threads, crawl, page, prepare, reply, tree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webstrata.crawl.filters import Response
    from webstrata.crawl.judging import HostSample


# ---- filters


def test_schedule_refuses_links_and_lets_seeds_in(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin)
        found = crawl(tmp_path, origin, "http://a.test/3", schedule="PathEndsWithOneOf(/2, /6, /13)")
    assert origin.paths() == ["/3", "/6", "/13"]
    assert found["filtered"] == 2
    assert found["discovered"] == 3


def test_fetch_refuses_what_is_known(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin)
        found = crawl(tmp_path, origin, "http://a.test/", fetch="not PathEndsWithOneOf(3)")
    assert sorted(origin.paths()) == sorted(["/", "/2", "/4", "/5", "/8", "/9", "/10", "/11"])
    assert found["filtered"] == 1
    assert found["discovered"] == 9


@pytest.mark.parametrize("place", ["parse", "follow"])
def test_parse_and_follow_refuse_the_links_of_a_page(tmp_path: Path, place: str) -> None:
    filters: dict[str, Any] = {place: "not PathEndsWithOneOf(3)"}
    with Origin() as origin:
        tree(origin)
        found = crawl(tmp_path, origin, "http://a.test/", **filters)
    assert "http://a.test/3" in found.stored
    assert sorted(origin.paths()) == sorted(["/", "/2", "/3", "/4", "/5", "/8", "/9", "/10", "/11"])


def test_store_keeps_a_page_out_and_its_links_in(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin)
        found = crawl(tmp_path, origin, "http://a.test/", store="not PathEndsWithOneOf(/3)")
    assert len(origin.paths()) == 15
    assert found.stored == {f"http://a.test{path}" for path in origin.paths()} - {"http://a.test/3"}


def test_a_link_that_is_refused_on_one_page_may_be_let_in_on_another(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("a.test/", reply(page("one", "http://b.test/shared")))
        origin.say("b.test/", (0.2, reply(page("two", "/shared"))))
        crawl(tmp_path, origin, "http://a.test/", "http://b.test/", schedule="SameHost", fetchers=1)
    assert origin.paths("b.test") == ["/", "/shared"]


@pytest.mark.parametrize("place", ["schedule", "fetch", "parse", "follow", "store"])
def test_functions_answer_at_every_place_for_batches(tmp_path: Path, place: str) -> None:
    asked: list[list[Any]] = []

    def has_no_three(batch: list[Any], word: str) -> list[bool]:
        asked.append(batch)
        return [word not in getattr(each, "url", each) for each in batch]

    with Origin() as origin:
        tree(origin)
        filters: dict[str, Any] = {place: "SchemeEquals(http) and Without(/3)"}
        found = crawl(
            tmp_path, origin, "http://a.test/", how={"predicates": {"Without": has_no_three}}, **filters
        )
    below = {"/6", "/7", "/12", "/13", "/14", "/15"}
    everything = {"/"} | {f"/{number}" for number in range(2, 16)}
    missing = {"store": set(), "parse": below, "follow": below}.get(place, below | {"/3"})
    assert set(origin.paths()) == everything - missing
    assert ("http://a.test/3" in found.stored) == (place in ("parse", "follow"))
    if place in ("schedule", "fetch"):
        assert ["http://a.test/2", "http://a.test/3"] in asked
    if place in ("parse", "follow", "store"):
        shown: Response = asked[0][0]
        assert (shown.url, shown.status, shown.content_type) == ("http://a.test/", 200, "text/html")
        assert b"<title>" in shown.body
        assert shown.digest == hashlib.sha1(shown.body).digest()


def test_functions_are_told_what_is_a_duplicate(tmp_path: Path) -> None:
    told: list[tuple[str, bool]] = []

    def note(batch: list[Response]) -> list[bool]:
        told.extend((each.url, each.is_duplicate) for each in batch)
        return [not each.is_duplicate for each in batch]

    with Origin() as origin:
        origin.say("/1", reply(page("the same")))
        origin.say("/2", reply(page("the same")))
        how = {"predicates": {"IsNew": note}}
        found = crawl(tmp_path, origin, "http://a.test/1", "http://a.test/2", how=how, store="IsNew")
    assert told[-1] == ("http://a.test/2", True)
    assert found.stored == {"http://a.test/1"}


def test_functions_and_tests_of_the_source_go_together(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("a.test/", reply(page("one", "/in", "http://b.test/out")))
        how = {"predicates": {"Anything": lambda urls: [True] * len(urls)}}
        crawl(tmp_path, origin, "http://a.test/", how=how, schedule="SameHost and Anything")
    assert origin.paths() == ["/", "/in"]


@pytest.mark.parametrize("place", ["schedule", "fetch", "parse", "follow", "store"])
def test_an_exception_in_a_function_ends_the_crawl_with_it(tmp_path: Path, place: str) -> None:
    def fail(_batch: list[Any]) -> list[bool]:
        raise ZeroDivisionError("of the user's")

    with Origin(("127.0.0.1", "127.0.0.2")) as origin:
        tree(origin)
        origin.say("b.test/", (HANG,))
        job = prepare(
            tmp_path,
            ["http://a.test/", "http://b.test/"],
            {
                "hosts": {"a.test": origin.at(), "b.test": origin.at("127.0.0.2")},
                "predicates": {"Fails": fail},
            },
            **{place: "Fails"},
        )
        with pytest.raises(ZeroDivisionError, match="of the user's"):
            job.run()
    assert not core_threads()


def test_a_function_that_answers_for_fewer_than_it_was_asked_is_an_error(tmp_path: Path) -> None:
    with Origin() as origin:
        tree(origin)
        how = {"predicates": {"Short": lambda _: [True]}}
        with pytest.raises((ValueError, TypeError)):
            crawl(tmp_path, origin, "http://a.test/", how=how, schedule="Short")


# ---- priorities


def test_urgent_levels_come_first_and_keep_their_order(tmp_path: Path) -> None:
    paths = [f"/{'urgent' if place % 3 == 0 else 'other'}-{place}" for place in range(60)]

    def level(urls: Sequence[str], depths: Sequence[int]) -> list[int]:
        assert len(urls) == len(depths)
        return [0 if "urgent" in url else 1 for url in urls]

    with Origin() as origin:
        origin.say("/", reply(page("home", *paths)))
        # a front of one host asks for one URL after the other
        crawl(
            tmp_path,
            origin,
            "http://a.test/",
            how={"priority": level},
            levels=2,
            level_bias=1e6,
            fetchers=1,
        )
    asked = origin.paths()[1:]
    for word in ("urgent", "other"):
        assert [path for path in asked if word in path] == [path for path in paths if word in path]
    assert sum("urgent" in path for path in asked[:20]) >= 18


@pytest.mark.parametrize("answer", [[0], [0, 7], [0, -1], ["x", "y"], None])
def test_a_priority_that_makes_no_sense_ends_the_crawl(tmp_path: Path, answer: object) -> None:
    how = {"priority": lambda _urls, _depths: answer}
    with Origin() as origin, pytest.raises((ValueError, TypeError)):
        crawl(tmp_path, origin, "http://a.test/1", "http://a.test/2", how=how, levels=2)
    assert not core_threads()


# ---- the gate


def test_a_gate_decides_before_anything_is_asked(tmp_path: Path) -> None:
    seen: list[HostSample] = []

    def gate(samples: list[HostSample]) -> list[bool]:
        seen.extend(samples)
        return [sample.origin != "http://b.test" for sample in samples]

    with Origin() as origin:
        tree(origin, names=("a.test", "b.test"))
        found = crawl(tmp_path, origin, "http://a.test/", "http://b.test/", how={"gate": gate})
    assert sorted(sample.origin for sample in seen) == ["http://a.test", "http://b.test"]
    assert not any(sample.pages for sample in seen)
    assert not [request for request in origin.requests if request.host == "b.test"]
    assert found["pages"] == 15
    assert (found["hosts_closed"], found["held"]) == (1, 0)


@pytest.mark.parametrize("keep_alive", [0, 5])
def test_a_gate_sees_as_many_pages_as_it_asks_for(tmp_path: Path, keep_alive: float) -> None:
    seen: dict[str, list[str]] = {}

    def gate(samples: list[HostSample]) -> list[bool]:
        for sample in samples:
            assert all(b"<title>" in shown.body for shown in sample.pages)
            seen[sample.origin] = [shown.url for shown in sample.pages]
        return [sample.origin == "http://a.test" for sample in samples]

    with Origin() as origin:
        tree(origin, names=("a.test", "b.test"))
        origin.say("c.test/", reply(page("alone")))
        seeds = [f"http://{name}.test/" for name in "abc"]
        crawl(tmp_path, origin, *seeds, how={"gate": gate}, gate_after=2, keep_alive=keep_alive)
    assert seen == {f"http://{name}.test": [f"http://{name}.test/", f"http://{name}.test/2"] for name in "ab"}
    assert len(origin.paths("a.test")) == 15
    assert origin.paths("b.test") == ["/", "/2"]
    assert origin.paths("c.test") == ["/"]


def test_an_exception_in_the_gate_ends_the_crawl_with_it(tmp_path: Path) -> None:
    def gate(_samples: list[HostSample]) -> list[bool]:
        raise ZeroDivisionError("of the gate's")

    with Origin() as origin, pytest.raises(ZeroDivisionError):
        crawl(tmp_path, origin, "http://a.test/", how={"gate": gate})
    assert not core_threads()
