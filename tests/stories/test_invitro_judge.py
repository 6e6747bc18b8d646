"""`webstrata invitro judge`, as typed."""

from __future__ import annotations

import http.client
import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.invitro.judge.writer import LogWriter, allowed_urls, hosts, tiny
from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A visitor that waits once, then comes back 1 s after an answer, for something it has."""
    log = LogWriter()
    log.add(0, 1, page="/robots.txt")
    log.add(5, 6)
    log.add(7, 8)
    return log.write(tmp_path / "requests.log")


def test_a_polite_visitor_ends_with_0(webstrata: Command, tmp_path: Path) -> None:
    log = LogWriter()
    log.add(0, 1, page="/robots.txt")
    log.add(5, 6)
    log.write(tmp_path / "requests.log")
    done = webstrata("invitro", "judge", "requests.log")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "2 requests on 1 connection to 1 host at 1 address in 6.0 s: 1 page, 0.2 per second, 1.0 KiB; "
        "0 restarts."
    )
    assert lines[1] == "Gaps between visits to one host: at least 4.000000 s, median 4.000000 s."
    assert lines[-1] == "Polite."


@pytest.mark.usefixtures("log")
def test_an_impolite_visitor_ends_with_1_and_every_rule_has_its_lines(webstrata: Command) -> None:
    done = webstrata("invitro", "judge", "requests.log", "--host-delay", "4s", "--ip-delay", "0.5s")
    assert (done.returncode, done.stderr) == (1, "")
    name = hosts()[0][0]
    url = f"http://{name}{allowed_urls()[name][0]}"
    lines = done.stdout.splitlines()
    assert "host_gap                 1  a host was visited again too soon" in lines
    assert f"   4  {url}, 1.000000 s after the end of line 3, not 4s" in lines
    assert f"   4  {url}, 1.000000 s after the end of line 3" in lines
    assert lines[-1] == "Not polite: 2 violations."


@pytest.mark.usefixtures("log")
def test_the_json_document_has_everything(webstrata: Command) -> None:
    done = webstrata("invitro", "judge", "requests.log", "--ip-delay", "2s", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    assert document["polite"] is False
    assert document["web"] == tiny().header(0)
    assert document["settings"]["ip_delay"] == 2
    assert {rule: count for rule, count in document["counts"].items() if count} == {
        "host_gap": 1,
        "ip_gap": 1,
        "fetched_twice": 1,
    }
    assert [(one["rule"], one["line"], one["other_line"]) for one in document["violations"]] == [
        ("host_gap", 4, 3),
        ("ip_gap", 4, 3),
        ("fetched_twice", 4, 3),
    ]
    assert document["statistics"]["smallest_host_gap"] == 1
    limited = webstrata("invitro", "judge", "requests.log", "--json", "--limit", "0")
    assert json.loads(limited.stdout)["violations"] == []


def test_examples_are_limited_and_more_are_said_to_be_there(webstrata: Command, tmp_path: Path) -> None:
    log = LogWriter()
    for number in range(6):
        log.add(number, number + 0.1, status=503)
    log.write(tmp_path / "requests.log")
    shown = webstrata("invitro", "judge", "requests.log").stdout
    assert "\nhost_gap\n" in shown
    assert "and 2 more; --json has all of them" in shown
    assert shown.count("after the end of line") == 3
    more = webstrata("invitro", "judge", "requests.log", "--limit", "9").stdout
    assert more.count("after the end of line") == 5
    assert "line" not in webstrata("invitro", "judge", "requests.log", "--limit", "0").stdout


@pytest.mark.usefixtures("log")
def test_delays_come_from_options_for_one_or_for_all_and_from_the_environment(webstrata: Command) -> None:
    name, address = hosts()[0]
    judge = ("invitro", "judge", "requests.log", "--revisit-after", "1s")
    assert webstrata(*judge).returncode == 1
    assert webstrata(*judge, "--host-delay", "1s").returncode == 0
    assert webstrata(*judge, "--host", f"{name.upper()}=1s").returncode == 0
    assert webstrata(*judge, "--host", f"{name}=1s", "--ip", f"{address}=1001ms").returncode == 1
    assert webstrata(*judge, WEBSTRATA_JUDGE_HOST_DELAY="1").returncode == 0
    assert webstrata(*judge, "--slice", "1h").returncode == 0


def test_unknown_hosts_and_lines_cut_off_are_noted(webstrata: Command, tmp_path: Path) -> None:
    log = LogWriter()
    log.add(0, 1, host="nowhere.example", page="/", status=502)
    path = log.write(tmp_path / "requests.log")
    path.write_text(path.read_text() + "0\t127.1.0.1\tcut")
    done = webstrata("invitro", "judge", "requests.log")
    assert done.returncode == 0
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: ")]
    assert notes == [
        "note: 1 request for 1 host that cannot be found in this web, not judged: nowhere.example",
        "note: line 3 was not written to its end, and is not judged",
    ]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("", "requests.log, line 1: no header of a log of requests"),
        ("hello\n", "requests.log, line 1: no header of a log of requests.*give a log that the server"),
        ("# webstrata-requests 2 {}\n", "the log has version 2.*upgrade webstrata"),
        (LogWriter(preset="tinny").lines[0], "line 1: .*tinny is no preset .*did you mean tiny"),
        (LogWriter(month=64).lines[0], "line 1: month 64 is out of range"),
        (LogWriter().lines[0] + "\nbroken\n# restart 1\n", "requests.log, line 2: neither a request"),
    ],
)
def test_a_log_that_cannot_be_judged_is_refused(
    webstrata: Command, tmp_path: Path, text: str, pattern: str
) -> None:
    (tmp_path / "requests.log").write_text(text)
    assert_refused(webstrata("invitro", "judge", "requests.log"), pattern)


def test_a_log_that_cannot_be_read_is_refused(webstrata: Command, tmp_path: Path) -> None:
    assert_refused(webstrata("invitro", "judge", "nothing.log"), "nothing.log: nothing there to read")
    assert_refused(webstrata("invitro", "judge", "."), r"\.: this is a folder")
    (tmp_path / "closed.log").touch(mode=0)
    if os.geteuid() != 0:
        assert_refused(webstrata("invitro", "judge", "closed.log"), "closed.log: ")


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["--host-delay", "-1s"], "--host-delay is -1s, and must be 0 or more"),
        (["--ip-delay", "soon"], "--ip-delay is 'soon', and a time"),
        (["--host", "a.example"], "a.example is not a name with a time such as a.example=8s"),
        (["--host", "a.example=soon"], "a.example=soon is not a name with a time"),
        (["--ip", "127.1.0.1=-1s"], "127.1.0.1=-1s is not a name with a time such as 127.1.0.1=2s"),
        (["--limit", "-1"], "limit"),
    ],
)
def test_an_option_that_cannot_be_is_refused(webstrata: Command, words: list[str], pattern: str) -> None:
    assert_refused(webstrata("invitro", "judge", "requests.log", *words), pattern)


def test_what_a_server_logs_is_judged(webstrata: Command, tmp_path: Path) -> None:
    name = hosts()[0][0]
    with tiny().serve(log=tmp_path / "requests.log") as server:
        for path in ("/robots.txt", allowed_urls()[name][0]):
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("GET", f"http://{name}{path}")
            connection.getresponse().read()
            connection.close()
    judge = ("invitro", "judge", "requests.log")
    assert webstrata(*judge, "--host-delay", "0", "--ip-delay", "0").returncode == 0
    done = webstrata(*judge)
    assert done.returncode == 1
    assert "Not polite: 2 violations." in done.stdout
