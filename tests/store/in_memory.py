"""Which captures are pages, all of them in memory: what `webstrata.store.selection` does on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.archive.common_crawl import TIME, url_columns
from webstrata.store.pages import REVISIT, ROBOTS, ROBOTS_URL, SOFT, TEXT
from webstrata.web.row_key import row_keys

if TYPE_CHECKING:
    import numpy.typing as npt


class Selection(NamedTuple):
    """The captured URLs of a snapshot, told apart."""

    pages: pa.Table
    """One row a node, as in ``pages.parquet``."""
    others: pa.Table
    """The rest in row-key order: ``row_key``, ``node`` or none, and ``reason``."""


def select_pages(captures: pa.Table) -> Selection:
    """Number the nodes of a snapshot, and find what each other URL stands for."""
    chosen, source, is_page = judge_captures(captures)
    size = len(chosen)

    # one extra place stands for nothing, and leads to itself
    leads = np.full(size + 1, size)
    leads[:size][is_page] = np.flatnonzero(is_page)
    is_redirect = _flags(pc.and_(pc.greater_equal(chosen["status"], 300), pc.less(chosen["status"], 400)))
    is_redirect &= _flags(pc.not_equal(chosen["status"], 304))
    targets = _find(chosen["redirect"], chosen["url"], size)
    leads[:size][is_redirect] = targets[is_redirect]
    for _ in range(size.bit_length()):  # each round follows twice as many steps as the one before
        leads = leads[leads]
    is_node = np.append(is_page, False)
    node = np.cumsum(is_node) - 1
    found = is_node[leads]  # a redirect that is still under way is in a cycle

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
        "fingerprint": pc.coalesce(chosen_pages["fingerprint"], source_pages["fingerprint"]),
        "noindex": pc.or_(_forbids(chosen_pages), _forbids(source_pages)),
        "soft_404": pa.array(_find_soft(chosen)[is_page]),
        "warc_filename": source_pages["filename"],
        "warc_record_offset": source_pages["offset"],
        "warc_record_length": source_pages["length"],
    })  # fmt: skip
    reason = np.where(is_redirect, "redirect", "no page")
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


def judge_captures(captures: pa.Table) -> Judged:
    """Choose a capture of each URL, and tell which are pages."""
    chosen = _choose(captures)
    is_revisit = _flags(pc.equal(chosen["mime"], REVISIT))
    stored = _find_stored(captures, chosen, is_revisit)
    has_payload = stored < len(captures)
    source = captures.take(pa.array(np.where(has_payload, stored, 0))) if len(chosen) else captures
    is_page = _flags(pc.equal(chosen["status"], 200)) | (_flags(pc.equal(chosen["status"], 304)) & is_revisit)
    is_page &= has_payload & ~_flags(pc.match_substring(chosen["robots"], ROBOTS))
    is_page &= ~_flags(pc.match_substring_regex(chosen["url"], ROBOTS_URL))
    is_page &= _flags(pc.is_in(source["mime"], value_set=pa.array(TEXT)))
    return Judged(chosen, source, is_page)


def _forbids(table: pa.Table) -> pa.ChunkedArray:
    return pc.fill_null(pc.match_substring_regex(table["robots"], r"(?i)\bno(index|ne)\b"), False)


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
