"""How the titles and links of a wiki's tables are joined, in little memory.

Every title that a table names, of a page, a link or a redirect, is written with its place and sorted by row
key on disk. In this order each key gets a number, and the numbers go back to their places: to pages and to
link targets by their identifiers (`IdNumbers`), to titles of links block by block. Then a link is a pair of
numbers, whose order is that of nodes and of targets. The titles of a block of links are told apart before
they are sorted, so that each is sorted once a block. Memory is the same for any number of links, and some ten
bytes for each title.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.archive.common_crawl import TIME, url_columns
from webstrata.archive.tally import Tally
from webstrata.errors import FormatError
from webstrata.store.equivalence import follow_redirects, number_groups
from webstrata.store.key_columns import from_row_keys
from webstrata.store.links import LINKS, TARGETS
from webstrata.store.parquet.sorting import Queue, Sorter, Spool
from webstrata.store.selection import OTHERS
from webstrata.store.urls import NODES
from webstrata.store.wikipedia.numbers import MAX_ID, IdNumbers, Pairs
from webstrata.store.wikipedia.settings import ELIMINATE, WikipediaSettings
from webstrata.store.wikipedia.sql import Head, scan_table
from webstrata.web.html import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.store.wikipedia.titles import Wiki

    Numbers = npt.NDArray[np.int64]

_ARTICLE, _REDIRECT = 1, 2
_PAGE_KINDS = (_ARTICLE, _REDIRECT)
_FORWARD, _TARGET = 3, 4
_NOWHERE = MAX_ID - 2
"""What a redirect or a link leads to that leads out of the wiki, or of its namespaces."""
_BLOCK = 1 << 19
"""Links whose titles are told apart together."""
_MEMORY = 32 << 20
"""Bytes of titles that are sorted at a time."""
_INT, _BINARY = pa.int64(), pa.binary()
_NAMED = pa.schema([
    ("row_key", pa.large_string()), ("kind", pa.uint8()), ("place", _INT), ("size", _INT),
])  # fmt: skip
_KEYS = pa.schema([("row_key", pa.large_string()), ("page", _INT), ("size", _INT)])
_PLACES = pa.schema([("place", _INT), ("number", _INT)])
_LINKED = pa.schema([("page", _INT), ("title", pa.uint32())])
_NOTHING = {
    "fetch_time": TIME, "fetch_status": pa.int16(), "content_digest": pa.string(),
    "content_mime_type": pa.string(), "content_truncated": pa.string(), "fingerprint": pa.uint64(),
    "warc_filename": pa.string(), "warc_record_offset": pa.int64(), "warc_record_length": pa.int64(),
}  # fmt: skip
"""Columns of pages that tell of captures, of which there are none."""

COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "page": {"page_id": _INT, "page_namespace": _INT, "page_title": _BINARY, "page_is_redirect": _INT},
    "pagelinks": {"pl_from": _INT},
    "linktarget": {"lt_id": _INT, "lt_namespace": _INT, "lt_title": _BINARY},
    "redirect": {"rd_from": _INT, "rd_namespace": _INT, "rd_title": _BINARY},
}
"""What is needed of each table, whatever its version."""


class Join:
    """The steps, in their order, and what they leave in the scratch folder."""

    def __init__(
        self,
        scratch: Path,
        files: Mapping[str, Path],
        heads: Mapping[str, Head],
        wiki: Wiki,
        settings: WikipediaSettings,
        progress: Progress,
    ) -> None:
        self._scratch, self._files, self._heads = scratch, files, heads
        self._wiki, self._settings, self._progress = wiki, settings, progress
        self._namespaces = np.array(sorted(set(settings.namespaces)), np.int64)
        self.tally = Tally()
        self._named = Sorter(scratch, "named", _NAMED, memory=_MEMORY)
        self._kind_of = IdNumbers(scratch / "page-kinds")
        self._page = IdNumbers(scratch / "pages")
        self._forward = IdNumbers(scratch / "forwards")
        self._target = IdNumbers(scratch / "link-targets")
        self._has_titles = "pl_title" in heads["pagelinks"].columns
        self._linked = Spool(scratch / "linked", _LINKED)
        self._num_blocks = 0
        self._places = Sorter(scratch, "places", _PLACES, memory=_MEMORY)
        self._keys = Spool(scratch / "keys", _KEYS)
        self._kinds: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self._leads: npt.NDArray[np.uint32] = np.empty(0, np.uint32)
        self._used: npt.NDArray[np.bool_] = np.empty(0, np.bool_)
        self.num_nodes = self.num_redirects = self.num_lost = self.num_targets = 0

    # ---- reading the tables

    def _scan(self, name: str, *more: str) -> Iterator[pa.Table]:
        """The rows of a table that have all that is needed."""
        path, columns = self._files[name], dict(COLUMNS[name])
        kinds = {"pl_title": _BINARY, "rd_interwiki": _BINARY}
        columns |= {column: kinds.get(column, _INT) for column in more}
        optional = {"rd_interwiki", "page_len"}
        total = path.stat().st_size
        with self._progress.task(f"reading {path.name}", total=total, unit="bytes") as task:
            for table in scan_table(path, self._heads[name], columns, self.tally, advance=task.advance):
                is_whole = np.ones(len(table), np.bool_)
                for column in columns.keys() - optional:
                    if table[column].null_count:
                        is_whole &= pc.is_valid(table[column]).to_numpy()
                    if column.endswith(("_id", "_from")):
                        ids = pc.fill_null(table[column], -1).to_numpy()
                        is_whole &= (ids >= 0) & (ids < MAX_ID)
                if not is_whole.all():
                    what = f"a row of {name} has no number or title where it needs one"
                    for _ in range(int((~is_whole).sum())):
                        self.tally.damaged(str(path), 0, what)
                    table = table.filter(pa.array(is_whole))
                yield table.combine_chunks()

    def _leave_out(self, reason: str, number: int) -> None:
        if number:
            self.tally.left_out[reason] += int(number)

    def _is_wanted(self, namespaces: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
        return np.isin(namespaces.to_numpy(), self._namespaces)

    def _full_titles(self, table: pa.Table, prefix: str) -> pa.Array:
        titles = table[f"{prefix}_title"].combine_chunks()
        return self._wiki.full_titles(table[f"{prefix}_namespace"].to_numpy(), titles)

    def _name(
        self,
        keys: pa.Array,
        kinds: int | npt.NDArray[np.uint8],
        places: Numbers,
        sizes: pa.Array | None = None,
    ) -> None:
        number = len(keys)
        column = np.full(number, kinds, np.uint8) if isinstance(kinds, int) else kinds
        sizes = pa.array(np.zeros(number, np.int64)) if sizes is None else sizes
        self._named.add(pa.table([keys, column, places, sizes], schema=_NAMED))

    def read(self) -> None:
        """Write every title with its place."""
        self._read_pages()
        if "redirect" in self._files:
            self._read_redirects()
        if self._has_titles:
            self._read_titled_links()
        else:
            for table in self._scan("linktarget"):
                is_wanted = self._is_wanted(table["lt_namespace"])
                others = table["lt_id"].to_numpy()[~is_wanted]
                self._target.put(others, np.full(len(others), _NOWHERE))
                wanted = table.filter(pa.array(is_wanted))
                self._name(
                    self._wiki.keys(self._full_titles(wanted, "lt")), _TARGET, wanted["lt_id"].to_numpy()
                )

    def _read_pages(self) -> None:
        lengths = ["page_len"] if "page_len" in self._heads["page"].columns else []
        for table in self._scan("page", *lengths):
            is_wanted = self._is_wanted(table["page_namespace"])
            self._leave_out("a page of another namespace", len(table) - is_wanted.sum())
            table = table.filter(pa.array(is_wanted))
            ids = table["page_id"].to_numpy()
            kinds = np.where(table["page_is_redirect"].to_numpy() != 0, _REDIRECT, _ARTICLE)
            self._kind_of.put(ids, kinds)
            keys = self._wiki.keys(self._full_titles(table, "page"))
            sizes = table["page_len"] if lengths else None
            self._name(keys, kinds.astype(np.uint8), ids, sizes)

    def _read_redirects(self) -> None:
        interwiki = ["rd_interwiki"] if "rd_interwiki" in self._heads["redirect"].columns else []
        for table in self._scan("redirect", *interwiki):
            is_known = self._kind_of.get(table["rd_from"].to_numpy()) == _REDIRECT
            self._leave_out("a redirect of no page that is a redirect", len(table) - is_known.sum())
            is_inside = self._is_wanted(table["rd_namespace"])
            if interwiki:
                is_inside &= pc.equal(pc.fill_null(table["rd_interwiki"], b""), b"").to_numpy()
            outside = table["rd_from"].to_numpy()[is_known & ~is_inside]
            self._forward.put(outside, np.full(len(outside), _NOWHERE))
            table = table.filter(pa.array(is_known & is_inside))
            keys = self._wiki.keys(self._full_titles(table, "rd"))
            self._name(keys, _FORWARD, table["rd_from"].to_numpy())

    def _scan_links(self, *columns: str) -> Iterator[pa.Table]:
        """Links from pages that are there."""
        for table in self._scan("pagelinks", *columns):
            is_known = self._kind_of.get(table["pl_from"].to_numpy()) >= 0
            self._leave_out("a link from a page that is not taken", len(table) - is_known.sum())
            yield table.filter(pa.array(is_known))

    def _read_titled_links(self) -> None:
        waiting: list[pa.Table] = []
        for table in self._scan_links("pl_namespace", "pl_title"):
            is_wanted = self._is_wanted(table["pl_namespace"])
            self._leave_out("a link to another namespace", len(table) - is_wanted.sum())
            waiting.append(table.filter(pa.array(is_wanted)))
            if sum(map(len, waiting)) >= _BLOCK:
                self._name_block(pa.concat_tables(waiting).combine_chunks())
                waiting = []
        if waiting:
            self._name_block(pa.concat_tables(waiting).combine_chunks())

    def _name_block(self, table: pa.Table) -> None:
        if not len(table):
            return
        titles = self._full_titles(table, "pl").dictionary_encode()
        places = (self._num_blocks << 32) + np.arange(len(titles.dictionary), dtype=np.int64)
        self._num_blocks += 1
        self._name(self._wiki.keys(titles.dictionary), _TARGET, places)
        self._linked.add(pa.table([table["pl_from"], titles.indices.cast(pa.uint32())], schema=_LINKED))

    # ---- joining them

    def join(self) -> None:
        """Number the keys, and find the pages of all links and redirects."""
        kinds = [np.empty(0, np.uint8)]
        start = 0
        with self._progress.task("sorting titles", unit="titles") as task:
            for table in _whole_groups(self._named):
                kinds.append(self._number(table, start))
                start += len(kinds[-1])
                task.advance(len(kinds[-1]))
        self._named.remove()
        self._kinds = np.concatenate(kinds)
        self._used = np.zeros(start, np.bool_)
        self.num_nodes = int((self._kinds == _ARTICLE).sum())
        self.num_redirects = int((self._kinds == _REDIRECT).sum())
        if not self.num_nodes:
            chosen = ", ".join(map(str, self._namespaces))
            raise FormatError(
                f"{self._files['page']}: no page of the namespaces {chosen} is there that is no redirect; "
                f"choose others with --namespaces"
            )
        hint = max(len(self._linked), self._files["pagelinks"].stat().st_size // 4)
        self._links = Pairs(self._scratch, "links", num_sources=start, size_hint=hint)
        single = Pairs(self._scratch, "single", num_sources=start, size_hint=self.num_redirects)
        for pages, targets in self._numbered_links():
            sources = self._page.get(pages)
            is_inside = (sources >= 0) & (targets >= 0)
            self._leave_out("a link to another namespace", len(pages) - is_inside.sum())
            pages, sources, targets = (column[is_inside] for column in (pages, sources, targets))
            is_article = self._kinds[sources] == _ARTICLE
            self._links.add(sources[is_article], targets[is_article])
            self._used[targets[is_article]] = True
            is_open = ~is_article & (self._forward.get(pages) < 0)
            single.add(sources[is_open], targets[is_open])
        self.num_targets = int(self._used.sum())
        self._follow(single)

    def _number(self, table: pa.Table, start: int) -> npt.NDArray[np.uint8]:
        """Give each key its number, from `start` on, and each place that of its key; what the keys are."""
        group = number_groups(table["row_key"])
        kind, place = table["kind"].to_numpy(), table["place"].to_numpy()
        numbers = group + start
        firsts = np.flatnonzero(np.diff(group, prepend=-1))
        found = np.zeros(len(firsts), np.uint8)
        rows = np.flatnonzero(np.isin(kind, _PAGE_KINDS))
        rows = rows[np.lexsort((place[rows], group[rows]))]
        is_first = np.diff(group[rows], prepend=-1) > 0
        for row in rows[~is_first].tolist():
            what = f"page {place[row]} has the title of another one: {table['row_key'][row].as_py()}"
            self.tally.damaged(str(self._files["page"]), 0, what)
        rows = rows[is_first]
        found[group[rows]] = kind[rows]
        self._page.put(place[rows], numbers[rows])
        for wanted, known in ((_FORWARD, self._forward), (_TARGET, self._target)):
            chosen = np.flatnonzero(kind == wanted)
            if wanted == _TARGET and self._has_titles:
                self._places.add(pa.table([place[chosen], numbers[chosen]], schema=_PLACES))
            else:
                known.put(place[chosen], numbers[chosen])
        page, size = np.full(len(firsts), -1), np.zeros(len(firsts), np.int64)
        page[group[rows]], size[group[rows]] = place[rows], pc.fill_null(table["size"], 0).to_numpy()[rows]
        keys = table["row_key"].take(pa.array(firsts))
        self._keys.add(pa.table([keys, page, size], schema=_KEYS), 1 << 16)
        return found

    def _numbered_links(self) -> Iterator[tuple[Numbers, Numbers]]:
        """The identifiers of pages, and the numbers of the titles that they link to, -1 for none."""
        if not self._has_titles:
            for table in self._scan_links("pl_target_id"):
                pages, targets = (table[name].to_numpy() for name in ("pl_from", "pl_target_id"))
                numbers = self._target.get(targets)
                is_known = numbers >= 0
                self._leave_out("a link whose target is not in linktarget", len(pages) - is_known.sum())
                yield pages[is_known], np.where(numbers == _NOWHERE, -1, numbers)[is_known]
            return
        waiting = Queue(self._places.tables(), _PLACES)
        with self._progress.task("joining links", total=len(self._linked), unit="links") as task:
            for block, table in enumerate(self._linked.tables()):
                numbers = waiting.take_until(((block + 1) << 32) - 1)["number"].to_numpy()
                yield table["page"].to_numpy(), numbers[table["title"].to_numpy()]
                task.advance(len(table))

    def _follow(self, single: Pairs) -> None:
        """Find what redirects lead to in the end."""
        # one more stands for none, and leads to itself
        none = len(self._kinds)
        leads = np.arange(none + 1, dtype=np.uint32)
        is_redirect = np.append(self._kinds == _REDIRECT, False)
        leads[is_redirect] = none
        if self._settings.redirects != ELIMINATE:
            for start, table in self._scan_keys("page"):
                rows = np.flatnonzero(is_redirect[start : start + len(table)])
                ends = self._forward.get(table["page"].to_numpy()[rows])
                is_known = (ends >= 0) & (ends != _NOWHERE)
                leads[start + rows[is_known]] = ends[is_known]
            for sources, ends in single:
                _, firsts, counts = np.unique(sources, return_index=True, return_counts=True)
                chosen = firsts[counts == 1]
                leads[sources[chosen]] = ends[chosen]
            follow_redirects(leads, is_redirect)
        is_node = np.append(self._kinds == _ARTICLE, False)
        self._leads = leads
        self.num_lost = int((is_redirect & ~is_node[leads]).sum())

    # ---- what becomes of it

    def _scan_keys(self, *columns: str) -> Iterator[tuple[int, pa.Table]]:
        start = 0
        for table in self._keys.tables(*columns):
            yield start, table
            start += len(table)

    def _chosen(self, is_chosen: npt.NDArray[np.bool_], *columns: str) -> Iterator[pa.Table]:
        for start, table in self._scan_keys(*columns):
            yield table.filter(pa.array(is_chosen[start : start + len(table)]))

    def pages(self) -> Iterator[pa.Table]:
        """The rows of ``pages.parquet``: what URLs say, and nothing of captures, for there are none."""
        for table in self._chosen(self._kinds == _ARTICLE):
            nothing = {name: pa.nulls(len(table), kind) for name, kind in _NOTHING.items()}
            columns = url_columns(pa.chunked_array([from_row_keys(table["row_key"].combine_chunks())]))
            yield pa.table({
                "row_key": table["row_key"],
                **{name: columns[name] for name in columns.column_names},
                **nothing,
                "wiki_page_id": table["page"],
                "wiki_page_bytes": table["size"],
            })  # fmt: skip

    def nodes(self) -> Iterator[pa.Table]:
        """The row keys of the nodes."""
        return (table.cast(NODES) for table in self._chosen(self._kinds == _ARTICLE, "row_key"))

    def others(self) -> Iterator[pa.Table]:
        """Redirects, and what they stand for."""
        is_node = np.append(self._kinds == _ARTICLE, False)
        numbers = np.cumsum(is_node, dtype=np.uint32) - np.uint32(1)
        reason = pa.array(["redirect"], pa.string())
        for start, table in self._scan_keys("row_key"):
            rows = np.flatnonzero(self._kinds[start : start + len(table)] == _REDIRECT)
            ends = self._leads[start + rows]
            why = pa.DictionaryArray.from_arrays(np.zeros(len(rows), np.int32), reason)
            nodes = pa.array(numbers[ends], mask=~is_node[ends])
            yield pa.table([table["row_key"].take(pa.array(rows)), nodes, why], schema=OTHERS)

    def targets(self) -> Iterator[pa.Table]:
        """The row keys that links lead to."""
        return (table.cast(TARGETS) for table in self._chosen(self._used, "row_key"))

    def links(self) -> Iterator[pa.Table]:
        """The links, by node and by target."""
        node = np.cumsum(self._kinds == _ARTICLE, dtype=np.uint32) - np.uint32(1)
        target = np.cumsum(self._used, dtype=np.uint32) - np.uint32(1)
        total = self._links.num_added
        with self._progress.task("sorting links", total=total, unit="links") as task:
            for sources, ends in self._links:
                kind, anchor = (
                    pa.repeat(pa.scalar(text, pa.string()), len(ends)) for text in (str(Kind.ANCHOR), "")
                )
                rel = np.zeros(len(ends), np.uint8)
                yield pa.table([node[sources], target[ends], kind, rel, anchor], schema=LINKS)
                task.advance(len(ends))


def _whole_groups(sorter: Sorter) -> Iterator[pa.Table]:
    """The tables of a sorter, cut so that all rows of a key are in one."""
    held = sorter.schema.empty_table()
    for table in chain(sorter.tables(), [None]):
        if table is None:
            if len(held):
                yield held
            return
        table = pa.concat_tables([held, table]).combine_chunks()
        group = number_groups(table["row_key"])
        first = int(np.searchsorted(group, group[-1]))
        held = table.slice(first)
        if first:
            yield table.slice(0, first).combine_chunks()
