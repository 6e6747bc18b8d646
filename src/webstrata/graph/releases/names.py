"""Hosts and domains as nodes: reversed names to row keys.

Common Crawl writes ``org.commoncrawl.www`` for the host ``www.commoncrawl.org``. Its node is that of its home
page, ``http://www.commoncrawl.org/``, with the row key ``org,commoncrawl,www)/``; a domain is the host of the
same name. So every command that takes a URL takes it, and releases align like snapshots of pages.

Releases are sorted by name and collections by row key, which is another order: ``.`` sorts after ``-``, and
``,`` before it, so ``com.a-b`` stands before ``com.a.www`` in a release and after it in a collection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

_NAME = r"^[^\s.,)/:A-Z]+(?:\.[^\s.,)/:A-Z]+)*$"


def to_row_keys(names: pa.Array, path: Path, line: int) -> pa.Array:
    """The row keys of reversed names; `path` and `line`, that of the first name, are for messages.

    Examples
    --------
    >>> from pathlib import Path
    >>> to_row_keys(pa.array(["org.commoncrawl", "org.commoncrawl.www"]), Path("a"), 1).to_pylist()
    ['org,commoncrawl)/', 'org,commoncrawl,www)/']
    >>> to_row_keys(pa.array(["org.commoncrawl", "org/commoncrawl"]), Path("v.txt"), 1)
    Traceback (most recent call last):
    webstrata.errors.FormatError: v.txt, line 2: 'org/commoncrawl' is not a reversed host name as org.example
    """
    names = names.cast(pa.large_string())
    is_name = pc.fill_null(pc.match_substring_regex(names, _NAME), False)
    if not pc.all(is_name).as_py() and len(names):
        place = pc.index(is_name, pa.scalar(False)).as_py()
        raise FormatError(
            f"{path}, line {line + place}: {names[place].as_py()!r} is not a reversed host name as "
            "org.example"
        )
    dotted = pc.replace_substring(names, ".", ",")
    return pc.binary_join_element_wise(dotted, pa.scalar(")/", dotted.type), pa.scalar("", dotted.type))


def to_hosts(keys: pa.Array | pa.ChunkedArray) -> list[str]:
    """The names of hosts by their row keys.

    Examples
    --------
    >>> to_hosts(pa.array(["org,commoncrawl,www)/", "::1)/"]))
    ['www.commoncrawl.org', '[::1]']
    """
    hosts = (key.partition(")")[0] for key in keys.to_pylist())
    return [f"[{host}]" if ":" in host else ".".join(reversed(host.split(","))) for host in hosts]
