"""`webstrata invitro`, as typed: serve and truth; judge and describe have stories of their own."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.stories.conftest import assert_refused
from webstrata.invitro import Web

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.stories.conftest import Command

COMMANDS = ["describe", "judge", "serve", "truth"]


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[tuple[dict[str, Any], subprocess.Popen[str]]]:
    """A real `webstrata invitro serve`, with what it said when it was ready."""
    program = "import sys; from webstrata.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, "invitro", "serve", "--json", *words]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as child:
        assert child.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1].rstrip() != "}":
            line = child.stdout.readline()
            assert line, child.stderr.read() if child.stderr else ""
            lines.append(line)
        try:
            yield json.loads("".join(lines)), child
        finally:
            child.send_signal(signal.SIGINT)
            child.wait()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_has_an_example(webstrata: Command, command: str) -> None:
    done = webstrata("invitro", command, "--help")
    assert done.returncode == 0
    assert f"Example: webstrata invitro {command}" in " ".join(done.stdout.split())


def test_a_page_is_served_as_the_web_says_and_the_log_is_complete_after_ctrl_c(tmp_path: Path) -> None:
    web = Web("tiny", seed=7)
    url = web.home_pages(1)[0]
    words = ("--preset", "tiny", "--seed", "7", "--month", "1", "--log", "requests.log", "--seeds", "seeds")
    with serving(tmp_path, *words) as (said, child):
        connection = http.client.HTTPConnection("127.0.0.1", said["port"])
        connection.request("GET", url, headers={"User-Agent": "bot"})
        assert connection.getresponse().read() == web.fetch(url, 1).body
        connection.close()
    assert child.returncode == 0
    assert (tmp_path / "seeds").read_text().split() == web.home_pages(1)
    lines = (tmp_path / "requests.log").read_text().splitlines()
    assert json.loads(lines[0].split(" ", 3)[3]) == web.header(1)
    assert [line.split("\t")[2] for line in lines if "\t" in line] == [url.split("/")[2]]


def test_every_host_is_at_its_own_loopback_address(tmp_path: Path) -> None:
    words = ("--preset", "tiny", "--seed", "7", "--origins", "--hosts-table", "hosts")
    with serving(tmp_path, *words) as (said, _):
        lines = (tmp_path / "hosts").read_text().splitlines()
        table = {line.split()[1]: line.split()[0].split(":") for line in lines}
        for host, (address, port) in list(table.items())[:3]:
            assert address.startswith("127.")
            assert int(port) == said["port"]
            connection = http.client.HTTPConnection(address, int(port))
            connection.request("GET", "/robots.txt", headers={"Host": host})
            with connection.getresponse() as response:
                assert response.status in (200, 404)
            connection.close()


def test_https_is_served_by_an_authority_to_be_trusted(tmp_path: Path) -> None:
    web = Web("tiny", seed=7, tls=True)
    url = web.home_pages()[0]
    assert url.startswith("https://")
    words = ("--preset", "tiny", "--seed", "7", "--tls", "--authority", "ca.pem")
    with serving(tmp_path, *words) as (said, _):
        trust = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        client = urllib.request.build_opener(
            urllib.request.ProxyHandler({"https": said["proxy"], "http": said["proxy"]}),
            urllib.request.HTTPSHandler(context=trust),
        )
        with client.open(url) as answer:
            assert answer.read() == web.fetch(url).body
        with client.open(url.replace("https:", "http:")) as answer:  # plain requests are sent to https
            assert answer.url == url


def test_a_given_graph_is_served_under_its_own_addresses(tmp_path: Path) -> None:
    urls = ["http://a.test/", "http://a.test/x?y=1&z=2", "http://b.test/"]
    (tmp_path / "urls").write_text("\n".join(urls) + "\n")
    (tmp_path / "arcs").write_text("0 1\n1 2\n0 2\n")
    with serving(tmp_path, "--urls", "urls", "--arcs", "arcs", "--preset", "tiny") as (said, _):
        connection = http.client.HTTPConnection("127.0.0.1", said["port"])
        connection.request("GET", urls[0])
        page = connection.getresponse().read().decode()
        assert 'href="http://a.test/x?y=1&amp;z=2"' in page
        assert 'href="http://b.test/"' in page
        connection.request("GET", "http://a.test/other")
        with connection.getresponse() as response:
            assert response.status == 404
        connection.close()


def test_the_truth_becomes_a_part_of_the_snapshot(webstrata: Command) -> None:
    assert webstrata("new", "uk").returncode == 0
    done = webstrata("invitro", "truth", "uk", "2026-02", "--preset", "tiny", "--month", "1")
    assert done.returncode == 0, done.stderr
    web = Web("tiny")
    assert f"{web.graph(1).num_nodes:,} nodes" in done.stdout
    shown = json.loads(webstrata("show", "uk", "--json").stdout)
    part = shown["snapshots"][0]["parts"][0]
    assert part["name"] == "truth"
    # the command that the manifest remembers builds the same part
    assert webstrata(*part["renew"].split()[1:]).returncode == 0
    again = json.loads(webstrata("show", "uk", "--json").stdout)["snapshots"][0]["parts"][0]
    assert again["checksum"] == part["checksum"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["serve", "--preset", "tiney"], "tiney is not a preset .did you mean tiny"),
        (["serve", "--spam-share", "1.5"], "--spam-share is 1.5, and must be between 0 and 1"),
        (["serve", "--hosts", "-5"], "hosts is -5, and must be above 0"),
        (["serve", "--hosts", "many"], "hosts is 'many', and a whole number was expected"),
        (["serve", "--preset", "tiny", "--month", "3"], "month 3 is out of range.*0 to 2"),
        (["serve", "--preset", "tiny", "--urls", "here"], "--urls and --arcs belong together"),
        (["serve", "--preset", "tiny", "--authority", "ca.pem"], "--authority needs --tls"),
        (["serv"], "unknown command 'serv'; did you mean serve"),
        (["truth", "nowhere", "2026-01"], "no such collection"),
    ],
)
def test_bad_input_gets_one_sentence(webstrata: Command, tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "here").write_text("")
    assert_refused(webstrata("invitro", *words), said)


def test_a_truncated_graph_is_named_with_its_line(webstrata: Command, tmp_path: Path) -> None:
    (tmp_path / "urls").write_text("http://a.test/\n")
    (tmp_path / "arcs").write_text("0 0\n0 17\n")
    done = webstrata("invitro", "serve", "--urls", "urls", "--arcs", "arcs")
    assert_refused(done, "arcs, line 2: node 17 has no address")


def test_a_port_in_use_is_refused(webstrata: Command) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = webstrata("invitro", "serve", "--preset", "tiny", "--port", port)
        assert_refused(done, f"127.0.0.1:{port}: the server cannot listen there")
