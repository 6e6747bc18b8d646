"""The URLs of a snapshot: from node to URL, and from any captured URL to the node that stands for it.

The part `urls` has two Arrow files (IPC, not compressed), mapped when opened:

===================  ====================================================================================
``nodes.arrow``      ``row_key``, sorted: the row is the node
``others.arrow``     ``row_key``, sorted, of every other captured URL; ``node``, what it stands for, or
                     null; ``reason``: ``redirect`` or ``no page`` (0.1.0 also had ``duplicate``, ``noindex``
                     and ``soft 404``)
``dust.json``        rules of `webstrata.web.dust` by which the crawl wrote URLs, where it had any
===================  ====================================================================================

A URL that was not captured stands for a captured one that differs from it, in this order,

1. in parameters that the rules call meaningless;
2. in the scheme alone, http or https;
3. in the end of its path, which it lacks: a slash (servers redirect ``/a`` to the folder ``/a/``) or
   ``.html`` (servers send the file ``/a.html`` for ``/a``), and perhaps in the scheme too.

Keys are compared by their bytes. The pages of a host, or of a folder of it, are a range of nodes.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.files import explained, open_writer
from webstrata.collection.sequences import NEAR, find_place, missing_page
from webstrata.collection.tables import SHOWN, TableSequence
from webstrata.errors import FormatError, UrlError
from webstrata.store.key_columns import SortedKeys, find_keys, from_row_keys, match_keys
from webstrata.store.parquet.rows import regroup, take
from webstrata.store.takedowns import HIDDEN
from webstrata.web.dust import RULES, strip
from webstrata.web.row_key import from_row_key, row_key, row_keys
from webstrata.web.url import normalize, normalize_any, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.parts import Part

    Hide = Callable[[str], bool]


NODES = pa.schema([("row_key", pa.large_string())])
BATCH = 1 << 16
"""Rows that are written at a time; some hundred bytes each."""


def write_urls(
    folder: Path,
    keys: pa.Array | pa.ChunkedArray,
    others: pa.Table,
    rules: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write the row keys of the nodes and the table of other URLs so that `Urls` opens them.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> others = pa.table({"row_key": ["org,b)/"], "node": pa.array([0], pa.uint32())})
    >>> write_urls(folder, pa.array(["org,a)/"]), others)
    >>> Urls(folder).node("http://b.org/")
    0
    >>> write_urls(folder, pa.array(["org,a)/"]), others, {"http://a.org": ["sid"]})
    >>> Urls(folder).node("http://a.org/?sid=1")
    0
    """
    others = others.set_column(0, "row_key", pc.cast(others["row_key"], pa.large_string()))
    nodes = pa.table({"row_key": pc.cast(keys, pa.large_string())})
    write_url_tables(folder, [nodes], [others], others.schema, rules)


def write_url_tables(
    folder: Path,
    nodes: Iterable[pa.Table],
    others: Iterable[pa.Table],
    schema: pa.Schema,
    rules: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Do what `write_urls` does for tables that come in pieces; `schema` is that of the others.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> pieces = [pa.table({"row_key": [key]}, schema=NODES) for key in ("org,a)/", "org,b)/")]
    >>> write_url_tables(folder, pieces, [], NODES.append(pa.field("node", pa.uint32())))
    >>> list(Urls(folder))
    ['http://a.org/', 'http://b.org/']
    """
    if rules:
        with open_writer(folder / RULES) as stream:
            stream.write(json.dumps({origin: list(names) for origin, names in rules.items()}).encode())
    for name, tables, kind in (("nodes", nodes, NODES), ("others", others, schema)):
        with open_writer(folder / f"{name}.arrow") as stream, pa.ipc.new_file(stream, kind) as writer:
            for table in regroup(tables, BATCH):
                writer.write_table(table.combine_chunks())


class Resolved(NamedTuple):
    """What row keys are or stand for."""

    nodes: npt.NDArray[np.int64]
    """-1 for none."""
    known: npt.NDArray[np.bool_]
    """Whether the URL was captured, as a page or not."""


class UrlMatch(NamedTuple):
    """The node that a URL is or stands for."""

    node: int
    url: str
    """That of the node."""
    reason: str
    """"" if the URL is the node's own, else ``redirect``, ``parameters``, ``scheme`` or ``path``."""

    def note(self, asked: str) -> str:
        """A sentence that says for which URL a command answers, "" where it is the one asked for.

        Examples
        --------
        >>> UrlMatch(0, "https://a.org/", "scheme").note("http://a.org/")
        'http://a.org/ was captured as https://a.org/'
        """
        if not self.reason:
            return ""
        verb = {"redirect": "redirects to", "duplicate": "is a duplicate of"}.get(
            self.reason, "was captured as"
        )
        return f"{asked} {verb} {self.url}"


def _toggle_scheme(keys: pa.Array) -> pa.Array:
    """The same with https for http, and the other way round."""
    is_secure = pc.ends_with(keys, " https")
    secure = pc.binary_join_element_wise(keys, pa.scalar("https", keys.type), pa.scalar(" ", keys.type))
    return pc.if_else(is_secure, pc.utf8_slice_codeunits(keys, 0, -len(" https")), secure)


def _extend_path(keys: pa.Array, end: str) -> pa.Array:
    """The same with more at the end of the path; null where that is a slash, or a query follows."""
    is_open = pc.match_substring_regex(keys, r"^[^ ?]*[^ ?/]( |$)")
    found = pc.replace_substring_regex(keys, r"^([^ ?]*)", rf"\1{end}")
    return pc.if_else(is_open, found, pa.scalar(None, keys.type))


_FORMS: tuple[tuple[str, Callable[[pa.Array], pa.Array]], ...] = (
    ("scheme", _toggle_scheme),
    ("path", partial(_extend_path, end="/")),
    ("path", lambda keys: _toggle_scheme(_extend_path(keys, "/"))),
    ("path", partial(_extend_path, end=".html")),
    ("path", lambda keys: _toggle_scheme(_extend_path(keys, ".html"))),
)
"""Other forms of a row key that was not captured, in the order in which they are tried."""


class _ShownKeys(Sequence[str]):
    """Row keys without those that are hidden."""

    def __init__(self, keys: Sequence[str], hide: Hide) -> None:
        self._keys, self._hide, self._none = keys, hide, row_key(HIDDEN)

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return _ShownKeys(self._keys[place], self._hide)
        key = self._keys[place]
        return self._none if self._hide(from_row_key(key)) else key


class Urls(TableSequence[str]):
    """The URLs of the nodes in order, a sequence; `node` goes the other way.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> keys = pa.array(["org,example)/", "org,example)/a", "org,example,www)/"])
    >>> others = pa.table({"row_key": ["org,old)/"], "node": pa.array([1], pa.uint32())})
    >>> write_urls(folder, keys, others)
    >>> urls = Urls(folder)
    >>> len(urls), urls[1], urls.node("http://www.example.org/"), urls.node("http://old.org/")
    (3, 'http://example.org/a', 2, 1)
    >>> urls.get("http://nowhere.org/") is None
    True
    >>> urls.node("http://nowhere.org/")
    Traceback (most recent call last):
    webstrata.errors.MissingError: http://nowhere.org/: no such page; the nearest are http://...
    >>> urls.host("example.org"), urls.host("example.org", "/a"), urls.domain("example.org")
    (range(0, 2), range(1, 2), range(0, 3))
    """

    def __init__(self, folder: Path, part: Part | None = None, *, hide: Hide | None = None) -> None:
        self._part = part  # held, so that the files stay
        self._hide = hide
        self._nodes, self.others = (_open_table(folder / f"{name}.arrow") for name in ("nodes", "others"))
        self._rules = _read_rules(folder / RULES)
        self._keys, self._other_keys = SortedKeys(self._nodes["row_key"]), SortedKeys(self.others["row_key"])

    @property
    def key_column(self) -> pa.ChunkedArray:
        """The row keys of the nodes, as Arrow has them and builders read them: no takedown applies."""
        return self._nodes["row_key"]

    @property
    def sorted_keys(self) -> SortedKeys:
        """The same as a sequence, for readers that look ranges up and apply takedowns themselves."""
        return self._keys

    @property
    def row_keys(self) -> Sequence[str]:
        """The row keys of the nodes; for those that were taken down that of `HIDDEN`.

        Examples
        --------
        >>> from webstrata import testing
        >>> uk = testing.collection()
        >>> _ = uk.takedown("news.example", reason="an example")
        >>> keys = uk["2026-06"].urls.row_keys
        >>> keys[5], keys[6], "example,news)/" in keys
        ('example,kitchen)/soup', 'invalid,taken-down)/', False)
        """
        return self._keys if self._hide is None else _ShownKeys(self._keys, self._hide)

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, node: int) -> str: ...
    @overload
    def __getitem__(self, node: slice) -> list[str]: ...
    def __getitem__(self, node: int | slice) -> str | list[str]:
        if isinstance(node, slice):
            return [self.show(from_row_key(key)) for key in self._keys[node]]
        return self.show(from_row_key(self._keys[find_place(node, len(self))]))

    def to_arrow(self) -> pa.Table:
        """All nodes with their URLs, in order."""
        return self._tabulate(len(self))

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first nodes, and how many there are."""
        return self._tabulate(min(number, len(self))), len(self)

    def _tabulate(self, number: int) -> pa.Table:
        nodes = np.arange(number, dtype=np.uint32)
        urls = from_row_keys(self.keys_of(nodes))
        if self._hide is not None:
            urls = pa.array([self.show(url) for url in urls.to_pylist()], urls.type)
        return pa.table({"node": nodes, "url": urls})

    def show_keys(self) -> Sequence[str]:
        """The row keys of all nodes; for those that were taken down that of `HIDDEN`.

        Examples
        --------
        >>> from webstrata import testing
        >>> uk = testing.collection()
        >>> _ = uk.takedown("news.example", reason="an example")
        >>> uk["2026-06"].urls.show_keys()[5:7]
        ['example,kitchen)/soup', 'invalid,taken-down)/']
        """
        return self.row_keys if self._hide is None else list(self.row_keys)

    def show(self, url: str) -> str:
        """A URL, or `HIDDEN` where it was taken down."""
        return HIDDEN if self._hide is not None and self._hide(url) else url

    def node(self, url: str) -> int:
        """The node that a URL is or stands for, or `MissingError` with those nearest to it."""
        found = self.get(url)
        if found is None:
            raise missing_page(url, self.nearest(url))
        return found

    def get(self, url: str) -> int | None:
        """The node that a URL is or stands for; None if there is none."""
        found = self._find_shown(url)
        return None if found is None else found[0]

    def nearest(self, url: str, number: int = NEAR) -> list[str]:
        """The URLs next to where this one would be; none for what is not a URL.

        Examples
        --------
        >>> from webstrata import testing
        >>> testing.snapshot().urls.nearest("http://reef.example/fishes", 2)
        ['http://reef.example/fish', 'http://reef.example/storm']
        """
        try:
            place = max(self.prefix(row_key(normalize(url))).start - 1, 0)
        except UrlError:
            return []
        return [near for near in self[place : place + number] if near != HIDDEN]

    def look_up(self, url: str) -> UrlMatch | None:
        """The node that a URL is or stands for, and why; None if there is none.

        Examples
        --------
        >>> from webstrata import testing
        >>> folder = testing.scratch()
        >>> others = pa.table({"row_key": ["org,old)/"], "node": pa.array([0], pa.uint32())})
        >>> write_urls(folder, pa.array(["org,a)/b/ https"]), others)
        >>> urls = Urls(folder)
        >>> urls.look_up("http://old.org/")
        UrlMatch(node=0, url='https://a.org/b/', reason='redirect')
        >>> urls.look_up("http://a.org/b/").reason, urls.look_up("https://a.org/b").reason
        ('scheme', 'path')
        """
        found = self._find_shown(url)
        return None if found is None else UrlMatch(found[0], self[found[0]], found[1])

    def _find_shown(self, url: str) -> tuple[int, str] | None:
        found = self._find_node(url)
        if found is None or self._hide is None:
            return found
        return None if self._hide(url) or self[found[0]] == HIDDEN else found

    def _find_node(self, url: str) -> tuple[int, str] | None:
        try:
            key = row_key(normalize_any(url))
        except UrlError:
            return None
        if (node := self._keys.find(key)) is not None:
            return node, ""
        if (place := self._other_keys.find(key)) is not None:
            node = self.others["node"][place].as_py()
            told = "reason" in self.others.column_names
            return (
                None if node is None else (node, self.others["reason"][place].as_py() if told else "redirect")
            )
        if self._rules and (node := self._twins.get(self._reduce(key))) is not None:
            return node, "parameters"
        for reason, form in _FORMS:
            nodes, known = self._look_up_captured(pc.drop_null(form(pa.array([key], pa.large_string()))))
            if known.any():
                return (int(nodes[0]), reason) if nodes[0] >= 0 else None
        return None

    def nodes(self, urls: Iterable[str]) -> pa.Array:
        """The nodes of many normalized URLs, null where there is none; for whole tables of links."""
        nodes = self.resolve(pa.array(row_keys(urls), pa.large_string())).nodes
        return pa.array(np.maximum(nodes, 0).astype(np.uint32), mask=nodes < 0)

    def resolve(self, keys: pa.Array) -> Resolved:
        """The nodes that many row keys are or stand for; for whole tables of links."""
        return self._complete(keys, self._resolve_captured)

    def keys_of(self, nodes: npt.NDArray[np.integer[Any]]) -> pa.Array:
        """The row keys of many nodes."""
        return take(self._nodes["row_key"], nodes)

    def find(self, keys: pa.Array) -> npt.NDArray[np.int64]:
        """The nodes that a few row keys are or stand for, -1 for none; `resolve` is for whole tables."""
        return self._complete(keys.cast(pa.large_string()), self._look_up_captured).nodes

    def _complete(self, keys: pa.Array, look_up: Callable[[pa.Array], Resolved]) -> Resolved:
        """The nodes of captured keys by `look_up`, of the others by the rules and by their other forms."""
        captured = look_up(keys)
        nodes, known = captured.nodes.copy(), captured.known.copy()
        if self._rules:
            rows = np.flatnonzero(~known)
            unknown = keys.take(pa.array(rows)).to_pylist()
            twins = np.array([self._twins.get(self._reduce(key), -1) for key in unknown], np.int64)
            nodes[rows], known[rows] = twins, twins >= 0
        for _, form in _FORMS:
            rows = np.flatnonzero(~known)
            other = form(keys.take(pa.array(rows)))
            rows, other = rows[pc.is_valid(other).to_numpy(zero_copy_only=False)], pc.drop_null(other)
            if len(rows):
                found = look_up(other)
                # what redirects nowhere, or is not a page, was captured too
                nodes[rows], known[rows] = found
        return Resolved(nodes, known)

    def _resolve_captured(self, keys: pa.Array) -> Resolved:
        own, places = match_keys(keys, self._nodes["row_key"]), match_keys(keys, self.others["row_key"])
        nodes = pc.coalesce(own, pc.cast(self.others["node"].take(places), pa.int32()))
        known = pc.or_(pc.is_valid(own), pc.is_valid(places)).to_numpy(zero_copy_only=False)
        return Resolved(pc.fill_null(nodes, -1).to_numpy().astype(np.int64), known)

    def _look_up_captured(self, keys: pa.Array) -> Resolved:
        nodes = find_keys(self._nodes["row_key"], keys)
        known = nodes >= 0
        rows = np.flatnonzero(~known)
        places = find_keys(self.others["row_key"], keys.take(pa.array(rows)))
        stands_for = self.others["node"].take(pa.array(np.maximum(places, 0), mask=places < 0))
        nodes[rows] = pc.fill_null(pc.cast(stands_for, pa.int64()), -1).to_numpy(zero_copy_only=False)
        known[rows] = places >= 0
        return Resolved(nodes, known)

    @cached_property
    def _twins(self) -> dict[str, int]:
        """By row key without the parameters that make no difference: the node, on the hosts of the rules."""
        found: dict[str, int] = {}
        for origin in self._rules:
            start = row_key(f"{origin}/").partition(")")[0] + ")"
            for node in self.prefix(start):
                found.setdefault(self._reduce(self._keys[node]), node)
            for place in range(bisect_left(self._other_keys, start), len(self._other_keys)):
                if not self._other_keys[place].startswith(start):
                    break
                stands_for = self.others["node"][place].as_py()
                if stands_for is not None:
                    found.setdefault(self._reduce(self._other_keys[place]), stands_for)
        return found

    def _reduce(self, key: str) -> str:
        """A row key without the parameters that make no difference on its host."""
        if not self._rules or ("?" not in key and ";" not in key):
            return key
        origin, target = split(from_row_key(key))
        names = self._rules.get(origin)
        return row_key(origin + strip(target, names)) if names else key

    def host(self, host: str, path: str = "") -> range:
        """The nodes of a host whose path begins so."""
        return self.prefix(row_key(normalize(f"http://{host}/"))[:-1] + path)

    def domain(self, domain: str) -> range:
        """The nodes of a domain and all hosts below it."""
        key = row_key(normalize(f"http://{domain}/"))[:-2]
        return range(bisect_left(self._keys, key + ")"), bisect_left(self._keys, key + "-"))

    def prefix(self, key: str) -> range:
        """The nodes whose row key begins so."""
        if not key:
            return range(len(self))
        after = key[:-1] + chr(ord(key[-1]) + 1)
        return range(bisect_left(self._keys, key), bisect_left(self._keys, after))

    def __repr__(self) -> str:
        return f"<Urls: {len(self)}>"


def _read_rules(path: Path) -> dict[str, list[str]]:
    if not path.exists():
        return {}
    with explained(path, "read"):
        text = path.read_bytes()
    try:
        rules: dict[str, list[str]] = json.loads(text)
    except ValueError as error:
        raise FormatError(f"{path}: this is no JSON ({error}); build the part urls again") from None
    return rules


def _open_table(path: Path) -> pa.Table:
    with explained(path, "read"):
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
