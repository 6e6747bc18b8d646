"""Logs are read into columns line by line, and what is none is refused with the line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.invitro.judge.writer import LogWriter
from webstrata.errors import FormatError, MissingError, NewerFormatError
from webstrata.invitro.judge import log as module
from webstrata.invitro.judge import read_log

if TYPE_CHECKING:
    from pathlib import Path

REQUEST = "3\t127.1.0.1\ta.example\t1000\t1250\t200\t512\t1\tGET\t/a?b"
HEADER = LogWriter().lines[0]

graphic = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=8)
numbers = st.integers(0, 10**18 - 1)


def write(path: Path, *lines: str, end: str = "\n") -> Path:
    path.write_text("\n".join(lines) + end)
    return path


@given(
    st.lists(
        st.tuples(numbers, graphic, numbers, numbers, st.integers(0, 65535), st.booleans(), graphic),
        max_size=8,
    ),
    st.integers(1, 200),
)
def test_every_field_comes_back_whatever_the_chunks(
    tmp_path: Path, rows: list[tuple[int, str, int, int, int, bool, str]], size: int
) -> None:
    lines = [
        f"{number}\t127.0.0.1\t{host}\t{arrival}\t{end}\t{status}\t7\t{int(complete)}\tGET\t{target}"
        for number, host, arrival, end, status, complete, target in rows
    ]
    path = write(tmp_path / "requests.log", HEADER, *lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", size)
        log = read_log(path)
    assert len(log) == len(rows)
    assert log.line.tolist() == list(range(2, len(rows) + 2))
    found = [
        (log.hosts[host], int(log.arrival[place]), int(log.end[place]), int(log.status[place]), target)
        for place, (host, target) in enumerate(log.urls[url] for url in log.url.tolist())
    ]
    assert found == [
        (host, arrival, end, status, target) for _, host, arrival, end, status, _, target in rows
    ]
    assert log.complete.tolist() == [row[5] for row in rows]
    same = [[a == b for a in log.connection.tolist()] for b in log.connection.tolist()]
    assert same == [[a[0] == b[0] for a in rows] for b in rows]


def test_remarks_are_read_and_keep_the_numbers_of_lines_right(tmp_path: Path) -> None:
    lines = ["# restart 900", REQUEST, "# connection 3 127.1.0.1 990 1300", "", "# server 2000", REQUEST]
    log = read_log(write(tmp_path / "requests.log", HEADER, *lines))
    assert log.line.tolist() == [3, 7]
    assert log.restarts.tolist() == [900]
    assert log.connections.tolist() == [[4, 3, 0, 990, 1300]]
    assert log.connection[0] != log.connection[1], "another server's connection of the same number"
    assert log.cut_off == []


@pytest.mark.parametrize("length", range(1, len(REQUEST) + 1))
def test_a_last_line_that_is_cut_off_is_counted_and_left_out(tmp_path: Path, length: int) -> None:
    log = read_log(write(tmp_path / "requests.log", HEADER, REQUEST, REQUEST[:length], end=""))
    assert (log.line.tolist(), log.cut_off) == ([2], [3])


def test_a_line_that_a_dead_server_left_is_counted_where_the_next_goes_on(tmp_path: Path) -> None:
    lines = [HEADER, REQUEST, REQUEST[:20], "# server 2000", REQUEST]
    log = read_log(write(tmp_path / "requests.log", *lines))
    assert (log.line.tolist(), log.cut_off) == ([2, 5], [3])


@pytest.mark.parametrize(
    "line",
    [
        REQUEST[:-6],
        REQUEST.replace("\t1\t", "\t2\t"),
        REQUEST.replace("1000", "-1000"),
        REQUEST.replace("1000", "1e3"),
        REQUEST.replace("127.1.0.1", "localhost"),
        REQUEST.replace("1250", "1" * 19),
        REQUEST + "\tmore",
        REQUEST + "\r",
        REQUEST + "é",
        "# restart",
        "# restart soon",
        "# connection 3 127.1.0.1 990",
        "# something else",
        "x",
    ],
)
@pytest.mark.parametrize("behind", [[REQUEST], ["# restart 1"], [""], ["x", "# server 1"], []])
def test_a_damaged_line_is_refused_with_its_number(tmp_path: Path, line: str, behind: list[str]) -> None:
    path = write(tmp_path / "requests.log", HEADER, REQUEST, line, *behind)
    with pytest.raises(FormatError, match=r"requests\.log, line 3: neither a request nor a remark"):
        read_log(path)


def test_damage_at_the_edge_of_a_chunk_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in range(1, 60):
        monkeypatch.setattr(module, "CHUNK", size)
        with pytest.raises(FormatError, match="line 3"):
            read_log(write(tmp_path / "requests.log", HEADER, REQUEST, "damage", REQUEST))
        log = read_log(write(tmp_path / "requests.log", HEADER, REQUEST, "damage", "# server 1", REQUEST))
        assert log.cut_off == [3]


@pytest.mark.parametrize(
    "first",
    [
        "",
        "<!DOCTYPE html>",
        REQUEST,
        "# webstrata-requests",
        "# webstrata-requests 1 {",
        "# webstrata-requests 1 []",
        "# webstrata-requests 0 {}",
        "# webstrata-requests 1 {}",
        "# webstrata-requests 1 " + json.dumps({"preset": 3, "seed": 1, "month": 0, "overrides": {}}),
        "\x00\x01\x02",
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, first: str) -> None:
    with pytest.raises(FormatError, match="line 1: no header of a log of requests"):
        read_log(write(tmp_path / "requests.log", first, REQUEST))


def test_an_empty_file_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "requests.log").touch()
    with pytest.raises(FormatError, match="line 1"):
        read_log(tmp_path / "requests.log")


def test_a_newer_log_asks_for_a_newer_webstrata(tmp_path: Path) -> None:
    path = write(tmp_path / "requests.log", "# webstrata-requests 2 {}", "anything")
    with pytest.raises(NewerFormatError, match=r"version 2.*up to 1; upgrade"):
        read_log(path)


def test_a_log_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="check the path"):
        read_log(tmp_path / "nothing.log")
