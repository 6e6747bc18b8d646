"""Which captures are the pages of a snapshot: `select_pages`, by the rules of `webstrata.store.pages`.

There may be more captures than fit in memory, so everything that holds their strings lies in files of a
scratch folder and is read in order (`webstrata.store.parquet.sorting`):

1. The lines are read and sorted by row key.
2. One capture of each URL is **chosen**; its row in key order is its number from here on.
3. A chosen ``revisit`` is joined with the record that holds its payload: one with the same digest, in this
   snapshot or in an earlier one of the collection, or, in this snapshot, one of the URL that it refers to.
4. What is a page is known now. Redirects lead from row to row: the keys they lead to are sorted and merged
   with the chosen ones, and each row follows its chain to the end.

Memory is constant but for 5 bytes per URL, and 5 more while nodes are counted.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.archive.common_crawl import TIME, url_columns
from webstrata.archive.request_body import URN
from webstrata.store.equivalence import EquivalenceCounts, follow_redirects, number_groups
from webstrata.store.pages import REVISIT, ROBOTS, ROBOTS_URL, SOFT, TEXT, scan_captures
from webstrata.store.parquet.sorting import MEMORY, Queue, Sorter, Spool
from webstrata.web.row_key import row_keys

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Progress

    Flags = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.int64]

REASONS = ("redirect", "no page")
"""Why a captured URL is not a node."""
OTHERS = pa.schema([
    ("row_key", pa.large_string()),
    ("node", pa.uint32()),
    ("reason", pa.dictionary(pa.int32(), pa.string())),
])  # fmt: skip

_PAYLOAD = {
    "mime": pa.string(),
    "truncated": pa.string(),
    "fingerprint": pa.uint64(),
    "robots": pa.string(),
    "filename": pa.string(),
    "offset": pa.int64(),
    "length": pa.int64(),
}
"""Columns of the record that holds a payload."""
_CHOSEN = pa.schema({
    "row_key": pa.large_string(),
    "url": pa.string(),
    "time": pa.timestamp("us", "UTC"),
    "status": pa.uint16(),
    "digest": pa.string(),
    "redirect": pa.string(),
    "duplicate-of": pa.string(),
    **_PAYLOAD,
})  # fmt: skip
_CAPTURES = _CHOSEN.append(pa.field("place", pa.int64()))
_MEETING = pa.schema({"key": pa.string(), "place": pa.int64(), "row": pa.int64(), **_PAYLOAD})
_SOURCES = pa.schema({"row": pa.int64(), "rank": pa.int8(), **_PAYLOAD})
_LED_TO = pa.schema([("key", pa.large_string()), ("row", pa.int64())])
_MARKS = pa.schema([("host", pa.large_string()), ("fingerprint", pa.uint64())])
_BATCH = 1 << 14
"""Rows processed together."""
_NOINDEX = r"(?i)\bno(index|ne)\b"
_NODE, _REDIRECT, _SOFT = 1, 2, 4


class Selection:
    """The captured URLs of a snapshot, classified; it lies in the scratch folder of `select_pages`."""

    def __init__(self, work: _Work) -> None:
        self._work = work
        self.num_captures = work.num_captures
        self.files = work.files
        """The WARC files that hold them."""
        self.lenders = frozenset(work.lenders)
        """Earlier snapshots whose WARC files hold payloads of pages."""
        self.num_nodes = int(np.count_nonzero(work.kinds & _NODE))
        self.num_others = len(work.kinds) - self.num_nodes

    def pages(self) -> Iterator[pa.Table]:
        """The nodes in order, as in ``pages.parquet``; one table at least."""
        none = _CHOSEN.empty_table()
        yield _describe(none, none, np.zeros(0, bool))
        for start, chosen, source, _ in self._work.resolved():
            kinds = self._work.kinds[start : start + len(chosen)]
            nodes = kinds & _NODE != 0
            is_soft = kinds[nodes] & _SOFT != 0
            yield _describe(chosen.filter(pa.array(nodes)), source.filter(pa.array(nodes)), is_soft)

    def nodes(self) -> Iterator[pa.Table]:
        """The row keys of the nodes in order."""
        for start, table in self._work.chosen_tables("row_key"):
            yield table.filter(pa.array(self._is_node(start, table)))

    def others(self) -> Iterator[pa.Table]:
        """The rest in row-key order: ``row_key``, ``node`` or null, and ``reason``."""
        # one extra row stands for "nothing"
        is_node = np.append(self._work.kinds & _NODE != 0, False)
        numbers = np.cumsum(is_node, dtype=np.uint32)
        numbers -= np.uint32(1)
        for start, table in self._work.chosen_tables("row_key"):
            rows = slice(start, start + len(table))
            rest = ~is_node[rows]
            kinds, leads = self._work.kinds[rows][rest], self._work.leads[rows][rest]
            reasons = np.where(kinds & _REDIRECT != 0, 0, 1).astype(np.int32)
            columns = [
                table["row_key"].filter(pa.array(rest)),
                # a redirect that does not end at a node is part of a cycle, or leads out
                pa.array(numbers[leads], mask=~is_node[leads]),
                pa.DictionaryArray.from_arrays(reasons, pa.array(REASONS, pa.string())),
            ]
            yield pa.table(columns, schema=OTHERS)

    def members(self) -> Iterator[pa.Table]:
        """All nodes with what their own records take: ``url digest fingerprint bytes saved``."""
        for start, chosen, source, _ in self._work.resolved():
            saved = np.maximum(source["length"].to_numpy() - chosen["length"].to_numpy(), 0)
            table = pa.table({
                "url": chosen["url"],
                "digest": chosen["digest"],
                "fingerprint": pc.coalesce(chosen["fingerprint"], source["fingerprint"]),
                "bytes": chosen["length"],
                "saved": saved,
            })  # fmt: skip
            yield table.filter(pa.array(self._is_node(start, chosen)))

    def _is_node(self, start: int, table: pa.Table) -> Flags:
        found: Flags = self._work.kinds[start : start + len(table)] & _NODE != 0
        return found


def select_pages(
    source: Path | Sequence[Path],
    scratch: Path,
    *,
    earlier: Mapping[str, Path] | None = None,
    types: Collection[str] = (),
    last: bool = False,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Selection:
    """Number the nodes of a snapshot, and find what each other captured URL stands for.

    Parameters
    ----------
    source
        CDXJ lines in any order, plain or gzip, in one file or several.
    scratch
        A folder for files of about the size of the lines; they are needed as long as the selection is.
    earlier
        By label, the indexes of snapshots whose records may hold the payloads of revisits, the preferred
        first. The file name of such a record is ``LABEL/NAME``.
    types
        Content types of pages besides `webstrata.store.pages.TEXT`: those that have parsers.
    last
        Choose the last complete capture of each URL, not the first.
    memory
        Bytes sorted at a time.
    progress
        Where the reading is reported.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.cdxj import Line
    >>> common = {"date": 10**18, "mime": "text/html", "length": 1, "offset": 0, "filename": "a"}
    >>> lines = [
    ...     Line(url="http://b/", status=200, digest=bytes(20), **common),
    ...     Line(url="http://a/", status=200, digest=bytes(20), **common),
    ...     Line(url="http://c/", status=301, digest=b"1" * 20, redirect="http://b/", **common),
    ... ]
    >>> folder = testing.scratch()
    >>> _ = (folder / "captures.cdxj").write_bytes(b"".join(line.to_bytes() for line in lines))
    >>> selection = select_pages(folder / "captures.cdxj", folder)
    >>> [url for table in selection.pages() for url in table["url"].to_pylist()]
    ['http://a/', 'http://b/']
    >>> [row for table in selection.others() for row in table.select(["row_key", "node"]).to_pylist()]
    [{'row_key': 'c)/', 'node': 1}]
    """
    work = _Work(scratch, memory, last=last)
    for path in [source] if isinstance(source, os.PathLike) else source:
        work.read(path, progress)
    work.choose()
    work.borrow(earlier or {})
    work.find_payloads()
    work.judge([*TEXT, *types])
    work.join()
    return Selection(work)


def _describe(chosen: pa.Table, source: pa.Table, is_soft: Flags) -> pa.Table:
    """The rows of ``pages.parquet``."""
    columns = url_columns(chosen["url"])
    forbidden = (pc.match_substring_regex(table["robots"], _NOINDEX) for table in (chosen, source))
    return pa.table({
        "row_key": chosen["row_key"],
        **{name: columns[name] for name in columns.column_names},
        "fetch_time": pc.cast(chosen["time"], TIME),
        "fetch_status": pc.cast(chosen["status"], pa.int16()),
        "content_digest": chosen["digest"],
        "content_mime_type": source["mime"],
        "content_truncated": source["truncated"],
        "fingerprint": pc.coalesce(chosen["fingerprint"], source["fingerprint"]),
        "noindex": pc.or_(*(pc.fill_null(flags, False) for flags in forbidden)),
        "soft_404": pa.array(is_soft),
        "warc_filename": source["filename"],
        "warc_record_offset": source["offset"],
        "warc_record_length": source["length"],
    })  # fmt: skip


class _Resolved(NamedTuple):
    """Chosen captures, with the records that hold their payloads."""

    start: int
    chosen: pa.Table
    source: pa.Table
    has_payload: Flags


class _Work:
    """The steps of `select_pages`, in their order, and their intermediate files."""

    def __init__(self, scratch: Path, memory: int, *, last: bool = False) -> None:
        self._scratch, self._memory, self._last = scratch, memory, last
        self.num_captures = 0
        self.files: set[str] = set()
        self.lenders: set[str] = set()
        self.kinds: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self.leads: npt.NDArray[np.uint32] = np.empty(0, np.uint32)
        """The row that each leads to; one extra row stands for nothing, and leads to itself."""
        self._captures = self._sorter("captures", _CAPTURES)
        self._chosen = Spool(scratch / "chosen", _CHOSEN)
        self._by_digest, self._by_url = self._sorter("digests", _MEETING), self._sorter("urls", _MEETING)
        self._sources = self._sorter("sources", _SOURCES)
        self._marks = self._sorter("marks", _MARKS)
        self._led_to = self._sorter("led-to", _LED_TO)
        self._digests, self._originals = EquivalenceCounts(), EquivalenceCounts()
        self._has_revisits = self._has_marks = False

    def _sorter(self, name: str, schema: pa.Schema) -> Sorter:
        return Sorter(self._scratch, name, schema, memory=self._memory)

    # ---- 1 and 2

    def read(self, source: Path, progress: Progress | None) -> None:
        for table in scan_captures(source, start=self.num_captures, progress=progress):
            self.num_captures += len(table)
            self.files |= set(pc.unique(table["filename"]).to_pylist())
            # responses to POST, and records about pages, are captures and never pages
            is_urn = pc.starts_with(table["url"], URN)
            table = table.filter(pc.and_(pc.is_null(table["method"]), pc.invert(is_urn)))
            is_revisit = pc.equal(table["mime"], REVISIT)
            if pc.any(is_revisit).as_py():
                self._has_revisits = True
                self._digests.add(table["digest"].filter(is_revisit), 2)
                self._originals.add(table["duplicate-of"].filter(is_revisit), 2)
            keys = pa.array(row_keys(table["url"].to_pylist()), pa.large_string())
            self._captures.add(table.append_column("row_key", keys).select(_CAPTURES.names).cast(_CAPTURES))

    def choose(self) -> None:
        held = _CAPTURES.empty_table()  # the last URL: the next table may have more captures of it
        for table in self._captures.tables():
            if self._has_revisits:
                self._offer(table, ("digest", self._digests, self._by_digest))
                self._offer(table, ("url", self._originals, self._by_url))
            chosen = _choose(pa.concat_tables([held, table]).combine_chunks(), last=self._last)
            self._keep(chosen.slice(0, len(chosen) - 1))
            held = chosen.slice(len(chosen) - 1).take([0])
        self._keep(held)
        self._captures.remove()

    def borrow(self, earlier: Mapping[str, Path]) -> None:
        """Offer the records of earlier snapshots, after all of this one."""
        place = self.num_captures
        for label, path in earlier.items() if self._has_revisits else ():
            for table in scan_captures(path, start=place):
                place += len(table)
                names = pc.binary_join_element_wise(label, table["filename"], "/")
                table = table.set_column(table.column_names.index("filename"), "filename", names)
                self._offer(table, ("digest", self._digests, self._by_digest))

    def _offer(self, captures: pa.Table, by: tuple[str, EquivalenceCounts, Sorter]) -> None:
        """Offer records that revisits may refer to."""
        name, counts, sorter = by
        is_stored = _flags(
            pc.and_(pc.equal(captures["status"], 200), pc.not_equal(captures["mime"], REVISIT))
        )
        table = captures.filter(pa.array(is_stored & counts.may_repeat(captures[name])))
        rows = pa.array(np.full(len(table), -1))
        sorter.add(_meet(table, table[name], "0", table["place"], rows))

    def _keep(self, chosen: pa.Table) -> None:
        start = len(self._chosen)
        self._chosen.add(chosen.select(_CHOSEN.names), _BATCH)
        rows = np.arange(start, start + len(chosen))
        is_revisit = _flags(pc.equal(chosen["mime"], REVISIT))
        if is_revisit.any():
            wanting = chosen.filter(pa.array(is_revisit))
            for name, sorter in (("digest", self._by_digest), ("duplicate-of", self._by_url)):
                keys = wanting[name]
                is_known = pc.is_valid(keys)
                table, own = wanting.filter(is_known), pa.array(rows[is_revisit]).filter(is_known)
                sorter.add(_meet(table, keys.filter(is_known), "1", own, own))
        marked = _flags(pc.match_substring(chosen["robots"], SOFT))
        marked &= _flags(pc.is_valid(chosen["fingerprint"]))
        if marked.any():
            self._has_marks = True
            table = chosen.filter(pa.array(marked))
            self._marks.add(
                pa.table([_hosts(table["row_key"]), table["fingerprint"]], schema=_MARKS)
                .group_by(_MARKS.names).aggregate([]).cast(_MARKS)
            )  # fmt: skip

    # ---- 3

    def find_payloads(self) -> None:
        # where both find a record, the one with the same digest is taken
        for rank, sorter in enumerate((self._by_digest, self._by_url)):
            held = _MEETING.empty_table()  # the best record for the last key
            for table in sorter.tables():
                table = pa.concat_tables([held, table]).combine_chunks()
                group = number_groups(pc.utf8_slice_codeunits(table["key"], 0, -1))
                rows, places = table["row"].to_numpy(), table["place"].to_numpy()
                offers, wants = np.flatnonzero(rows < 0), np.flatnonzero(rows >= 0)
                offers = offers[np.lexsort((places[offers], group[offers]))]
                best = np.full(int(group[-1]) + 1, -1)
                best[group[offers][::-1]] = offers[::-1]  # the first of a group is written last
                wants = wants[best[group[wants]] >= 0]
                found = {name: table[name].take(best[group[wants]]) for name in _PAYLOAD}
                for name in pc.unique(found["filename"]).to_pylist():
                    if "/" in name:
                        self.lenders.add(name.partition("/")[0])
                ranks = np.full(len(wants), rank, np.int8)
                self._sources.add(pa.table({"row": rows[wants], "rank": ranks} | found, schema=_SOURCES))
                held = table.take(best[-1:]) if best[-1] >= 0 else _MEETING.empty_table()
            sorter.remove()

    def chosen_tables(self, *columns: str) -> Iterator[tuple[int, pa.Table]]:
        start = 0
        for table in self._chosen.tables(*columns):
            yield start, table
            start += len(table)

    def resolved(self) -> Iterator[_Resolved]:
        """The chosen captures, each with the record that holds its payload."""
        sources = Queue(self._sources.tables(), _SOURCES)
        for start, chosen in self.chosen_tables():
            source = chosen.select(list(_PAYLOAD))
            has_payload = ~_flags(pc.equal(chosen["mime"], REVISIT))
            found = sources.take_until(start + len(chosen) - 1)
            if len(found):
                rows, ranks = found["row"].to_numpy() - start, found["rank"].to_numpy()
                order = np.lexsort((ranks, rows))[::-1]
                index = np.arange(len(chosen))
                index[rows[order]] = len(chosen) + order
                has_payload[rows] = True
                source = pa.concat_tables([source, found.select(list(_PAYLOAD))]).take(index)
            yield _Resolved(start, chosen, source.combine_chunks(), has_payload)

    # ---- 4

    def judge(self, types: Sequence[str]) -> None:
        kinds = [np.empty(0, np.uint8)]
        soft = _Soft(self._marks) if self._has_marks else None  # finding the hosts takes time
        for start, chosen, source, has_payload in self.resolved():
            rows = np.arange(start, start + len(chosen))
            status = chosen["status"].to_numpy()
            is_revisit = _flags(pc.equal(chosen["mime"], REVISIT))
            # a revisit whose original is here stands for it, whether it tells 200, 304 or nothing
            is_same = is_revisit & has_payload & ((status == 0) | (status == 304))
            is_node = ((status == 200) & has_payload) | is_same
            is_node &= ~_flags(pc.match_substring(chosen["robots"], ROBOTS))
            is_node &= ~_flags(pc.match_substring_regex(chosen["url"], ROBOTS_URL))
            is_node &= _flags(pc.is_in(source["mime"], value_set=pa.array(types)))
            is_soft = _flags(pc.match_substring(chosen["robots"], SOFT))
            if soft is not None:
                is_soft |= soft.find(chosen)
            is_redirect = (status >= 300) & (status < 400) & (status != 304)
            kinds.append(
                (is_node * _NODE | is_redirect * _REDIRECT | is_soft * _SOFT).astype(np.uint8)
            )  # fmt: skip
            leading = is_redirect & _flags(pc.is_valid(chosen["redirect"]))
            keys = row_keys(chosen["redirect"].filter(pa.array(leading)).to_pylist())
            self._led_to.add(pa.table([pa.array(keys, pa.large_string()), rows[leading]], schema=_LED_TO))
        self.kinds = np.concatenate(kinds)

    def join(self) -> None:
        size = len(self.kinds)
        self.leads = np.full(size + 1, size, np.uint32)
        np.copyto(self.leads[:size], np.arange(size, dtype=np.uint32), where=self.kinds & _NODE != 0)
        for rows, targets in self._follow():
            self.leads[rows] = targets
        follow_redirects(self.leads, np.append(self.kinds & _REDIRECT != 0, False))

    def _follow(self) -> Iterator[tuple[Rows, Rows]]:
        """Redirects, and the rows that they lead to."""
        waiting = Queue(self._led_to.tables(), _LED_TO)
        for start, table in self.chosen_tables("row_key"):
            keys = table["row_key"].combine_chunks()
            found = waiting.take_until(keys[len(keys) - 1].as_py())
            if len(found):
                places = pc.index_in(found["key"], value_set=keys)
                found = found.filter(pc.is_valid(places))
                yield found["row"].to_numpy(), pc.drop_null(places).to_numpy().astype(np.int64) + start
        self._led_to.remove()


class _Soft:
    """Pages with the fingerprint of a page of their host that is marked as a soft 404."""

    def __init__(self, marks: Sorter) -> None:
        self._marks = Queue(marks.tables(), _MARKS)
        self._held = _MARKS.empty_table()

    def find(self, chosen: pa.Table) -> Flags:
        """Which of the next captures in row-key order are such."""
        hosts = _hosts(chosen["row_key"])
        last = hosts[len(hosts) - 1].as_py()
        marks = pa.concat_tables([self._held, self._marks.take_until(last)])
        self._held = marks.filter(pc.equal(marks["host"], last))
        if not len(marks):
            return np.zeros(len(chosen), bool)
        kinds, wanted = (
            pc.binary_join_element_wise(names, pc.cast(prints, pa.large_string()), pa.scalar(" ", names.type))
            for names, prints in ((hosts, chosen["fingerprint"]), (marks["host"], marks["fingerprint"]))
        )
        alike = _flags(pc.is_in(kinds, value_set=pc.unique(wanted))) & _flags(pc.is_valid(kinds))
        # a host that shows its home page for whatever is not there still has a home page
        is_home = _flags(pc.match_substring_regex(chosen["url"], r"^https?://[^/]*/$"))
        return alike & ~is_home


def _choose(captures: pa.Table, *, last: bool) -> pa.Table:
    """The first (or last) complete capture of each URL, or the first; they are sorted by row key."""
    group = number_groups(captures["row_key"])
    is_first = np.diff(group, prepend=-1) > 0
    if is_first.all():
        return captures
    incomplete = _flags(pc.or_(pc.is_valid(captures["truncated"]), pc.greater_equal(captures["status"], 500)))
    incomplete |= _flags(pc.equal(captures["digest"], "-"))  # a revisit of something that is not known
    times = pc.cast(captures["time"], pa.int64()).to_numpy()
    places = captures["place"].to_numpy()
    order = np.lexsort((-places, -times, incomplete, group) if last else (places, times, incomplete, group))
    return captures.take(order[is_first])


def _meet(
    table: pa.Table, keys: pa.ChunkedArray, mark: str, places: pa.ChunkedArray, rows: pa.Array
) -> pa.Table:
    """Rows of `_MEETING`; the mark puts records before those that look for one."""
    keys = pc.binary_join_element_wise(keys, mark, "")
    return pa.table([keys, places, rows, *(table[name] for name in _PAYLOAD)], schema=_MEETING)


def _hosts(keys: pa.ChunkedArray) -> pa.ChunkedArray:
    """The host of each row key with its closing bracket, so that hosts have the order of keys."""
    return pc.struct_field(pc.extract_regex(keys, r"^(?P<host>[^)]*\))"), "host")


def _flags(values: pa.ChunkedArray) -> Flags:
    flags: Flags = pc.fill_null(values, False).to_numpy(zero_copy_only=False)
    return flags
