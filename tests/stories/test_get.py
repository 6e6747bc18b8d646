"""`webstrata get`, as typed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.command import find_server
from tests.conftest import command_path
from tests.stories.conftest import assert_refused
from webstrata.archive.warc import Capture, Revisit, WarcWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command

JUNE = 1_781_289_000 * 10**9  # 2026-06-12T18:30:00Z
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n"


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the collection `uk`, and the archives that it was made of."""
    folder = tmp_path_factory.mktemp("ingested")
    server = find_server()
    server.run(["new", "uk"], folder, dict(os.environ))
    page = b"<html><title>A</title><p>Gr\xfc\xdfe<p>from %s"
    for label, date in (("2026-06", JUNE), ("2026-07", JUNE + 30 * 86_400 * 10**9)):
        with WarcWriter(folder, label) as writer:
            body = page % label.encode()
            one = Capture(url="http://a.uk/", date=date, head=HEAD, body=body)
            back = Revisit("identical-digest", "http://a.uk/", date)
            writer.write(one)
            writer.write(
                Capture(url="http://b.uk/x", date=date, head=HEAD, body=b"", revisit=back, digest=one.digest)
            )
        done = server.run(["ingest", "uk", label, f"{label}-00000.warc.gz"], folder, dict(os.environ))
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def archive(ingested: Path, tmp_path: Path) -> Path:
    """A collection `uk` with two snapshots of a small archive."""
    shutil.copytree(ingested, tmp_path, symlinks=True, dirs_exist_ok=True)
    return tmp_path / "uk"


def test_a_capture_is_printed_as_it_was_at_a_time(webstrata: Command, archive: Path) -> None:
    assert webstrata("get", "uk", "http://a.uk/", "--text").stdout == "Grüße\nfrom 2026-07\n"
    assert (
        webstrata("get", "uk", "http://a.uk/", "--text", "--at", "2026-06").stdout == "Grüße\nfrom 2026-06\n"
    )
    headers = webstrata("get", "uk", "http://a.uk/", "--headers").stdout
    assert headers.splitlines()[:2] == ["HTTP/1.1 200 OK", "Content-Type: text/html; charset=iso-8859-1"]
    assert ws.open(archive).capture("http://a.uk/").label == "2026-07"


def test_a_month_of_the_in_vitro_web_is_found_by_its_label(webstrata: Command, crawled_months: Path) -> None:
    place = str(crawled_months)
    first = json.loads(webstrata("ls", place, "uk,", "--prefix", "--json").stdout)[0]
    assert first["snapshot"] == "2026-01"
    for label in ("2026-01", "2026-02"):
        head = webstrata("get", place, first["url"], "--at", label, "--json").stdout
        assert json.loads(head)["time"].startswith(f"{label}-01T00:"), head
    assert_refused(webstrata("get", place, first["url"], "--at", "2025-12"), "first captured at 2026-01-01")


def test_bytes_are_printed_as_they_are_and_revisits_with_their_payload(
    webstrata: Command, archive: Path
) -> None:
    for url in ("http://a.uk/", "http://b.uk/x"):
        words = [command_path(), "get", str(archive), url]
        plain, raw = (
            subprocess.run([*words, *more], capture_output=True, check=True) for more in ([], ["--raw"])
        )
        assert plain.stdout == b"<html><title>A</title><p>Gr\xfc\xdfe<p>from 2026-07"
        assert raw.stdout.startswith(b"HTTP/1.1 200 OK\r\n")
        assert raw.stdout.endswith(b"\r\n\r\n" + plain.stdout)
    document = json.loads(webstrata("get", "uk", "http://b.uk/x", "--json").stdout)
    assert (document["snapshot"], document["revisit"], document["mime"]) == ("2026-07", True, "text/html")
    assert document["time"] == "2026-07-12T18:30:00+00:00"


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (
            ["http://c.uk/"],
            "uk: http://c.uk/ was not captured; run `webstrata ls uk c.uk --match host`",
        ),
        (["http://a.uk/", "--at", "2025"], "was first captured at 2026-06-12T18:30:00Z, after 2025"),
        (["http://a.uk/", "--at", "soon"], "'soon' is not a date; write it as 2026, 2026-06"),
        (["a.uk"], "'a.uk' is not a URL"),
        (["http://a.uk/", "--raw", "--text"], "choose one"),
    ],
)
def test_what_cannot_be_had_is_refused_in_one_sentence(
    webstrata: Command, archive: Path, words: list[str], pattern: str
) -> None:
    assert archive.is_dir()
    assert_refused(webstrata("get", "uk", *words), pattern)


def test_a_url_is_found_with_the_other_scheme_and_a_note_says_so(webstrata: Command, archive: Path) -> None:
    done = webstrata("get", "uk", "https://a.uk/", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["asked"], found["url"]) == ("https://a.uk/", "http://a.uk/")
    assert done.stderr == ("note: https://a.uk/ itself was not captured; this is about http://a.uk/\n")
    assert webstrata("get", "uk", "http://a.uk/", "--json").stderr == ""
    compared = webstrata("diff", "uk", "2026-06", "2026-07", "https://a.uk/")
    assert "+from 2026-07" in compared.stdout
    assert "this is about http://a.uk/" in compared.stderr
    row = webstrata("table", "get", "uk", "https://a.uk/", "--family", "http")
    assert row.returncode == 0
    assert "note: https://a.uk/ has no cell; this is about http://a.uk/" in row.stderr
