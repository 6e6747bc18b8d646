"""Each rule broken once and nothing else, with written logs and with a real client of a real server."""

from __future__ import annotations

import http.client
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.invitro.clients import wait_until
from tests.invitro.judge.writer import LogWriter, allowed_urls, hosts, tiny
from webstrata.errors import FormatError, SettingError
from webstrata.invitro import Web
from webstrata.invitro.judge import RULES, JudgeSettings, Verdict, judge

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.invitro import InvitroServer

OTHER = 2  # a host of another address


@pytest.fixture
def log() -> LogWriter:
    return LogWriter()


def found(log: LogWriter, folder: Path, **settings: Any) -> dict[str, list[tuple[int, int | None]]]:  # noqa: ANN401
    """The rules that were broken, with line and other line of each violation."""
    verdict = judge(log.write(folder / "requests.log"), **settings)
    assert list(verdict.violations) == list(RULES)
    return {
        rule: [(one.line, one.other_line) for one in violations]
        for rule, violations in verdict.violations.items()
        if violations
    }


def test_a_visitor_that_waits_is_polite(log: LogWriter, tmp_path: Path) -> None:
    log.add(0, 0.1, page="/robots.txt")
    for page in range(3):
        log.add(4.1 * (page + 1), 4.1 * (page + 1) + 0.1, page=page)
        log.add(4.1 * (page + 1), 4.1 * (page + 1) + 0.1, page=page, host=OTHER, connection=1)
    assert found(log, tmp_path) == {}
    assert judge(tmp_path / "requests.log").is_polite


def test_an_empty_log_is_polite(log: LogWriter, tmp_path: Path) -> None:
    verdict = judge(log.write(tmp_path / "requests.log"))
    assert verdict.is_polite
    assert verdict.statistics.requests == verdict.statistics.hosts == 0
    assert verdict.statistics.median_host_gap is None


def test_two_visits_to_a_host_at_once_are_found(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 2, page=0)
    second = log.add(1, 1.5, page=1, connection=1)
    pairs = [(second, first)]
    assert found(log, tmp_path) == {"host_overlap": pairs, "ip_overlap": pairs}


def test_a_host_that_moved_is_still_visited_one_at_a_time(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 2, page=0)
    second = log.add(1, 1.5, page=1, connection=1, ip="127.9.9.9")
    assert found(log, tmp_path) == {"host_overlap": [(second, first)]}


def test_two_visits_to_an_address_at_once_are_found(log: LogWriter, tmp_path: Path) -> None:
    second = log.add(1, 1.5, host=1, connection=1) + 1
    first = log.add(0, 2, host=0)
    assert found(log, tmp_path) == {"ip_overlap": [(second - 1, first)]}


def test_two_open_connections_to_an_address_are_found_even_if_idle(log: LogWriter, tmp_path: Path) -> None:
    log.add(0, 1, page=0)
    log.add(6, 7, page=1, connection=1)
    first = log.connect(0, 10)
    second = log.connect(6, 7, connection=1)
    log.connect(6, 7, connection=2, host=OTHER)
    assert found(log, tmp_path) == {"ip_connections": [(second, first)]}
    verdict = judge(tmp_path / "requests.log")
    (violation,) = verdict.violations["ip_connections"]
    assert (violation.ip, violation.host, violation.url, violation.seconds) == (hosts()[0][1], None, None, -4)


def test_a_connection_that_is_closed_before_the_next_is_opened_is_fine(
    log: LogWriter, tmp_path: Path
) -> None:
    log.connect(0, 1)
    log.connect(1, 2, connection=1)
    assert found(log, tmp_path) == {}


def test_a_host_visited_too_soon_is_found(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 1, page=0)
    second = log.add(4.999999, 5, page=1)
    log.add(9, 9.1, page=2)
    assert found(log, tmp_path) == {"host_gap": [(second, first)]}
    (violation,) = judge(tmp_path / "requests.log").violations["host_gap"]
    assert (violation.seconds, violation.required) == (3.999999, 4)
    assert violation.url == f"http://{hosts()[0][0]}{allowed_urls()[hosts()[0][0]][1]}"


def test_an_address_visited_too_soon_is_found(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 1, host=0)
    second = log.add(1.4, 2, host=1)
    assert found(log, tmp_path) == {"ip_gap": [(second, first)]}


@pytest.mark.parametrize(
    "request_", [{"page": "/robots.txt"}, {"status": 301}, {"method": "HEAD"}, {"status": 503}]
)
def test_robots_redirects_probes_and_failures_count_as_visits(
    log: LogWriter, tmp_path: Path, request_: dict[str, Any]
) -> None:
    first = log.add(0, 1, **request_)
    second = log.add(3, 4, page=1)
    assert found(log, tmp_path) == {"host_gap": [(second, first)]}


def test_a_gap_counts_from_the_visit_that_ended_last(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 8, page=0)
    log.add(0, 1, page=0, host=OTHER, connection=1)
    second = log.add(9, 9.1, page=1)
    log.add(9, 9.1, page=1, host=OTHER, connection=1)
    assert found(log, tmp_path) == {"host_gap": [(second, first)]}


def test_the_tolerance_forgives_what_the_clock_cannot_tell(log: LogWriter, tmp_path: Path) -> None:
    log.add(0, 1, page=0)
    log.add(4.999, 6, page=1)
    log.add(5.9995, 7, page=2, connection=1)
    assert set(found(log, tmp_path)) == {"host_gap", "host_overlap", "ip_overlap"}
    # what overlaps by less than the tolerance is judged as a gap of nothing
    assert set(found(log, tmp_path, tolerance=0.002)) == {"host_gap", "ip_gap"}
    assert found(log, tmp_path, tolerance=0.002, host_delay=4.0, ip_delay=0)["host_gap"] == [(4, 3)]


def test_hosts_and_addresses_can_have_delays_of_their_own(log: LogWriter, tmp_path: Path) -> None:
    name, address = hosts()[0]
    log.add(0, 1, page=0)
    log.add(3, 4, page=1)
    assert found(log, tmp_path, host_delays={name: 2.0}) == {}
    assert set(found(log, tmp_path, host_delays={name: 2.1})) == {"host_gap"}
    assert set(found(log, tmp_path, host_delay=0, ip_delays={address: 2.1})) == {"ip_gap"}
    assert found(log, tmp_path, host_delay=0, ip_delays={"127.99.0.1": 2.1}) == {}
    with pytest.raises(SettingError, match="must be 0 or more"):
        judge(tmp_path / "requests.log", host_delays={name: -1})
    with pytest.raises(SettingError, match=r"no such host in month 0"):
        judge(tmp_path / "requests.log", host_delays={f"x{name}": 1})


def test_settings_are_given_as_a_whole_or_one_by_one(log: LogWriter, tmp_path: Path) -> None:
    path = log.write(tmp_path / "requests.log")
    with pytest.raises(TypeError, match="host_delay too"):
        judge(path, JudgeSettings(), host_delay=3)
    with pytest.raises(SettingError, match="hots_delay is not a setting"):
        judge(path, hots_delay=3)


def test_a_keep_alive_slice_is_one_visit(log: LogWriter, tmp_path: Path) -> None:
    log.add(0, 0.1, page=0)
    inside = log.add(0.2, 0.3, page=1)
    outside = log.add(1.0, 1.1, page=2)
    assert found(log, tmp_path, ip_delay=0)["host_gap"] == [(inside, inside - 1), (outside, inside)]
    assert found(log, tmp_path, ip_delay=0, slice=1) == {"host_gap": [(outside, inside)]}
    assert found(log, tmp_path, ip_delay=0, slice=1.000001) == {}


def test_a_slice_belongs_to_one_connection_and_one_host(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 0.1, page=0)
    other = log.add(0.2, 0.3, page=1, connection=1)
    assert found(log, tmp_path, ip_delay=0, slice=5) == {"host_gap": [(other, first)]}
    twins = LogWriter()
    first = twins.add(0, 0.1)
    other = twins.add(0.2, 0.3, host=1)
    assert found(twins, tmp_path, slice=5) == {"ip_gap": [(other, first)]}


def test_another_connection_within_a_slice_is_at_once(log: LogWriter, tmp_path: Path) -> None:
    log.add(0, 0.1, page=0)
    last = log.add(0.8, 0.9, page=1)
    between = log.add(0.4, 0.5, page=2, connection=1)
    pairs = [(between, last)]
    assert found(log, tmp_path, slice=1) == {"host_overlap": pairs, "ip_overlap": pairs}


def test_a_crawl_delay_counts_if_asked_for(tmp_path: Path) -> None:
    web = Web("tiny", seed=7, hosts=30, pages=3000, robots_share=1.0)
    host = next(
        name
        for name in web.hosts()["name"]
        if b"Crawl-delay: 1" in (web._core.fetch(f"http://{name}/robots.txt", 0) or (0, b"", b""))[2]
    )
    log = LogWriter(overrides={"hosts": 30, "pages": 3000, "robots_share": 1.0})
    probe = log.add(0, 0.1, host=host, page="/", method="HEAD")
    robots = log.add(0.6, 0.7, host=host, page="/robots.txt")
    page = log.add(1.2, 1.3, host=host, page="/")
    log.add(2.3, 2.4, host=host, page="/no-such-page")
    assert probe == 2
    assert found(log, tmp_path, host_delay=0.5, ip_delay=0.5) == {}
    assert found(log, tmp_path, host_delay=0.5, crawl_delay=True) == {"host_gap": [(page, robots)]}
    assert len(found(log, tmp_path, host_delay=2, crawl_delay=True)["host_gap"]) == 3


def test_a_disallowed_url_is_found_and_robots_txt_never_is(log: LogWriter, tmp_path: Path) -> None:
    trap = next(
        (number, f"http://{name}/calendar/")
        for number, name in enumerate(tiny().hosts()["name"])
        if not tiny().allowed(f"http://{name}/calendar/")
    )[1]
    host = trap.split("/")[2]
    log.add(0, 1, host=host, page="/robots.txt")
    first = log.add(5, 6, host=host, page="/calendar/2026-01", method="HEAD")
    second = log.add(10, 11, host=host, page="/calendar/2026-01", status=503)
    log.add(15, 16, host=host, page="/")
    assert found(log, tmp_path) == {"disallowed": [(first, None), (second, None)]}


def test_a_host_whose_robots_txt_fails_is_closed_and_one_without_is_open(tmp_path: Path) -> None:
    overrides: dict[str, Any] = {"robots_error_share": 0.5, "robots_share": 0.3, "hosts": 40, "pages": 400}
    web = Web("tiny", seed=7, **overrides)
    by_status = {
        (web._core.fetch(f"{home}robots.txt", 0) or (0,))[0]: home.split("/")[2] for home in web.home_pages()
    }
    log = LogWriter(overrides=overrides)
    log.add(0, 1, host=by_status[503], page="/robots.txt", status=503)
    closed = log.add(5, 6, host=by_status[503], page="/")
    log.add(5, 6, host=by_status[404], page="/", ip="127.1.0.99")
    log.add(10, 11, host=by_status[503], page="/robots.txt", status=503)
    assert found(log, tmp_path) == {"disallowed": [(closed, None)]}


@pytest.mark.parametrize(
    "answer",
    [{"status": 0, "complete": False}, {"complete": False}]
    + [{"status": status} for status in (408, 425, 429, 500, 503)],
)
def test_what_failed_may_be_asked_for_again(log: LogWriter, tmp_path: Path, answer: dict[str, Any]) -> None:
    log.add(0, 1, **answer)
    log.add(5, 6, **answer)
    log.add(10, 11)
    assert found(log, tmp_path) == {}


@pytest.mark.parametrize("status", [200, 206, 301, 304, 404, 410, 403])
def test_a_url_fetched_twice_is_found(log: LogWriter, tmp_path: Path, status: int) -> None:
    first = log.add(0, 1, status=status)
    second = log.add(10, 11, status=503)
    log.add(10, 11, host=OTHER, connection=1)
    assert found(log, tmp_path) == {"fetched_twice": [(second, first)]}


def test_a_head_is_no_fetch_but_is_asked_once(log: LogWriter, tmp_path: Path) -> None:
    head = log.add(0, 1, method="HEAD")
    log.add(5, 6)
    assert found(log, tmp_path) == {}
    again = log.add(10, 11, method="HEAD")
    assert found(log, tmp_path) == {"fetched_twice": [(again, head)]}


def test_robots_txt_is_fetched_once_per_expiry(log: LogWriter, tmp_path: Path) -> None:
    day = 86_400
    log.add(0, 1, page="/robots.txt")
    second = log.add(day + 1, day + 2, page="/robots.txt")
    third = log.add(day + 100, day + 101, page="/robots.txt")
    assert found(log, tmp_path) == {"fetched_twice": [(third, second)]}
    assert found(log, tmp_path, robots_expiry=90) == {}


def test_pages_may_be_fetched_again_after_the_time_of_a_revisit(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 1)
    second = log.add(3601, 3602, status=304)
    assert found(log, tmp_path) == {"fetched_twice": [(second, first)]}
    assert found(log, tmp_path, revisit_after=3600) == {}
    assert found(log, tmp_path, revisit_after=3601) == {"fetched_twice": [(second, first)]}


def test_what_was_in_flight_at_a_restart_may_be_repeated_once(log: LogWriter, tmp_path: Path) -> None:
    log.add(0, 10, page=0)
    log.add(0, 8.1, page=0, host=OTHER, connection=1)
    log.restart(10)
    repeated = log.add(20, 21, page=0)
    log.add(20, 21, page=0, host=OTHER, connection=1)
    assert found(log, tmp_path) == {}
    assert set(found(log, tmp_path, restart_grace=1.5)) == {"fetched_twice"}
    twice = log.add(30, 31, page=0)
    assert found(log, tmp_path) == {"fetched_twice": [(twice, repeated)]}


def test_a_restart_excuses_nothing_before_it_and_nothing_long_done(log: LogWriter, tmp_path: Path) -> None:
    first = log.add(0, 1, page=0)
    before = log.add(5, 6, page=0)
    log.restart(7)
    after = log.add(20, 21, page=0)
    assert found(log, tmp_path) == {"fetched_twice": [(before, first), (after, first)]}


def test_hosts_that_do_not_exist_are_noted_and_not_judged(log: LogWriter, tmp_path: Path) -> None:
    for moment in range(3):
        log.add(moment, moment + 2, host="nowhere.example", page="/", status=502, connection=moment)
    assert found(log, tmp_path) == {}
    verdict = judge(tmp_path / "requests.log")
    assert verdict.unknown_hosts == {"nowhere.example": 3}
    assert (verdict.statistics.requests, verdict.statistics.hosts) == (3, 0)


def test_a_given_graph_has_hosts_of_its_own(tmp_path: Path) -> None:
    log = LogWriter(given=True)
    first = log.add(0, 1, host="a.test", page="/private")
    second = log.add(2, 3, host="a.test", page="/b")
    assert found(log, tmp_path) == {"host_gap": [(second, first)]}


def test_statistics_say_what_happened(log: LogWriter, tmp_path: Path) -> None:
    log.add(0, 1, page="/robots.txt")
    log.add(5, 6, page=0)
    log.add(11, 12, page=1, status=404)
    log.add(15.5, 16, host=1, connection=1)
    numbers = judge(log.write(tmp_path / "requests.log")).statistics
    assert (numbers.requests, numbers.pages, numbers.hosts, numbers.ips) == (4, 2, 2, 1)
    assert (numbers.connections, numbers.bytes, numbers.seconds) == (2, 2048, 16)
    assert numbers.pages_per_second == 0.125
    assert (numbers.smallest_host_gap, numbers.median_host_gap) == (4, 4.5)
    assert (numbers.smallest_ip_gap, numbers.median_ip_gap) == (3.5, 4)


def test_a_web_that_cannot_be_made_is_refused_with_the_line(tmp_path: Path) -> None:
    for header, pattern in (
        ({"preset": "tinny"}, "line 1: .*tinny is not a preset"),
        ({"overrides": {"pagse": 3}}, "line 1: .*pagse is not a setting"),
        ({"overrides": {"seed": 3}}, "line 1: no web is like this"),
        ({"month": 9}, "line 1: month 9 is out of range"),
        ({"seed": -1}, "line 1: .*seed -1"),
    ):
        with pytest.raises(FormatError, match=pattern):
            judge(LogWriter(**header).write(tmp_path / "requests.log"))


def test_violations_are_a_sequence_that_costs_nothing_before_it_is_read(
    log: LogWriter, tmp_path: Path
) -> None:
    for number in range(5):
        log.add(number, number + 0.1, page="/robots.txt", status=503)
    violations = judge(log.write(tmp_path / "requests.log")).violations["host_gap"]
    assert len(violations) == 4
    assert [one.line for one in violations[1:3]] == [4, 5]
    assert violations[-1].line == 6
    assert violations[-1] in violations


# ---- a real client of a real server


def visit(port: int, urls: list[str], *, pause: float, address: str = "127.0.0.1") -> None:
    """Fetch addresses through the proxy, each on a connection of its own."""
    for url in urls:
        connection = http.client.HTTPConnection(address, port)
        connection.request("GET", url)
        connection.getresponse().read()
        connection.close()
        time.sleep(pause)


def serve_and_judge(
    folder: Path,
    client: Any,  # noqa: ANN401
    *,
    origins: bool = False,
    **settings: Any,  # noqa: ANN401
) -> Verdict:
    path = folder / "requests.log"
    with tiny().serve(log=path, origins=origins) as server:
        client(server)
    return judge(path, JudgeSettings(**settings))


def targets(number: int) -> list[str]:
    name = hosts()[0][0]
    return [f"http://{name}/robots.txt"] + [f"http://{name}{path}" for path in allowed_urls()[name][:number]]


def test_a_real_client_that_waits_is_polite(tmp_path: Path) -> None:
    verdict = serve_and_judge(
        tmp_path,
        lambda server: visit(server.port, targets(4), pause=0.06),
        host_delay=0.05,
        ip_delay=0.05,
        tolerance=0.005,
    )
    assert verdict.counts == dict.fromkeys(RULES, 0)
    assert verdict.statistics.requests == 5


def test_a_real_client_that_does_not_wait_is_found(tmp_path: Path) -> None:
    urls = targets(3)
    verdict = serve_and_judge(
        tmp_path, lambda server: visit(server.port, [*urls, urls[1]], pause=0), host_delay=9, ip_delay=0
    )
    assert verdict.counts == dict.fromkeys(RULES, 0) | {"host_gap": 4, "fetched_twice": 1}


def test_real_idle_connections_to_an_address_are_found(tmp_path: Path) -> None:
    name, address = hosts()[0]
    paths = allowed_urls()[name]

    def hold(server: InvitroServer) -> None:
        open_ = []
        for path in paths[:2]:
            connection = http.client.HTTPConnection(address, server.port)
            connection.request("GET", path, headers={"Host": name})
            connection.getresponse().read()
            open_.append(connection)
            time.sleep(0.02)
        for connection in open_:
            connection.close()

    def close(server: InvitroServer) -> None:
        for path in paths[:2]:
            connection = http.client.HTTPConnection(address, server.port)
            connection.request("GET", path, headers={"Host": name})
            connection.getresponse().read()
            connection.close()
            wait_until(lambda: not server.counters()["open"])  # the log says when the server noticed

    none = dict.fromkeys(RULES, 0)
    held = serve_and_judge(tmp_path, hold, origins=True, host_delay=0, ip_delay=0)
    assert held.counts == none | {"ip_connections": 1}
    assert serve_and_judge(tmp_path, close, origins=True, host_delay=0, ip_delay=0).counts == none


def test_a_slice_on_a_real_connection_is_one_visit(tmp_path: Path) -> None:
    def keep_alive(server: InvitroServer) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for url in targets(3):
            connection.request("GET", url)
            connection.getresponse().read()
        connection.close()

    verdict = serve_and_judge(tmp_path, keep_alive, host_delay=9, ip_delay=9, slice=60)
    assert verdict.is_polite
    assert verdict.statistics.connections == 1


def test_a_restart_noted_by_a_real_server_excuses_a_repetition(tmp_path: Path) -> None:
    url = targets(1)[1]

    def restart(server: InvitroServer) -> None:
        visit(server.port, [url], pause=0)
        server.mark_restart()
        visit(server.port, [url], pause=0)

    assert serve_and_judge(tmp_path, restart, host_delay=0, ip_delay=0).is_polite


def test_a_server_that_goes_on_with_a_log_numbers_connections_anew(tmp_path: Path) -> None:
    path = tmp_path / "requests.log"
    for page in (1, 2):
        with tiny().serve(log=path, append_log=page > 1) as server:
            visit(server.port, [targets(2)[page]], pause=0)
    verdict = judge(path, host_delay=60, ip_delay=0, slice=3600)
    assert verdict.counts == dict.fromkeys(RULES, 0) | {"host_gap": 1}
    assert verdict.statistics.connections == 2


def test_a_long_log_is_judged_in_seconds(tmp_path: Path) -> None:
    # a tenth of a million lines, so that the bound is generous on any machine
    number = 100_000
    names = [name for name in allowed_urls()]
    lines = [
        f"{line % 64}\t127.1.0.{line % 7}\t{names[line % len(names)]}\t{line * 1000}\t{line * 1000 + 400}"
        f"\t200\t512\t1\tGET\t/page-{line}?q={line % 10}"
        for line in range(number)
    ]
    path = tmp_path / "requests.log"
    path.write_text(LogWriter().lines[0] + "\n" + "\n".join(lines) + "\n")
    start = time.process_time()
    verdict = judge(path, slice=0.1)
    assert verdict.statistics.requests == number
    assert verdict.counts["ip_gap"] > number / 2
    assert time.process_time() - start < 60
    assert np.all(np.diff(verdict.violations["ip_gap"].lines) > 0)
