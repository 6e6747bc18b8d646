"""Which captures are the pages of a snapshot, and the table of them: one row per node, in row-key order.

**A URL is a node**: every stored page with status 200 and a text type, whatever its content. Of several
captures of a URL the first complete one counts (neither truncated nor a server error; the first of all
where there is none; the last one with the setting `last_capture`). A page that repeats another one, that
asks not to be indexed, that redirects by ``refresh``, or that says with status 200 that nothing is there
(soft 404), is a node too: these are attributes of pages. A page that was not modified since an earlier
snapshot (304, stored as ``revisit``) is a node with its old payload. A robots.txt is a capture and not a
node. Folding duplicates is a choice of the graph (`webstrata.graph.fold`). A redirect stands for the page
it leads to in the end (none, if it goes round in a circle); any other captured URL stands for none.

``pages.parquet`` has one row per node, with columns named as in Common Crawl's columnar index where they
mean the same (`webstrata.archive.common_crawl`): what the URL says; ``fetch_time fetch_status
content_digest content_mime_type`` of the capture; ``warc_filename warc_record_offset warc_record_length``
of the record that holds its payload, which for a capture stored as ``revisit`` is the one it refers to,
perhaps in an earlier snapshot (`webstrata.store.warc_files`); ``content_truncated`` where the payload is
truncated. Ours are ``row_key``, ``fingerprint`` (`webstrata.web.fingerprint`, null for pages with little
text), ``noindex`` (the page or its header says so) and ``soft_404`` (the crawl found it to be one, or it
has the fingerprint of one of its host).

webstrata 0.1.0 made one node of pages with equal digests or fingerprints, the smallest row key of the
class, and none of pages marked ``noindex`` or found to be soft 404s. Its tables lack the last two
columns; they open as they are, and `webstrata.store.build.renumber` applies the rule of now.
"""

from __future__ import annotations

import gzip
import io
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, cast, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
import pyarrow.parquet as pq

from webstrata.collection.files import explained, open_writer
from webstrata.collection.progress import Progress
from webstrata.collection.sequences import find_place
from webstrata.collection.tables import SHOWN, Table
from webstrata.errors import FormatError
from webstrata.store.hiding import blank
from webstrata.store.parquet.rows import regroup
from webstrata.store.takedowns import HIDDEN
from webstrata.web.fingerprint import FIELD, RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from webstrata.collection.parts import Part
    from webstrata.store.hiding import Hidden

FILE = "pages.parquet"
TEXT = ("text/html", "application/xhtml+xml", "text/plain")
"""Media types of pages."""
REVISIT = "warc/revisit"
SOFT = "soft-404"
"""How the index marks a page that says with status 200 that nothing is there."""
ROBOTS = "robots-txt"
"""How the index marks a robots.txt that was fetched for its rules, which is no page."""
ROBOTS_URL = r"^https?://[^/]*/robots\.txt$"
"""Where it lies by default; archives of others do not mark it."""

ROW_GROUP = 1 << 16
_BLOCK = 2 << 20
_FIELDS = (
    "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename", FIELD,
    "duplicate-of", "redirect", "robots", "truncated", "span", "method",
    "payload-mime",
)  # fmt: skip


def read_captures(path: Path) -> pa.Table:
    """The lines of a CDXJ file, plain or gzip, as a table in their order; `place` is the number of the line.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.cdxj import Line
    >>> line = Line(
    ...     url="http://example.org/", date=10**18, mime="text/html; charset=utf-8", status=200,
    ...     digest=bytes(20), length=10, offset=0, filename="a.warc.gz", fingerprint=255)
    >>> path = testing.scratch() / "captures.cdxj"
    >>> _ = path.write_bytes(line.to_bytes())
    >>> captures = read_captures(path)
    >>> captures["mime"].to_pylist(), captures["fingerprint"].to_pylist()
    (['text/html'], [255])
    """
    return pa.concat_tables(scan_captures(path)).combine_chunks()


def scan_captures(
    path: Path, *, block: int = _BLOCK, start: int = 0, progress: Progress | None = None
) -> Iterator[pa.Table]:
    """The table of `read_captures` in pieces of about so many bytes of text; one at least.

    Places are counted from `start` on.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.cdxj import Line
    >>> common = {"date": 10**18, "mime": "text/html", "length": 1, "offset": 0, "filename": "a"}
    >>> lines = [Line(url=f"http://{name}/", status=200, digest=bytes(20), **common) for name in "ab"]
    >>> path = testing.scratch() / "captures.cdxj"
    >>> _ = path.write_bytes(b"".join(line.to_bytes() for line in lines))
    >>> [table["place"].to_pylist() for table in scan_captures(path, block=1)]
    [[], [0], [1]]
    """
    place = start
    schema = pa.schema([(name, pa.string()) for name in _FIELDS])
    yield _convert(schema.empty_table(), path, place)
    options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    with (
        explained(path, "read"),
        _open(path) as stream,
        (progress or Progress()).task("reading lines", total=_measure(path), unit="bytes") as task,
    ):
        while lines := stream.readlines(block):
            # key and timestamp stand before the object: the one is computed again, the other goes into it; no
            # value looks like the beginning of an object, since the quotes within it are escaped
            text = b"".join(b'{"timestamp": "' + line.partition(b" ")[2] for line in lines)
            text = text.replace(b' {"url": ', b'", "url": ')
            try:
                reading = pa.json.ReadOptions(use_threads=False, block_size=max(map(len, lines)) + (1 << 22))
                table = pa.json.read_json(io.BytesIO(text), reading, options)
            except pa.ArrowInvalid as error:
                raise FormatError(
                    f"{path}: a line is no CDXJ ({error}); the crawl was cut off, resume it to mend the file"
                ) from error
            task.advance(sum(map(len, lines)))
            del lines, text
            yield _convert(table, path, place)
            place += len(table)


def _convert(table: pa.Table, path: Path, place: int) -> pa.Table:
    """Strings as what they say, of lines from a place on."""
    table = table.combine_chunks()
    if any(table[name].null_count for name in _FIELDS[:8]):
        raise FormatError(
            f"{path}: a line lacks one of {', '.join(_FIELDS[:8])}; it is not of a crawl of ours"
        )
    mime = pc.utf8_lower(pc.utf8_trim_whitespace(pc.replace_substring_regex(table["mime"], ";.*", "")))
    time = pc.strptime(table["timestamp"], "%Y%m%d%H%M%S", "us")
    columns = {name: table[name] for name in _FIELDS[1:] if name != FIELD} | {
        "mime": mime,
        "time": pc.assume_timezone(time, "UTC"),
        # a revisit record may not tell its status
        "status": pc.cast(pc.replace_substring(table["status"], "-", "0"), pa.uint16()),
        "length": pc.cast(table["length"], pa.int64()),
        "offset": pc.cast(table["offset"], pa.int64()),
        "fingerprint": _parse_hex(table[FIELD]),
        "place": pa.array(np.arange(place, place + len(table))),
    }
    return pa.table(columns)


def _measure(path: Path) -> int | None:
    """Bytes of a file that is not packed."""
    return None if path.suffix == ".gz" else path.stat().st_size


def _open(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _parse_hex(texts: pa.ChunkedArray) -> pa.Array:
    """64-bit numbers from 16 hexadecimal digits each, without a loop."""
    valid = pc.is_valid(texts).to_numpy()
    joined = "".join(pc.fill_null(texts, "0" * 16).to_pylist()).encode()
    if len(joined) != 16 * len(texts):
        raise FormatError("a fingerprint of the index has not 16 digits; the line is not of a crawl of ours")
    packed = bytes.fromhex(joined.decode())
    return pa.array(np.frombuffer(packed, ">u8").astype(np.uint64), mask=~valid)


# ---- the table


def write_pages(path: Path, pages: pa.Table | Iterable[pa.Table], *, crawl: str = "") -> None:
    """Write the table of pages so that `Pages` opens it, with the label of their snapshot in each row.

    Tables may come one behind the other; the file does not tell.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "pages.parquet"
    >>> write_pages(path, pa.table({"url": ["http://a/"]}))
    >>> pq.read_metadata(path).num_rows
    1
    """
    tables = iter([pages] if isinstance(pages, pa.Table) else pages)
    first = next(tables)
    schema = _label(first.slice(0, 0), crawl).schema
    if "fingerprint" in schema.names:
        schema = schema.with_metadata({"fingerprint": str(RULE)})
    with open_writer(path) as stream, pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for table in regroup(chain([first], tables), ROW_GROUP):
            writer.write_table(_label(table, crawl), row_group_size=ROW_GROUP)


def _label(pages: pa.Table, crawl: str) -> pa.Table:
    if crawl:  # columns that have one value take no room, and queries ask for them
        for name, value in (("crawl", crawl), ("subset", "warc")):
            pages = pages.append_column(name, pa.repeat(pa.scalar(value, pa.string()), len(pages)))
    return pages


def relabel_pages(source: Path, target: Path, old: str, new: str) -> None:
    """Copy a table of pages, with another label in the columns that name a snapshot.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> table = pa.table({"url": ["http://a/"], "warc_filename": ["2026-05/a.warc.gz"]})
    >>> write_pages(folder / "old.parquet", table, crawl="2026-06")
    >>> relabel_pages(folder / "old.parquet", folder / "new.parquet", "2026-05", "2026-05-01")
    >>> pq.read_table(folder / "new.parquet").to_pylist()[0]["warc_filename"]
    '2026-05-01/a.warc.gz'
    """
    with explained(source, "read"):
        file = pq.ParquetFile(source)
    with (
        open_writer(target) as stream,
        pq.ParquetWriter(stream, file.schema_arrow, compression="zstd") as out,
    ):
        for number in range(file.num_row_groups):
            table = file.read_row_group(number)
            for name, pattern in (("warc_filename", f"^{old}/"), ("crawl", f"^{old}$")):
                if name in table.column_names:
                    column = pc.replace_substring_regex(
                        table[name], pattern, new + "/" * pattern.endswith("/")
                    )
                    place = table.column_names.index(name)
                    table = table.set_column(place, table.schema.field(name), column)
            out.write_table(table, row_group_size=ROW_GROUP)


class Pages(Table):
    """The pages of a snapshot, a row a node, read by column and by row as asked for.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> table = pa.table({"url": ["http://a/", "http://b/"], "fetch_status": [200, 200]})
    >>> write_pages(folder / "pages.parquet", table)
    >>> pages = Pages(folder)
    >>> len(pages), pages[1], pages.columns
    (2, {'url': 'http://b/', 'fetch_status': 200}, ['url', 'fetch_status'])
    >>> pages.table("url")["url"].to_pylist()
    ['http://a/', 'http://b/']
    """

    def __init__(self, folder: Path, part: Part | None = None, *, hidden: Hidden | None = None) -> None:
        self._part = part  # held, so that the files stay
        self._hidden = hidden
        path = folder / "pages.parquet"
        with explained(path, "read"):
            self._file = pq.ParquetFile(path, memory_map=True)

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return list(self._file.schema_arrow.names)

    @property
    def fingerprint_rule(self) -> int:
        """The rule of the fingerprints (`webstrata.web.fingerprint`): 2, or 1 of 0.1.0; 0 without any."""
        if "fingerprint" not in self.columns:
            return 0
        return int((self._file.schema_arrow.metadata or {}).get(b"fingerprint", b"1"))

    def table(self, *columns: str) -> pa.Table:
        """The columns named, or all, as an Arrow table whose row is the node."""
        return self._show(self._file.read(list(columns) or None), 0)

    def to_arrow(self) -> pa.Table:
        """All columns as an Arrow table whose row is the node."""
        return self.table()

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first rows, and how many rows there are."""
        return self.between(0, min(number, len(self))), len(self)

    def between(self, start: int, stop: int, *columns: str) -> pa.Table:
        """The columns named, or all, of the nodes from `start` to before `stop`; others are not read."""
        groups = list(range(start // ROW_GROUP, -(-stop // ROW_GROUP)))
        table = self._file.read_row_groups(groups, list(columns) or None)
        return self._show(table.slice(start - start // ROW_GROUP * ROW_GROUP, stop - start), start)

    def _show(self, table: pa.Table, start: int) -> pa.Table:
        """Rows without what they say of hidden pages."""
        if not self._hidden:
            return table
        return blank(table, self._hidden.between(start, start + len(table)), url=HIDDEN)

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    @overload
    def __getitem__(self, node: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, node: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, node: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(node, slice):
            return [self[place] for place in range(*node.indices(len(self)))]
        node = find_place(node, len(self))
        group, row = divmod(node, ROW_GROUP)
        table = self._file.read_row_group(group).slice(row, 1)
        found: dict[str, Any] = self._show(table, node).to_pylist()[0]
        return found

    def __repr__(self) -> str:
        return f"<Pages: {len(self)}>"
