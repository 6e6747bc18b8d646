"""`webstrata table`, as typed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.conftest import command_path
from tests.store.table.conftest import capture_all
from tests.stories.conftest import assert_refused
from webstrata.archive.warc import Capture
from webstrata.store.build import build_store
from webstrata.store.table import RowTable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command
    from webstrata.collection import Collection

URL = "http://www.example.uk/a"


def test_a_cell_is_written_read_listed_and_deleted(webstrata: Command, uk: Collection) -> None:
    assert webstrata("table", "put", "uk", URL, "scores", "pagerank", "0.5", "--number").stderr.endswith(
        "scores:pagerank written.\n"
    )
    webstrata("table", "put", "uk", URL, "meta", "note", "seen twice", "--at", "2026-05")
    webstrata("table", "put", "uk", URL, "meta", "note", "seen three times")
    done = webstrata("table", "get", "uk", URL)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "family  column    time        value",
        "meta    note      2026-06-01  seen three times",
        "scores  pagerank  2026-06-01  0.5",
    ]
    row = json.loads(webstrata("table", "get", "uk", URL, "--family", "meta", "--versions", "--json").stdout)
    assert (row["row"], row["url"]) == ("uk,example,www)/a", URL)
    assert [cell["value"] for cell in row["families"]["meta"]] == ["seen three times", "seen twice"]
    assert row["families"]["meta"][1]["time"] == "2026-05-01T00:00:00+00:00"
    assert "seen twice" in webstrata("table", "get", "uk", URL, "--at", "2026-05").stdout
    rows = json.loads(webstrata("table", "scan", "uk", "uk,", "--family", "scores", "--json").stdout)
    assert [(row["row"], row["families"]["scores"][0]["value"]) for row in rows] == [(row["row"], 0.5)]
    assert webstrata("table", "delete", "uk", URL, "meta").returncode == 0
    assert "note" not in webstrata("table", "get", "uk", URL).stdout
    assert webstrata("check", "uk").returncode == 0


def test_what_was_captured_is_shown_in_the_same_rows(
    webstrata: Command, uk: Collection, tmp_path: Path
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    body = b"<title>Trains</title><p>All about <a href=/b>trains</a>"
    captures = [Capture(url=URL, date=10**18, head=head, body=body)]
    build_store(uk["2026-06"], capture_all(tmp_path / "crawl", captures))
    webstrata("table", "put", "uk", URL, "meta", "note", "mine")
    done = webstrata("table", "get", "uk", URL)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split(maxsplit=3) for line in done.stdout.splitlines()[1:]]
    assert ["content", "body", "2026-06-01", f"({len(body)} B)"] in lines
    assert ["http", "status", "2026-06-01", "200"] in lines
    assert ["text", "visible", "2026-06-01", "All about trains"] in lines
    assert ["links", "http://www.example.uk/b", "2026-06-01", "trains"] in lines
    assert ["meta", "note", "2026-06-01", "mine"] in lines
    assert_refused(
        webstrata("table", "get", "uk", URL, "--family", "content", "--at", "2026-05"), "has no cell"
    )
    row = json.loads(webstrata("table", "get", "uk", URL, "--family", "content", "--json").stdout)
    assert row["families"]["content"][0]["value"] == body.decode()
    webstrata("table", "delete", "uk", URL)
    assert webstrata("table", "scan", "uk").stdout.splitlines()[1:] == ["uk,example,www)/a"]


def test_many_cells_come_from_a_file(webstrata: Command, uk: Collection, tmp_path: Path) -> None:
    cells = [
        {"row": f"http://h.uk/{number:03}", "family": "scores", "column": "rank", "value": number / 7}
        for number in range(150)
    ]
    (tmp_path / "cells.jsonl").write_text("".join(json.dumps(cell) + "\n" for cell in cells))
    done = webstrata("table", "put", "uk", "--lines", "cells.jsonl")
    assert (done.stdout, done.stderr) == ("", "150 cells written.\n")
    assert len(webstrata("table", "scan", "uk").stdout.splitlines()) == 101
    rows = json.loads(webstrata("table", "scan", "uk", "--limit", "1000", "--json").stdout)
    assert [row["families"]["scores"][0]["value"] for row in rows] == [cell["value"] for cell in cells]
    words = ("table", "scan", "uk", "--start", "uk,h)/010", "--stop", "uk,h)/012")
    assert len(webstrata(*words).stdout.splitlines()) == 3
    (tmp_path / "bad.jsonl").write_text(json.dumps(cells[0]) + '\n{"row": "http://h.uk/"}\n')
    assert_refused(webstrata("table", "put", "uk", "--lines", "bad.jsonl"), r"bad.jsonl, line 2: this is no")


def test_what_cannot_be_done_is_said_in_a_sentence(webstrata: Command, uk: Collection) -> None:
    assert_refused(
        webstrata("table", "get", "uk", "foo"), "'foo' is neither a URL nor a row key; write it as"
    )
    assert_refused(webstrata("table", "get", "uk", URL), "the row uk,example,www.* has no cell")
    assert_refused(webstrata("table", "get", "uk", URL, "--at", "June"), "'June' is not a date; write it as")
    assert_refused(webstrata("table", "put", "uk", URL, "text", "a", "b"), "'text' is what was captured")
    assert_refused(webstrata("table", "put", "uk", URL, "meta"), "a cell needs ROW, FAMILY, COLUMN and VALUE")
    assert_refused(webstrata("table", "put", "uk", URL, "meta", "a", "b", "--number"), "'b' is not a number")
    assert_refused(webstrata("table", "put", "uk", URL, "meta", "a", "b", "--lines", "-"), "not both")
    assert_refused(webstrata("table", "scan", "uk", "--family", "x"), "'x' is not known; choose one of")
    assert_refused(webstrata("table", "got"), "got")


def test_beside_a_writer_the_table_is_read_and_not_written(webstrata: Command, uk: Collection) -> None:
    with RowTable(uk) as table:
        table.put(URL, {"meta": {"note": "mine"}})
        assert "mine" in webstrata("table", "get", "uk", URL).stdout  # readers are not locked out
        assert "mine" in webstrata("table", "scan", "uk").stdout
        words = ("table", "put", "uk", URL, "meta", "a", "b")
        assert_refused(webstrata(*words), r"uk/table: process \d+ \(.*\) .*writing")
    assert "mine" in webstrata("table", "get", "uk", URL).stdout


def test_what_was_acknowledged_is_there_after_kill_9(
    webstrata: Command, uk: Collection, tmp_path: Path
) -> None:
    line = '{"row": "http://h.uk/%d", "family": "meta", "column": "n", "value": %d}\n'
    script = "import sys; [print(sys.argv[1] % (n, n), end='', flush=True) for n in range(10**7)]"
    feeder = subprocess.Popen([sys.executable, "-c", script, line.strip() + "\n"], stdout=subprocess.PIPE)
    words = [command_path(), "table", "put", "uk", "--lines", "-"]
    writer = subprocess.Popen(words, cwd=tmp_path, stdin=feeder.stdout)
    assert feeder.stdout is not None
    feeder.stdout.close()
    try:
        # the log of the database grows with each batch of 10 000
        while not any(path.stat().st_size > 1 << 20 for path in uk.path.glob("table/*.log")):
            assert writer.poll() is None
            time.sleep(0.01)
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        feeder.kill()
        feeder.wait()
    with RowTable(uk) as table:
        numbers = sorted(int(str(row["meta"]["n"])) for row in table.scan(families=["meta"]))
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= 10_000
    assert len(numbers) % 10_000 == 0
    assert webstrata("table", "put", "uk", URL, "meta", "a", "b").returncode == 0
