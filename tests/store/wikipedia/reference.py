"""What the graph of a wiki must be, by SQLite and NetworkX, from the same dumps of its tables.

Statements are taken apart byte by byte, and everything else is a query: nothing of the package is used.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
from typing import TYPE_CHECKING
from urllib.parse import quote

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BASE = "https://simple.wikipedia.org/wiki/"
_LETTERS = {ord("0"): 0, ord("b"): 8, ord("n"): 10, ord("r"): 13, ord("t"): 9, ord("Z"): 26}


def read_rows(statement: bytes) -> Iterator[list[bytes | None]]:
    """The rows of an INSERT, a byte at a time."""
    place = statement.index(b"VALUES") + 6
    row: list[bytes | None] = []
    value, is_string, is_quoted = bytearray(), False, False
    while place < len(statement):
        byte = statement[place]
        if is_quoted:
            if byte == 92:
                place += 1
                value.append(_LETTERS.get(statement[place], statement[place]))
            elif byte == 39 and statement[place + 1 : place + 2] == b"'":
                place += 1
                value.append(39)
            elif byte == 39:
                is_quoted = False
            else:
                value.append(byte)
        elif byte == 39:
            is_quoted = is_string = True
        elif byte == 40:
            row, value, is_string = [], bytearray(), False
        elif byte in b",)" and (value or is_string):
            row.append(None if bytes(value) == b"NULL" and not is_string else bytes(value))
            value, is_string = bytearray(), False
            if byte == 41:
                yield row
        elif byte not in b" \n,":
            value.append(byte)
        place += 1


def load(folder: Path) -> sqlite3.Connection:
    """All tables of a folder in SQLite, every value as bytes or NULL."""
    database = sqlite3.connect(":memory:")
    for path in sorted(folder.glob("*.sql.gz")):
        text = gzip.decompress(path.read_bytes())
        found = re.search(rb"CREATE TABLE `(\w+)` \((.*?)\n\)", text, re.DOTALL)
        assert found is not None
        table, columns = found[1].decode(), re.findall(r"(?m)^  `(\w+)`", found[2].decode())
        database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        for statement in re.findall(rb"(?m)^INSERT INTO .*?\);$", text, re.DOTALL):
            marks = ", ".join("?" * len(columns))
            database.executemany(f"INSERT INTO {table} VALUES ({marks})", read_rows(statement))
    return database


def url(title: bytes) -> str:
    return BASE + quote(title, safe="-_.~;@$!*(),/:")


def make_graph(folder: Path, *, eliminate: bool = False) -> nx.DiGraph:
    """The graph of the articles, redirects resolved or gone."""
    database = load(folder)
    articles = {title for (title,) in database.execute(
        "SELECT page_title FROM page WHERE page_namespace = x'30' AND page_is_redirect = x'30'"
    )}  # fmt: skip
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    columns = [row[1] for row in database.execute("PRAGMA table_info(pagelinks)")]
    if "pl_title" in columns:
        links = "SELECT pl_from AS source, pl_namespace AS space, pl_title AS title FROM pagelinks"
    else:
        links = (
            "SELECT pl_from AS source, lt_namespace AS space, lt_title AS title FROM pagelinks "
            "JOIN linktarget ON lt_id = pl_target_id"
        )
    pairs = list(database.execute(
        f"SELECT page_title, page_is_redirect, title FROM ({links}) JOIN page ON page_id = source "
        "WHERE page_namespace = x'30' AND space = x'30'"
    ))  # fmt: skip
    leads: dict[bytes, bytes] = {}
    if "redirect" in tables:
        leads = dict(database.execute(
            "SELECT page_title, rd_title FROM redirect JOIN page ON page_id = rd_from "
            "WHERE page_namespace = x'30' AND rd_namespace = x'30' AND coalesce(rd_interwiki, x'') = x''"
        ))  # fmt: skip
    else:
        for source, is_redirect, target in pairs:
            if is_redirect == b"1":
                leads[source] = target

    def follow(title: bytes) -> bytes | None:
        seen = set()
        while title in leads and title not in articles:
            if title in seen or eliminate:
                return None
            seen.add(title)
            title = leads[title]
        return title if title in articles else None

    graph = nx.DiGraph()
    graph.add_nodes_from(map(url, articles))
    for source, is_redirect, target in pairs:
        end = follow(target)
        if is_redirect == b"0" and end is not None:
            graph.add_edge(url(source), url(end))
    return graph
