"""What a takedown hides from readers that go by node number or by host name.

Node numbers never change by a takedown, and builders read the files of parts as they are, so a takedown that
is lifted leaves no trace. Readers that are opened for a user (`snapshot.text`, `snapshot.links`, the names of
a ranking …) ask a `Hidden` instead:

==============  ==================================================================================
URL             shown as `webstrata.store.takedowns.HIDDEN`
host, domain    the same, where a takedown covers all of its pages
row of a page   its columns are null, its texts empty
link, anchor    left out, if its page, or the page that it leads to, is hidden
==============  ==================================================================================
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.store.takedowns import HIDDEN, find_takedowns
from webstrata.store.urls import Urls
from webstrata.web.row_key import from_row_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot
    from webstrata.store.takedowns import Takedowns


_HIDDEN_HOST = HIDDEN.split("/")[2]
_NAMES = re.compile(
    r"""https?://[^\s"'<>\\,;]+|(?<![\w.-])[a-z0-9](?:[\w-]*\.)+[a-z][\w-]*(?::\d+)?(?![\w-])""",
    re.IGNORECASE,
)


class Hidden:
    """What the takedowns of a collection, as they are now, hide; of a snapshot, if one is given.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> hidden = Hidden(uk, uk["2026-06"])
    >>> _ = uk.takedown("news.example", reason="an example")
    >>> [node for node in range(15) if hidden.has_node(node)], hidden.has_host("news.example")
    ([6, 7], True)
    >>> uk.takedown("news.example", lift=True).what, hidden.nodes.tolist()
    ('news.example', [])
    """

    def __init__(self, collection: Collection, snapshot: Snapshot | None = None) -> None:
        self._collection, self._snapshot = collection, snapshot
        self._urls: Urls | None = None
        self._found: tuple[Takedowns, npt.NDArray[np.int64]] | None = None

    def __bool__(self) -> bool:
        return bool(find_takedowns(self._collection))

    @property
    def nodes(self) -> npt.NDArray[np.int64]:
        """The hidden nodes of the snapshot, sorted."""
        takedowns = find_takedowns(self._collection)
        if self._found is None or self._found[0] is not takedowns:
            self._found = takedowns, self._find_nodes(takedowns)
        return self._found[1]

    def has_node(self, node: int) -> bool:
        """Whether a node of the snapshot is hidden."""
        if not self:
            return False
        nodes = self.nodes
        place = int(np.searchsorted(nodes, node))
        return place < len(nodes) and int(nodes[place]) == node

    def between(self, start: int, stop: int) -> npt.NDArray[np.bool_]:
        """For each node from `start` to before `stop` whether it is hidden."""
        found = np.zeros(max(stop - start, 0), bool)
        if self:
            first, last = np.searchsorted(self.nodes, [start, stop])
            found[self.nodes[first:last] - start] = True
        return found

    def without(self, table: pa.Table, *columns: str) -> pa.Array:
        """For each row of a table whether none of its nodes, in these columns, is hidden."""
        gone = np.zeros(table.num_rows, bool)
        for name in columns:
            gone |= np.isin(table[name].to_numpy(), self.nodes)
        return pa.array(~gone)

    def has_url(self, url: str) -> bool:
        """Whether a URL is hidden."""
        return find_takedowns(self._collection).hides(url)

    def has_host(self, name: str) -> bool:
        """Whether all pages of a host, or of a domain, are hidden."""
        takedowns = find_takedowns(self._collection)
        return bool(takedowns) and _hides_host(takedowns, name)

    def show_names(self, names: Iterable[str]) -> list[str]:
        """Names of hosts or domains, `HIDDEN` for those that are hidden."""
        takedowns = find_takedowns(self._collection)
        if not takedowns:
            return list(names)
        return [HIDDEN if _hides_host(takedowns, name) else name for name in names]

    def _find_nodes(self, takedowns: Takedowns) -> npt.NDArray[np.int64]:
        if not takedowns or self._snapshot is None or "urls" not in self._snapshot.parts:
            return np.zeros(0, np.int64)
        if self._urls is None:
            part = self._snapshot.open_part("urls")
            self._urls = Urls(part.path, part)
        keys = self._urls.key_column
        wanted = np.zeros(len(keys), bool)
        for rule in takedowns.rules:
            # an erased rule has a digest alone, and every key must be compared with it
            host = rule.key.partition(")")[0]
            wanted |= np.ones(len(keys), bool) if rule.digest else _flags(pc.starts_with(keys, host))
        places = np.flatnonzero(wanted)
        urls = map(from_row_key, keys.filter(pa.array(wanted)).to_pylist())
        shown = np.fromiter(map(takedowns.hides, urls), bool, len(places))
        found: npt.NDArray[np.int64] = places[shown]
        return found


def scrub(collection: Collection, text: str) -> str:
    """A text in which hidden URLs and hosts are replaced, as of a report.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> _ = uk.takedown("news.example", reason="an example")
    >>> scrub(uk, "see http://news.example/storm, and www.news.example, and reef.example")
    'see http://taken-down.invalid/, and taken-down.invalid, and reef.example'
    """
    takedowns = find_takedowns(collection)
    if not takedowns:
        return text

    def show(found: re.Match[str]) -> str:
        word = found[0]
        if "://" in word:
            return HIDDEN if takedowns.hides(word) else word
        return _HIDDEN_HOST if _hides_host(takedowns, word.lower()) else word

    return _NAMES.sub(show, text)


def _flags(column: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = column.to_numpy()
    return found


@lru_cache(maxsize=1 << 16)
def _hides_host(takedowns: Takedowns, name: str) -> bool:
    # a rule of one page, or of a prefix, does not cover this path
    return takedowns.hides(f"http://{name}/.all-pages-of-this-host")


def blank(table: pa.Table, hidden: npt.NDArray[np.bool_], **values: object) -> pa.Table:
    """A table with other values, null where none is given, in the rows that are hidden.

    Examples
    --------
    >>> blank(pa.table({"a": ["x", "y"], "b": [1, 2]}), np.array([True, False]), a="-").to_pydict()
    {'a': ['-', 'y'], 'b': [None, 2]}
    """
    if not hidden.any():
        return table
    chosen = pa.array(hidden)
    columns = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        if pa.types.is_nested(kind):
            rows = table[name].to_pylist()
            given = [values.get(name) if gone else row for gone, row in zip(hidden, rows, strict=True)]
            columns[name] = pa.chunked_array([pa.array(given, kind)])
        else:
            columns[name] = pc.if_else(chosen, pa.scalar(values.get(name), kind), table[name])
    return pa.table(columns, schema=table.schema)
