r"""Queries with the time they ask for: lines of tab-separated columns, or TREC topics.

A line is ``ID<TAB>QUERY``, ``ID<TAB>QUERY<TAB>SNAPSHOT`` or ``ID<TAB>QUERY<TAB>SNAPSHOT<TAB>KIND``, where the
kind is any word that queries are grouped by; one that begins with ``#`` is passed over. A file
that has ``<top>`` is read as TREC topics: ``<num>`` is the ID, ``<title>`` the query, and ``<date>`` the
snapshot where there is one. What has no snapshot is asked for the one that is named beside the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class TimedQuery:
    """A query, and the snapshot in which what it looks for happened."""

    id: str
    text: str
    at: str
    kind: str = field(default="", repr=False)
    """What queries are grouped by: the kind of the event, where it is known."""


def read_queries(path: Path, at: str | None = None) -> list[TimedQuery]:
    r"""The queries of a file, those without a snapshot for `at`.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "q.tsv"
    >>> _ = path.write_text("1\tarab spring\t2026-07\n2\tflood\n")
    >>> read_queries(path, "2026-06")[1]
    TimedQuery(id='2', text='flood', at='2026-06')
    >>> read_queries(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...q.tsv, query 2: it does not say when; add a column with the snapshot, or
    name one with --at
    """
    with explained(path, "read"):
        text = path.read_bytes()
    try:
        content = text.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: this is no text in UTF-8 ({error}); save it as such") from None
    found = (
        _read_topics(path, content) if re.search(r"(?im)^\s*<top>", content) else _read_lines(path, content)
    )
    if not found:
        raise FormatError(f"{path}: there is no query in it; write lines of ID, tab, query, tab, snapshot")
    known: set[str] = set()
    queries = []
    for name, query, when, kind in found:
        if name in known:
            raise FormatError(f"{path}: there are two queries {name}; give each an ID of its own")
        known.add(name)
        if not (when or at):
            raise FormatError(
                f"{path}, query {name}: it does not say when; add a column with the snapshot, or name one "
                "with --at"
            )
        queries.append(TimedQuery(name, query, when or str(at), kind))
    return queries


def _read_lines(path: Path, content: str) -> list[tuple[str, str, str, str]]:
    found = []
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if not 2 <= len(cells) <= 4 or not cells[0] or not cells[1] or " " in cells[0]:
            raise FormatError(
                f"{path}, line {number}: this is no query; write ID, tab, query and perhaps tab, snapshot, "
                "tab, kind"
            )
        name, query, when, kind = (*cells, "", "")[:4]
        found.append((name, query, when, kind))
    return found


def _read_topics(path: Path, content: str) -> list[tuple[str, str, str, str]]:
    found = []
    for number, block in enumerate(re.split(r"(?i)<top>", content)[1:], 1):
        # a tag ends where the next one begins, as in the files of TREC
        fields = {
            name.lower(): " ".join(value.split())
            for name, value in re.findall(r"<(\w+)>([^<]*)", block.partition("</top>")[0])
        }
        name = re.sub(r"(?i)^number:\s*", "", fields.get("num", "")).strip()
        query = re.sub(r"(?i)^topic:\s*", "", fields.get("title", "")).strip()
        if not name or not query or " " in name:
            raise FormatError(f"{path}, topic {number}: it has no <num> or no <title>; add it")
        found.append((name, query, fields.get("date", ""), ""))
    return found


def write_topics(path: Path, queries: Iterable[TimedQuery]) -> None:
    r"""Write queries as TREC topics.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "topics"
    >>> write_topics(path, [TimedQuery("1", "arab spring", "2026-07")])
    >>> read_queries(path)
    [TimedQuery(id='1', text='arab spring', at='2026-07')]
    """
    blocks = [
        f"<top>\n<num> Number: {query.id}\n<title> {query.text}\n<date> {query.at}\n</top>\n"
        for query in queries
    ]
    with explained(path, "write"):
        path.write_text("\n".join(blocks), encoding="utf-8")
