"""A crawl in one process, its operator in another: real sockets, real terminals, a real `kill -9`."""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.command import find_server
from tests.conftest import command_path
from tests.stories.conftest import assert_refused
from webstrata.crawl.series import read_series
from webstrata.invitro.judge.log import read_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.stories.conftest import Command

COMMANDS = {
    "status": [],
    "pause": [],
    "resume": [],
    "stop": [],
    "set": ["host_delay", "1s"],
    "blacklist": ["example.org"],
    "watch": [],
    "report": [],
    "flush": [],
    "retry": [],
}
SLOW = ["--invitro", "small", "--host-delay", "300ms", "--log", "requests.log"]


@contextmanager
def crawling(folder: Path, *words: str, stderr: int = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    """A real `webstrata crawl` of uk 2026-06 that lasts longer than a test."""
    assert find_server().run(["new", "uk"], folder, dict(os.environ)).returncode == 0
    with subprocess.Popen(
        [command_path(), "crawl", "uk", "2026-06", *(words or SLOW)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=dict(os.environ),
    ) as child:
        try:
            yield child
        finally:
            child.kill()


def wait_for_pages(webstrata: Command, pages: int, *words: str) -> dict[str, Any]:
    """The status once there are so many pages."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        done = webstrata("crawl", "status", "uk", "2026-06", "--json", *words)
        if done.returncode == 0:
            status: dict[str, Any] = json.loads(done.stdout)
            if status["counters"]["pages"] >= pages:
                return status
        time.sleep(0.05)
    pytest.fail(f"the crawl did not come to {pages} pages: {done.stderr}")


def wait_for_rest(webstrata: Command) -> dict[str, Any]:
    """The status of a paused crawl once visits under way, and those about to begin, came to their end."""
    requests, deadline = -1, time.monotonic() + 60
    while time.monotonic() < deadline:
        status = wait_for_pages(webstrata, 50)
        if not status["counters"]["in_flight"] and status["counters"]["requests"] == requests:
            return status
        requests = status["counters"]["requests"]
        time.sleep(0.2)
    pytest.fail(f"the crawl did not rest: {status['counters']}")


def test_a_crawl_is_asked_paused_resumed_and_stopped_from_another_process(
    webstrata: Command, tmp_path: Path
) -> None:
    with crawling(tmp_path) as child:
        status = wait_for_pages(webstrata, 50)
        assert status["state"] == "running"
        assert status["pid"] == child.pid
        assert status["settings"]["host_delay"] == 0.3
        assert status["means"]["pages"] > 0

        done = webstrata("crawl", "pause", "uk", "2026-06")
        assert (done.returncode, done.stdout) == (0, "The crawl is paused.\n")
        before = wait_for_rest(webstrata)
        paused = time.time()
        time.sleep(1)  # three times the delay of a host
        after = wait_for_pages(webstrata, 50)
        assert after["state"] == "paused"
        assert after["counters"]["requests"] == before["counters"]["requests"]
        assert after["counters"]["in_flight"] == 0
        resumed = time.time()

        assert webstrata("crawl", "resume", "uk", "2026-06").stdout == "The crawl is running.\n"
        more = wait_for_pages(webstrata, after["counters"]["pages"] + 20)
        assert more["state"] == "running"

        done = webstrata("crawl", "stop", "uk", "2026-06", "--wait")
        assert (done.returncode, done.stdout) == (0, "The crawl is stopping.\nIt has ended.\n")
        stdout, stderr = child.communicate(timeout=120)
    assert child.returncode == 0, stderr
    assert "stopped on request" in stdout
    # the server, too, has heard nothing in between
    arrivals = read_log(tmp_path / "requests.log").arrival / 1e6
    assert arrivals.min() < paused < resumed < arrivals.max()
    assert not ((arrivals > paused) & (arrivals < resumed)).any()
    shown = json.loads(webstrata("show", "uk", "--json").stdout)
    assert {part["name"] for part in shown["snapshots"][0]["parts"]} >= {"warc", "captures", "pages", "urls"}
    folder = tmp_path / "uk" / "snapshots" / "2026-06" / "crawl"
    left = {path.name for path in folder.iterdir()}
    assert left >= {"captures.cdxj", "crawl.json", "journal", "series.jsonl"}  # it may go on one day
    assert not left & {"control.sock", "frontier"}
    rows = read_series(folder / "series.jsonl")
    assert {"running", "paused"} <= {row["state"] for row in rows}
    result = json.loads((folder / "crawl.json").read_text())
    assert result["end"] == "stopped"
    assert rows[-1]["pages"] <= result["counters"]["pages"]
    assert_refused(webstrata("crawl", "status", "uk", "2026-06"), "no crawl is running here")


def test_what_cannot_change_is_refused_and_the_crawl_goes_on(webstrata: Command, tmp_path: Path) -> None:
    with crawling(tmp_path):
        wait_for_pages(webstrata, 1)
        done = webstrata("crawl", "set", "uk", "2026-06", "compression", "zstd")
        assert_refused(done, "cannot change while the crawl runs, since the file under way was begun with it")
        done = webstrata("crawl", "set", "uk", "2026-06", "follow", "HostEndsWith(")
        assert_refused(done, r"column 13: this `\(` is never closed")
        done = webstrata("crawl", "set", "uk", "2026-06", "host-delay", "soon")
        assert_refused(done, "host_delay is 'soon', and a time such as 4s or 500ms was expected")
        done = webstrata("crawl", "set", "uk", "2026-06", "host_dealy", "1s")
        assert_refused(done, r"did you mean host_delay\?")
        done = webstrata("crawl", "blacklist", "uk", "2026-06", "http://example.org/")
        assert_refused(done, "no host and no address")
        assert_refused(
            webstrata("crawl", "retry", "uk", "2026-06"), "the crawl is running, and would not notice"
        )
        assert wait_for_pages(webstrata, 1)["changes"] == []
        done = webstrata("crawl", "set", "uk", "2026-06", "follow", "HostEndsWith(uk)")
        assert (done.returncode, done.stdout) == (0, "follow is HostEndsWith(uk) now.\n")
        assert re.fullmatch(
            r"[\d,]+ captures are in the files\.\n", webstrata("crawl", "flush", "uk", "2026-06").stdout
        )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_for_a_crawl_that_does_not_run_is_refused_in_one_sentence(
    webstrata: Command, command: str
) -> None:
    assert webstrata("new", "uk", "2026-06").returncode == 0
    pattern = "there is nothing to retry" if command == "retry" else "no crawl is running here"
    assert_refused(webstrata("crawl", command, "uk", "2026-06", *COMMANDS[command]), pattern)
    assert_refused(webstrata("crawl", command, "uk", "2026-07", *COMMANDS[command]), "no snapshot 2026-07")
    assert_refused(webstrata("crawl", command, "fr", "2026-06", *COMMANDS[command]), "fr: no such collection")


def test_a_crawl_that_was_killed_leaves_a_socket_that_nobody_takes_for_a_crawl(
    webstrata: Command, tmp_path: Path
) -> None:
    with crawling(tmp_path) as child:
        wait_for_pages(webstrata, 10)
        child.send_signal(signal.SIGKILL)
        child.wait()
    socket = tmp_path / "uk" / "snapshots" / "2026-06" / "crawl" / "control.sock"
    assert socket.is_socket()
    assert_refused(webstrata("crawl", "status", "uk", "2026-06"), "no crawl is running here")
    assert read_series(socket.with_name("series.jsonl"))


def test_metrics_are_printed_and_served_to_those_who_have_the_token(
    webstrata: Command, tmp_path: Path
) -> None:
    token = "0123456789abcdef0123"
    (tmp_path / "token").write_text(f"{token}\n")
    (tmp_path / "wrong").write_text(f"{token}4\n")
    for name in ("token", "wrong"):
        (tmp_path / name).chmod(0o600)
    with crawling(tmp_path, *SLOW, "--control", "127.0.0.1:0", "--control-token", "token") as child:
        assert child.stderr is not None
        line = child.stderr.readline()
        match = re.fullmatch(r"Listening at (127.0.0.1):(\d+), token in token.\n", line)
        assert match, line
        place = f"{match[1]}:{match[2]}"
        wait_for_pages(webstrata, 5, "--control", place, "--token", "token")

        printed = webstrata("crawl", "status", "uk", "2026-06", "--metrics").stdout
        assert re.search(r"^webstrata_crawl_pages_total [1-9]\d*\.0$", printed, re.MULTILINE)
        browser = http.client.HTTPConnection(match[1], int(match[2]), timeout=60)
        browser.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
        served = browser.getresponse().read().decode()
        browser.close()
        # the crawl runs on between the two: counters of something new may appear, none may go
        families = [set(re.findall(r"^# TYPE (\S+)", text, re.M)) for text in (printed, served)]
        assert len(families[0]) > 20
        assert families[0] <= families[1]

        done = webstrata("crawl", "stop", "uk", "2026-06", "--control", place, "--token", "wrong")
        assert_refused(done, "the token is missing or wrong")
        done = webstrata("crawl", "stop", "fr", "2026-06", "--control", place, "--token", "token")
        assert_refused(done, "this is the crawl of uk 2026-06, and not of fr 2026-06")
        assert_refused(
            webstrata("crawl", "stop", "uk", "2026-06", "--control", place), "name its file with --token FILE"
        )
        done = webstrata(
            "crawl", "stop", "uk", "2026-06", "--control", place, "--token", "token", "--now", "--wait"
        )
        assert done.returncode == 0, done.stderr
        assert child.wait(120) == 0


def test_a_token_that_is_made_is_shown_once_and_a_bad_place_is_refused_first(
    webstrata: Command, tmp_path: Path
) -> None:
    with crawling(tmp_path, *SLOW, "--control", "localhost:0") as child:
        assert child.stderr is not None
        match = re.fullmatch(r"Listening at (\S+), token (\S{40,}).\n", child.stderr.readline())
        assert match
        (tmp_path / "token").write_text(match[2])
        (tmp_path / "token").chmod(0o600)
        wait_for_pages(webstrata, 1, "--control", match[1], "--token", "token")
        taken = webstrata("crawl", "uk", "2026-07", *SLOW, "--control", match[1])
        assert_refused(taken, "address already in use")
    assert_refused(webstrata("crawl", "uk", "2026-07", *SLOW, "--control", "0.0.0.0:1"), "others could steer")
    # nothing had begun
    assert not (tmp_path / "uk" / "snapshots" / "2026-07").exists()


def test_watching_in_lines_ends_with_the_crawl(webstrata: Command, tmp_path: Path) -> None:
    watch = [command_path(), "crawl", "watch", "uk", "2026-06", "--plain", "--every", "0.1"]
    with crawling(tmp_path) as child:
        wait_for_pages(webstrata, 1)
        with subprocess.Popen(watch, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as watching:
            assert watching.stdout is not None
            shown = [watching.stdout.readline() for _ in range(3)]
            assert webstrata("crawl", "stop", "uk", "2026-06").returncode == 0
            shown += watching.stdout.readlines()
        assert child.wait(120) == 0
    assert watching.returncode == 0
    *lines, last = (line.rstrip("\n") for line in shown)
    assert all(re.match(r"[\d:]+( s)? (running|stopping|storing): [\d,]+ pages, ", line) for line in lines), (
        lines
    )
    assert re.fullmatch(r"The crawl of uk 2026-06 has ended with [\d,]+ pages\.", last)


@contextmanager
def terminal(folder: Path, *words: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The command on a terminal of its own."""
    ours, theirs = pty.openpty()
    environment = dict(os.environ) | {"TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(
        [command_path(), *words],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
        # it is the terminal that turns Ctrl-C into a signal
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as child:
        os.close(theirs)
        try:
            yield ours, child
        finally:
            child.kill()
            os.close(ours)


def read_until(terminal: int, pattern: str, seconds: float = 120) -> str:
    """What the terminal shows until something appears."""
    shown = ""
    deadline = time.monotonic() + seconds
    while not re.search(pattern, shown, re.DOTALL):
        ready, _, _ = select.select([terminal], [], [], max(deadline - time.monotonic(), 0))
        assert ready, f"{pattern} did not appear in {shown[-2000:]!r}"
        try:
            shown += os.read(terminal, 1 << 16).decode(errors="replace")
        except OSError:
            pytest.fail(f"the command ended, and {pattern} did not appear in {shown[-2000:]!r}")
    return shown


def test_the_dashboard_shows_the_crawl_and_is_left_without_harm(webstrata: Command, tmp_path: Path) -> None:
    with crawling(tmp_path) as child:
        wait_for_pages(webstrata, 5)
        for key in (b"q", b"\x03"):
            with terminal(tmp_path, "crawl", "watch", "uk", "2026-06") as (screen, watching):
                shown = read_until(screen, "pages/s.*front.*queues.*answers.*failures.*stored.*stored")
                assert "uk 2026-06" in shown
                assert re.search("[▁▂▃▄▅▆▇█]{2}", shown)
                os.write(screen, key)
                read_until(screen, "The crawl continues")
                assert watching.wait(120) == 0
            assert child.poll() is None
            assert wait_for_pages(webstrata, 5)["state"] == "running"


def test_a_crawl_on_a_terminal_shows_rate_front_and_queues(webstrata: Command, tmp_path: Path) -> None:
    assert webstrata("new", "uk").returncode == 0
    with terminal(tmp_path, "crawl", "uk", "2026-06", *SLOW, "--max-pages", "5000") as (screen, child):
        shown = read_until(
            screen, "crawling.*of 5,000 pages.*% *, .* to go.*pages/s.*bytes/s.*queues.*in flight.*workbench"
        )
        assert shown.count("\n") < 100
        wait_for_pages(webstrata, 5)
        os.write(screen, b"\x03")
        read_until(screen, "Stopping: visits under way are brought to their end")
        assert child.wait(120) == 130


def test_a_collection_may_be_called_as_a_command_is(webstrata: Command, tmp_path: Path) -> None:
    assert webstrata("new", "status").returncode == 0
    done = webstrata("crawl", "./status", "2026-06", "--invitro", "tiny", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["end"] == "exhausted"
    done = webstrata("crawl", "status", "status", "2026-06")
    assert done.returncode == 2
    note, error = done.stderr.splitlines()
    assert note.startswith("note: status is taken as a command")
    assert "no crawl is running here" in error
    assert (
        "SNAPSHOT is missing; write `webstrata crawl status COLLECTION SNAPSHOT`"
        in webstrata("crawl", "status", "2026-06").stderr
    )
    assert_refused(webstrata("crawl", "statsu", "status", "2026-06"), r"did you mean status\?")


def test_the_help_of_each_command_has_an_example_and_crawl_lists_them_all(webstrata: Command) -> None:
    helped = " ".join(webstrata("crawl", "--help").stdout.split())
    for command in COMMANDS:
        done = webstrata("crawl", command, "--help")
        assert done.returncode == 0
        text = " ".join(done.stdout.split())
        assert f"Example: webstrata crawl {command} uk 2026-06" in text
        first = text.partition("Options:")[0].partition("SNAPSHOT")[2].split(".")[0].split()
        assert f" {command} " in helped
        assert " ".join(first[-6:]) in helped
    assert "Example: webstrata crawl uk 2026-06" in helped


def test_the_report_of_a_crawl_is_one_page(webstrata: Command, tmp_path: Path) -> None:
    assert webstrata("new", "uk").returncode == 0
    done = webstrata("crawl", "uk", "2026-06", "--invitro", "tiny", "--host-delay", "50ms")
    assert done.returncode == 0, done.stderr
    page = tmp_path / "uk" / "snapshots" / "2026-06" / "crawl" / "report.html"
    done = webstrata("crawl", "report", "uk", "2026-06")
    assert done.returncode == 0, done.stderr
    assert "no URLs left to fetch" in done.stdout
    text = page.read_text()
    assert "<svg" in text
    assert "The largest of" in text
    done = webstrata("crawl", "report", "uk", "2026-06", "--output", "elsewhere.html")
    assert (tmp_path / "elsewhere.html").read_text() == text


def test_a_report_without_the_chart_library_says_what_to_install(webstrata: Command, tmp_path: Path) -> None:
    assert webstrata("new", "uk", "2026-06").returncode == 0
    (tmp_path / "altair.py").write_text('raise ImportError("not here", name="altair")\n')
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = webstrata("crawl", "report", "uk", "2026-06", PYTHONPATH=path)
    assert_refused(done, r"altair, which is not installed; `pip install 'webstrata\[plots\]'`")


def test_a_page_about_the_crawler_is_printed_or_written(tmp_path: Path, webstrata: Command) -> None:
    assert webstrata("new", "uk").returncode == 0
    assert_refused(webstrata("crawl", "bot-page", "uk"), "user_agent: there is nobody to write about")
    words = ("crawl", "bot-page", "uk", "--user-agent", "a/1 (+https://a.test/)")
    printed = webstrata(*words)
    assert printed.stdout.startswith("<!doctype html>")
    written = webstrata(*words, "--output", "bot.html")
    assert written.stdout == "bot.html: a page about a/1 (+https://a.test/).\n"
    assert (tmp_path / "bot.html").read_text() == printed.stdout
