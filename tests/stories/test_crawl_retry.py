"""What a crawl was given that it cannot use, and what it gave up: said in sentences, and taken back."""

from __future__ import annotations

import json
import re
import socket
from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import Origin, page, reply
from webstrata.cli import run
from webstrata.collection import Collection

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = ["--no-resolve", "--host-delay", "0", "--ip-delay", "0", "--retries", "0", "--no-parse-pages"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Collection.create(tmp_path / "uk")
    return tmp_path


def test_hosts_that_were_given_up_are_listed_and_taken_back(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Origin() as origin, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nobody else gets the port, and nobody listens
        port = closed.getsockname()[1]
        origin.say("/", reply(page("first")))
        (folder / "hosts").write_text(f"127.0.0.1:{origin.at()[1]} a.test\n127.0.0.1:{port} b.test\n")
        (folder / "seeds").write_text("a.test\nmailto:me\nhttp://b.test/x\nhttp://c.test/\n")
        words = ["crawl", "uk", "2026-06", "--hosts-table", "hosts", *PLAIN]
        assert run([*words, "--seeds", "seeds"]) == 0
        told = capsys.readouterr()
        assert "the seeds, line 2: 'mailto:me' is no URL of a page (scheme); it is left out" in told.err
        assert run(["crawl", "retry", "uk", "2026-06", "--list", "--json"]) == 0
        hosts = {host["origin"]: host["reason"] for host in json.loads(capsys.readouterr().out)}
        assert hosts == {"http://b.test": "connect", "http://c.test": "dns"}
        assert run(["crawl", "uk", "2026-06"]) == 0
        assert "uk 2026-06 is finished" in capsys.readouterr().out

        assert run(["crawl", "retry", "uk", "2026-06", "d.test"]) == 2
        assert "d.test: this host was not given up" in capsys.readouterr().err
        assert run(["crawl", "retry", "uk", "2026-06", "--class", "connect"]) == 0
        told = capsys.readouterr()
        assert re.search(r"http://b\.test +connect +\d", told.out)
        assert "1 host was taken back; `webstrata crawl " in told.out
        # it has moved
        (folder / "hosts").write_text(f"127.0.0.1:{origin.at()[1]} a.test b.test\n")
        origin.say("b.test/x", reply(page("second")))
        assert run(words) == 0
        assert origin.paths() == ["/", "/x"]
        capsys.readouterr()
        assert run(["crawl", "retry", "uk", "2026-06", "--list"]) == 0
        assert "1 host was given up." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seeds", "words", "sentence"),
    [
        ("", [], r"the seeds: there is no URL to begin with: it is empty; write one a line"),
        (
            "mailto:x\n//\n",
            [],
            r"line 1, 'mailto:x', is no URL of a page \(scheme\), and no other line is one",
        ),
        ("a.test", ["--sitemaps", "--no-obey-robots"], "sitemaps is true and obey_robots is false"),
        ("a.test", ["--name-servers", "127.0.0.1:1"], "name_servers are given and resolve is false"),
        ("a.test", ["--fetch", "HostEquals("], r"column 11: this `\(` is never closed"),
        ("a.test", ["--crawl-log", "xml"], "must be one of none, heritrix, json"),
        (
            "a.test",
            ["--resolve", "--user-agent", "t/1 (+https://a.test/)", "--name-servers", "127.0.0.1:1"],
            r"name_servers: 127\.0\.0\.1:1 does not answer, so no host would be found",
        ),
    ],
)
def test_what_cannot_be_crawled_is_refused_and_leaves_nothing_behind(
    folder: Path, capsys: pytest.CaptureFixture[str], seeds: str, words: list[str], sentence: str
) -> None:
    (folder / "seeds").write_text(seeds)
    assert run(["crawl", "uk", "2026-06", "--seeds", "seeds", *PLAIN, *words]) == 2
    told = capsys.readouterr().err
    assert re.search(sentence, told), told
    assert "Traceback" not in told
    assert not (folder / "uk" / "snapshots" / "2026-06").exists()


def test_a_snapshot_that_another_crawl_holds_is_left_to_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot = Collection.open(folder / "uk").add("2026-06")
    (folder / "seeds").write_text("a.test")
    with snapshot.parts.writing():
        assert run(["crawl", "uk", "2026-06", "--seeds", "seeds", *PLAIN]) == 2
    assert "has been writing here since" in capsys.readouterr().err
