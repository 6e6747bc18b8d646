"""Which captures are the pages of a snapshot, and the table of them: one row a node, in row-key order.

Of several captures of a URL the first complete one counts (not cut off, no error of the server; the first of
all where there is none). A URL is a page if its answer has status 200, is text, does not ask not to be
indexed, and is no soft 404: the crawl marks those that it knows, and other pages of the host with the
fingerprint of one are none either, the home page excepted. Pages with the same digest, the same fingerprint,
or one said to be the duplicate of the other form a class, and **the node is the smallest row key of its
class**. Every other URL stands for a node or for none: a
duplicate for the node of its class, a redirect for what it leads to in the end (none, if it goes round in a
circle), anything else for none.

``pages.parquet`` has a row a node, with columns named as in Common Crawl's columnar index where they mean the
same (`webstrata.store.columns`): what the URL says, ``fetch_time fetch_status content_digest
content_mime_type`` of the capture, and ``warc_filename warc_record_offset warc_record_length`` of the record
that holds its payload, which for a capture stored as ``revisit`` is the one it refers to;
``content_truncated`` where the payload is cut off. Ours are ``row_key`` and ``fingerprint``.
"""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
import pyarrow.parquet as pq

from webstrata.collection.files import explained, open_writer
from webstrata.errors import FormatError
from webstrata.store.columns import TIME, url_columns
from webstrata.web.row_key import row_keys

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.parts import Part

TEXT = ("text/html", "application/xhtml+xml", "text/plain")
"""Media types of pages."""
REVISIT = "warc/revisit"
SOFT = "soft-404"
"""How the index marks a page that says with status 200 that nothing is there."""

ROW_GROUP = 1 << 16
_BLOCK = 64 << 20
_FIELDS = (
    "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename", "fingerprint",
    "duplicate-of", "redirect", "robots", "truncated", "span",
)  # fmt: skip


def read_captures(path: Path) -> pa.Table:
    """The lines of a CDXJ file, plain or gzip, as a table in their order; `place` is the number of the line.

    Examples
    --------
    >>> from webstrata.store.cdxj import Line
    >>> line = Line(
    ...     url="http://example.org/", date=10**18, mime="text/html; charset=utf-8", status=200,
    ...     digest=bytes(20), length=10, offset=0, filename="a.warc.gz", fingerprint=255)
    >>> path = getfixture("tmp_path") / "captures.cdxj"
    >>> _ = path.write_bytes(line.to_bytes())
    >>> captures = read_captures(path)
    >>> captures["mime"].to_pylist(), captures["fingerprint"].to_pylist()
    (['text/html'], [255])
    """
    schema = pa.schema([(name, pa.string()) for name in _FIELDS])
    tables = [schema.empty_table()]
    options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    with explained(path, "read"), _open(path) as stream:
        while lines := stream.readlines(_BLOCK):
            # key and timestamp stand before the object: the one is computed again, the other goes into it; no
            # value looks like the beginning of an object, since the quotes within it are escaped
            text = b"".join(b'{"timestamp": "' + line.partition(b" ")[2] for line in lines)
            text = text.replace(b' {"url": ', b'", "url": ')
            try:
                reading = pa.json.ReadOptions(block_size=max(map(len, lines)) + (1 << 22))
                tables.append(pa.json.read_json(io.BytesIO(text), reading, options))
            except pa.ArrowInvalid as error:
                raise FormatError(
                    f"{path}: a line is no CDXJ ({error}); the crawl was cut off, resume it to mend the file"
                ) from error
    table = pa.concat_tables(tables).combine_chunks()
    if any(table[name].null_count for name in _FIELDS[:8]):
        raise FormatError(
            f"{path}: a line lacks one of {', '.join(_FIELDS[:8])}; it is not of a crawl of ours"
        )
    mime = pc.utf8_lower(pc.utf8_trim_whitespace(pc.replace_substring_regex(table["mime"], ";.*", "")))
    time = pc.strptime(table["timestamp"], "%Y%m%d%H%M%S", "us")
    columns = {name: table[name] for name in _FIELDS[1:]} | {
        "mime": mime,
        "time": pc.assume_timezone(time, "UTC"),
        "status": pc.cast(table["status"], pa.uint16()),
        "length": pc.cast(table["length"], pa.int64()),
        "offset": pc.cast(table["offset"], pa.int64()),
        "fingerprint": _parse_hex(table["fingerprint"]),
        "place": pa.array(np.arange(len(table))),
    }
    return pa.table(columns)


def _open(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


class Selection(NamedTuple):
    """The captured URLs of a snapshot, told apart."""

    pages: pa.Table
    """One row a node, as in ``pages.parquet``."""
    others: pa.Table
    """The rest in row-key order: ``row_key``, ``node`` or none, and ``reason``."""


def select_pages(captures: pa.Table) -> Selection:
    """Number the nodes of a snapshot, and tell what each other URL stands for.

    Examples
    --------
    >>> from webstrata.store.cdxj import Line
    >>> common = {"date": 10**18, "mime": "text/html", "length": 1, "offset": 0, "filename": "a"}
    >>> lines = [
    ...     Line(url="http://b/", status=200, digest=bytes(20), **common),
    ...     Line(url="http://a/", status=200, digest=bytes(20), **common),
    ...     Line(url="http://c/", status=301, digest=b"1" * 20, redirect="http://b/", **common),
    ... ]
    >>> path = getfixture("tmp_path") / "captures.cdxj"
    >>> _ = path.write_bytes(b"".join(line.to_bytes() for line in lines))
    >>> selection = select_pages(read_captures(path))
    >>> selection.pages["url"].to_pylist()
    ['http://a/']
    >>> selection.others.select(["row_key", "node"]).to_pylist()
    [{'row_key': 'b)/', 'node': 0}, {'row_key': 'c)/', 'node': 0}]
    """
    chosen, source, is_page, forbidden, label = judge_captures(captures)
    size = len(chosen)

    # one more place stands for none, and leads to itself
    leads = np.full(size + 1, size)
    leads[:size][is_page & ~forbidden] = label[is_page & ~forbidden]
    is_redirect = _flags(pc.and_(pc.greater_equal(chosen["status"], 300), pc.less(chosen["status"], 400)))
    targets = _find(chosen["redirect"], chosen["url"], size)
    leads[:size][is_redirect] = targets[is_redirect]
    for _ in range(size.bit_length()):  # each round follows twice as many steps as the one before
        leads = leads[leads]
    is_node = np.zeros(size + 1, bool)
    is_node[:size] = is_page & ~forbidden & (label == np.arange(size))
    node = np.cumsum(is_node) - 1
    found = is_node[leads]  # what is still under way goes in a circle

    nodes = pa.array(is_node[:size])
    chosen_pages, source_pages = chosen.filter(nodes), source.filter(nodes)
    columns = url_columns(chosen_pages["url"])
    pages = pa.table({
        "row_key": chosen_pages["row_key"],
        **{name: columns[name] for name in columns.column_names},
        "fetch_time": pc.cast(chosen_pages["time"], TIME),
        "fetch_status": pc.cast(chosen_pages["status"], pa.int16()),
        "content_digest": chosen_pages["digest"],
        "content_mime_type": source_pages["mime"],
        "content_truncated": source_pages["truncated"],
        "fingerprint": chosen_pages["fingerprint"],
        "warc_filename": source_pages["filename"],
        "warc_record_offset": source_pages["offset"],
        "warc_record_length": source_pages["length"],
    })  # fmt: skip
    reason = np.select(
        [is_redirect, is_page & _find_soft(chosen), is_page & forbidden, is_page],
        ["redirect", "soft 404", "noindex", "duplicate"],
        "no page",
    )
    others = pa.table({
        "row_key": chosen["row_key"],
        "node": pa.array(node[leads[:size]].astype(np.uint32), mask=~found[:size]),
        "reason": pa.array(reason, pa.string()).dictionary_encode(),
    }).filter(pc.invert(nodes))  # fmt: skip
    return Selection(pages, others)


class Judged(NamedTuple):
    """One capture of each URL in row-key order, and what was found about it."""

    chosen: pa.Table
    """The captures, with their ``row_key``."""
    source: pa.Table
    """For each the capture whose record holds the payload; itself, unless it is a revisit."""
    is_page: npt.NDArray[np.bool_]
    forbidden: npt.NDArray[np.bool_]
    """Whether it asks not to be indexed, or says with status 200 that nothing is there."""
    label: npt.NDArray[np.int64]
    """The first row of its class of duplicates; its own, where it is none or no page."""


def judge_captures(captures: pa.Table) -> Judged:
    """Choose a capture of each URL, and tell which are pages, and of which class.

    Examples
    --------
    >>> from webstrata.store.cdxj import Line
    >>> common = {"date": 10**18, "mime": "text/html", "length": 1, "offset": 0, "filename": "a"}
    >>> lines = [Line(url=f"http://{name}/", status=200, digest=bytes(20), **common) for name in "ab"]
    >>> path = getfixture("tmp_path") / "captures.cdxj"
    >>> _ = path.write_bytes(b"".join(line.to_bytes() for line in lines))
    >>> judged = judge_captures(read_captures(path))
    >>> judged.is_page.tolist(), judged.label.tolist()
    ([True, True], [0, 0])
    """
    chosen = _choose(captures)
    is_revisit = _flags(pc.equal(chosen["mime"], REVISIT))
    stored = _find_stored(captures, chosen, is_revisit)
    has_payload = stored < len(captures)
    source = captures.take(pa.array(np.where(has_payload, stored, 0))) if len(chosen) else captures
    is_page = _flags(pc.equal(chosen["status"], 200)) & has_payload
    is_page &= _flags(pc.is_in(source["mime"], value_set=pa.array(TEXT)))
    forbidden = _flags(pc.match_substring_regex(chosen["robots"], r"(?i)\bno(index|ne)\b"))
    forbidden |= _find_soft(chosen)
    return Judged(chosen, source, is_page, forbidden, _label_classes(chosen, is_page & ~forbidden))


def _hosts(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.struct_field(pc.extract_regex(urls, r"^https?://(?P<host>\[[^\]]*\]|[^/?:]+)"), "host")


def _find_soft(chosen: pa.Table) -> npt.NDArray[np.bool_]:
    """Which captures are soft 404s: those marked so, and others of their host that look the same."""
    marked = _flags(pc.match_substring(chosen["robots"], SOFT))
    if not marked.any():
        return marked
    prints = pc.cast(chosen["fingerprint"], pa.string())
    kinds = pc.binary_join_element_wise(_hosts(chosen["url"]), prints, " ")
    alike = _flags(pc.is_in(kinds, value_set=pc.drop_null(pc.unique(kinds.filter(pa.array(marked))))))
    # a host that shows its home page for whatever is not there still has a home page
    is_home = _flags(pc.match_substring_regex(chosen["url"], r"^https?://[^/]*/$"))
    return marked | (alike & ~is_home & _flags(pc.is_valid(chosen["fingerprint"])))


def _choose(captures: pa.Table) -> pa.Table:
    """One capture of each URL, in row-key order."""
    keys = pa.array(row_keys(captures["url"].to_pylist()), pa.large_string())
    failed = pc.greater_equal(captures["status"], 500)
    incomplete = pc.or_(pc.is_valid(captures["truncated"]), failed)
    table = captures.append_column("row_key", keys).append_column("incomplete", incomplete)
    order = [(name, "ascending") for name in ("row_key", "incomplete", "time", "place")]
    table = table.take(pc.sort_indices(table, order)).combine_chunks()
    keys = table["row_key"]
    is_first = np.ones(len(table), bool)
    is_first[1:] = _flags(pc.not_equal(keys.slice(1), keys.slice(0, max(len(keys) - 1, 0))))
    return table.filter(pa.array(is_first)).combine_chunks()


def _find_stored(
    captures: pa.Table, chosen: pa.Table, is_revisit: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """For each chosen capture the place of the one whose record holds the payload, or `len(captures)`."""
    size = len(captures)
    is_stored = _flags(pc.and_(pc.equal(captures["status"], 200), pc.not_equal(captures["mime"], REVISIT)))
    places = np.flatnonzero(is_stored)
    found: npt.NDArray[np.int64] = np.where(is_revisit, size, chosen["place"].to_numpy())
    # where both lead somewhere the digest is the better witness, and comes last
    for name, wanted in (("url", chosen["duplicate-of"]), ("digest", chosen["digest"])):
        values = pc.unique(captures[name])
        first = np.full(len(values) + 1, size)
        np.minimum.at(first, _find(captures[name], values, len(values))[places], places)
        candidates = first[_find(wanted, values, len(values))]
        found = np.where(is_revisit & (candidates < size), candidates, found)
    return found


def _label_classes(chosen: pa.Table, is_member: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """For each member the first one of its class: same digest or fingerprint, or told to be a duplicate."""
    label = np.arange(len(chosen))
    members = np.flatnonzero(is_member)
    groups = []
    for name in ("digest", "fingerprint"):
        rows = members[_flags(pc.is_valid(chosen[name]))[members]]
        values = pc.unique(chosen[name])
        groups.append((rows, _find(chosen[name], values, len(values))[rows], len(values) + 1))
    originals = _find(chosen["duplicate-of"], chosen["url"], len(chosen))[members]
    kept = originals < len(chosen)
    kept[kept] = is_member[originals[kept]]
    pairs = members[kept], originals[kept]
    while True:
        before = label.copy()
        for rows, codes, size in groups:
            smallest = np.full(size, len(label))
            np.minimum.at(smallest, codes, label[rows])
            label[rows] = smallest[codes]
        smaller = np.minimum(label[pairs[0]], label[pairs[1]])
        for side in pairs:
            np.minimum.at(label, side, smaller)
        if np.array_equal(before, label):
            return label


def _find(wanted: pa.ChunkedArray, values: pa.ChunkedArray | pa.Array, none: int) -> npt.NDArray[np.int64]:
    """The place of each value among different ones, or `none`."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    places = pc.index_in(wanted, value_set=values, skip_nulls=True)
    found: npt.NDArray[np.int64] = pc.fill_null(places, none).to_numpy().astype(np.int64)
    return found


def _flags(values: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    flags: npt.NDArray[np.bool_] = pc.fill_null(values, False).to_numpy(zero_copy_only=False)
    return flags


def _parse_hex(texts: pa.ChunkedArray) -> pa.Array:
    """64-bit numbers from 16 hexadecimal digits each, without a loop."""
    valid = _flags(pc.is_valid(texts))
    joined = "".join(pc.fill_null(texts, "0" * 16).to_pylist()).encode()
    if len(joined) != 16 * len(texts):
        raise FormatError("a fingerprint of the index has not 16 digits; the line is not of a crawl of ours")
    packed = bytes.fromhex(joined.decode())
    return pa.array(np.frombuffer(packed, ">u8").astype(np.uint64), mask=~valid)


# ---- the table


def write_pages(path: Path, pages: pa.Table, *, crawl: str = "") -> None:
    """Write the table of pages so that `Pages` opens it, with the label of their snapshot in each row.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "pages.parquet"
    >>> write_pages(path, pa.table({"url": ["http://a/"]}))
    >>> pq.read_metadata(path).num_rows
    1
    """
    if crawl:  # columns that have one value take no room, and queries ask for them
        for name, value in (("crawl", crawl), ("subset", "warc")):
            pages = pages.append_column(name, pa.array([value] * len(pages), pa.string()))
    with open_writer(path) as stream:
        pq.write_table(pages, stream, compression="zstd", row_group_size=ROW_GROUP)


class Pages:
    """The pages of a snapshot, a row a node, read by column and by row as asked for.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> table = pa.table({"url": ["http://a/", "http://b/"], "fetch_status": [200, 200]})
    >>> write_pages(folder / "pages.parquet", table)
    >>> pages = Pages(folder)
    >>> len(pages), pages[1], pages.columns
    (2, {'url': 'http://b/', 'fetch_status': 200}, ['url', 'fetch_status'])
    >>> pages.table("url")["url"].to_pylist()
    ['http://a/', 'http://b/']
    """

    def __init__(self, folder: Path, part: Part | None = None) -> None:
        self._part = part  # held, so that the files stay
        path = folder / "pages.parquet"
        with explained(path, "read"):
            self._file = pq.ParquetFile(path, memory_map=True)

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return list(self._file.schema_arrow.names)

    def table(self, *columns: str) -> pa.Table:
        """The columns named, or all, as an Arrow table whose row is the node."""
        return self._file.read(list(columns) or None)

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def __getitem__(self, node: int) -> dict[str, Any]:
        if not 0 <= node < len(self):
            raise IndexError(f"node: expected 0 to {len(self) - 1}, got {node}")
        group, row = divmod(node, ROW_GROUP)
        found: dict[str, Any] = self._file.read_row_group(group).slice(row, 1).to_pylist()[0]
        return found

    def __repr__(self) -> str:
        return f"<Pages: {len(self)}>"
