"""The plain visitor sees what is served, and is polite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.simulate.invitro import judge
from webstrata.simulate.invitro.judge import JudgeSettings
from webstrata.simulate.invitro.visitor import visit
from webstrata.simulate.invitro.web import Web

if TYPE_CHECKING:
    from pathlib import Path


def test_a_visitor_with_patience_finds_every_page() -> None:
    web = Web("tiny", seed=9)
    with web.serve(1) as server:
        seen = visit(server, web.home_pages(1), pages=10_000, host_delay=0, ip_delay=0)
    graph = web.graph(1)
    assert set(seen.pages) == set(graph.urls)
    for url, links in seen.pages.items():
        assert sorted(links) == sorted(link.url for link in web.links(url, 1))


def test_the_judge_finds_nothing_to_say_about_it(tmp_path: Path) -> None:
    web = Web("small", seed=9)
    log = tmp_path / "requests.log"
    with web.serve(0, log=log) as server:
        visit(server, web.home_pages(), pages=60, host_delay=0.01, ip_delay=0.004)
    verdict = judge(log, JudgeSettings(host_delay=0.01, ip_delay=0.004))
    assert verdict.is_polite, verdict
    assert not judge(log, JudgeSettings(host_delay=4.0, ip_delay=0.004)).is_polite


def test_a_host_that_hangs_up_does_not_end_the_walk() -> None:
    web = Web("small", seed=9, failing_share=0.5)
    with web.serve() as server:
        seen = visit(server, web.home_pages(), pages=200, host_delay=0, ip_delay=0)
    assert set(seen.pages) <= set(web.graph().urls)
    assert len(seen.pages) == 200
