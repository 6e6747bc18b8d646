r"""The link networks of WikiLinkGraphs: yearly graphs of the articles of nine Wikipedias, 2001 to 2018.

Consonni, Laniado and Montresor, "WikiLinkGraphs: A Complete, Longitudinal and Multi-Language Dataset of the
Wikipedia Link Networks" (ICWSM 2019, doi:10.1609/icwsm.v13i01.3257; data: doi:10.5281/zenodo.2539424). A file
``enwiki.wikilink_graph.2018-03-01.csv.gz`` has a header and one line per link:

==================  ========================================================================================
``page_id_from``    the number of the page in its wiki
``page_title_from``  its title, with blanks
``page_id_to``      the page that it links to, redirects resolved
``page_title_to``   its title
==================  ========================================================================================

Columns are separated by tabs; a title with a quotation mark, a tab or a line feed in it is quoted, and its
quotation marks are doubled (``csv.writer`` of Python with the delimiter ``\t`` wrote them). Links are those
of the wikitext, none of templates, each once. Pages are those that some link has at either end: an article
with neither is in no file. `webstrata.store.wikipedia.joining` does the rest, as for the tables of a dump.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from webstrata.errors import ExistsError, FormatError, MissingError, UsageError
from webstrata.store.parquet.sorting import Spool
from webstrata.store.wikipedia.joining import Join
from webstrata.store.wikipedia.numbers import MAX_ID
from webstrata.store.wikipedia.packed import scan_blocks
from webstrata.store.wikipedia.settings import WikipediaSettings
from webstrata.store.wikipedia.sql import Head
from webstrata.store.wikipedia.tables import PARTS, TablesResult, write_tables
from webstrata.store.wikipedia.titles import Wiki, find_base
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Literal

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

COLUMNS = ("page_id_from", "page_title_from", "page_id_to", "page_title_to")
LACKS = (
    "the link graph of a wiki, of which this snapshot was made, has links and no text: ingest "
    "pages-articles.xml.bz2 of the same time for that"
)
_NAME = re.compile(r"(?P<wiki>[a-z0-9_]+?)\.?wikilink_graph[.\w-]*\.csv(?:\.gz|\.bz2)?")
_PAIRS = pa.schema([("from", pa.int64()), ("to", pa.int64())])
_BLOCK = 16 << 20
"""Bytes of lines that are read at a time."""


class _Stream(io.RawIOBase):
    """Unpacked bytes as a file that Arrow reads."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        super().__init__()
        self._blocks, self._left = blocks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: object) -> int:
        view = memoryview(target)  # type: ignore[arg-type]
        while not self._left:
            if (block := next(self._blocks, None)) is None:
                return 0
            self._left = block
        count = min(len(view), len(self._left))
        view[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def check_links(path: Path, base_url: str = "") -> Wiki:
    r"""The wiki of a file of links, if its header is as expected.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "enwiki.wikilink_graph.2018-03-01.csv"
    >>> _ = path.write_text("page_id_from\tpage_title_from\tpage_id_to\tpage_title_to\n")
    >>> check_links(path).base
    'https://en.wikipedia.org/wiki/'
    >>> _ = path.write_text("page_id_from\tpage_id_to\n")
    >>> check_links(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...csv: the header is 'page_id_from page_id_to', and page_id_from
    page_title_from page_id_to page_title_to was expected; fetch the file of WikiLinkGraphs with titles
    """
    if not path.is_file():
        raise MissingError(f"{path}: no such file; name a file of WikiLinkGraphs")
    first = next(scan_blocks(path, size=1 << 12), b"").partition(b"\n")[0].decode("utf-8", "replace")
    if tuple(first.rstrip("\r").split("\t")) != COLUMNS:
        shown = " ".join(first.split())[:80]
        raise FormatError(
            f"{path}: the header is {shown!r}, and {' '.join(COLUMNS)} was expected; fetch the file of "
            f"WikiLinkGraphs with titles"
        )
    match = _NAME.fullmatch(path.name)
    base = normalize(base_url) if base_url else find_base(match["wiki"]) if match else None
    if base is None:
        raise UsageError(
            f"{path}: its name does not begin with the name of a wiki, as "
            f"enwiki.wikilink_graph.2018-03-01.csv.gz does; say what the URLs of pages begin with, as "
            f"--base-url https://en.wikipedia.org/wiki/"
        )
    return Wiki(base if base.endswith("/") else f"{base}/")


def scan_links(
    path: Path, *, block: int = _BLOCK, advance: Callable[[int], object] | None = None
) -> Iterator[pa.Table]:
    r"""The links of a file: two columns of numbers, and two of titles as bytes.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "links.csv"
    >>> header = "page_id_from\tpage_title_from\tpage_id_to\tpage_title_to"
    >>> _ = path.write_text(header + '\n1\tFish\t2\t"The ""Heroes"" album"\n')
    >>> [table["page_title_to"].to_pylist() for table in scan_links(path)]
    [[b'The "Heroes" album']]
    >>> _ = path.write_text(header + "\n1\tFish\t2\n")
    >>> list(scan_links(path))
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...links.csv: this is not a file of links (CSV parse error: Row #2:
    Expected 4 columns, got 3: 1 Fish 2); fetch it again
    """
    types = {name: pa.int64() if "_id_" in name else pa.binary() for name in COLUMNS}
    stream = io.BufferedReader(_Stream(scan_blocks(path, advance=advance)))
    try:
        yield from map(
            _to_table,
            csv.open_csv(
                stream,
                read_options=csv.ReadOptions(block_size=block, use_threads=False),
                parse_options=csv.ParseOptions(delimiter="\t"),
                convert_options=csv.ConvertOptions(
                    column_types=types, null_values=[], strings_can_be_null=False, check_utf8=False
                ),
            ),
        )
    except pa.ArrowInvalid as error:
        said = " ".join(str(error).split())
        raise FormatError(f"{path}: this is not a file of links ({said}); fetch it again") from None


def _to_table(batch: pa.RecordBatch) -> pa.Table:
    return pa.Table.from_batches([batch])


class LinkGraphJoin(Join):
    """Pages and links of such a file, joined as those of a dump."""

    def __init__(
        self, scratch: Path, path: Path, wiki: Wiki, settings: WikipediaSettings, progress: Progress
    ) -> None:
        columns = ("page_id", "page_namespace", "page_title", "page_is_redirect")
        heads = {
            "page": Head("page", columns, ""),
            "pagelinks": Head("pagelinks", ("pl_from", "pl_target_id"), ""),
        }
        super().__init__(scratch, {"page": path, "pagelinks": path}, heads, wiki, settings, progress)
        self._path = path
        self._pairs = Spool(scratch / "pairs", _PAIRS)

    def read(self) -> None:
        """Write every title with its number, and keep the links by their numbers."""
        self._read_pages()

    def _scan(self, _name: str, *_more: str) -> Iterator[pa.Table]:
        """Pages that were not seen before, block by block; the links of the block go to the spool."""
        total = self._path.stat().st_size
        with self._progress.task(f"reading {self._path.name}", total=total, unit="bytes") as task:
            for table in scan_links(self._path, advance=task.advance):
                self.tally.records += len(table)
                sources, targets = (table[name].to_numpy() for name in ("page_id_from", "page_id_to"))
                self._check_numbers(sources, targets)
                self._pairs.add(pa.table([sources, targets], schema=_PAIRS))
                ids, firsts = np.unique(np.concatenate([sources, targets]), return_index=True)
                is_new = self._kind_of.get(ids) < 0
                titles = pa.concat_arrays([
                    table[name].combine_chunks() for name in ("page_title_from", "page_title_to")
                ]).take(pa.array(firsts[is_new]))  # fmt: skip
                named = pc.replace_substring(titles, b" ", b"_")
                zeros = np.zeros(len(named), np.int64)
                yield pa.table({
                    "page_id": ids[is_new], "page_namespace": zeros, "page_title": named,
                    "page_is_redirect": zeros,
                })  # fmt: skip

    def _check_numbers(self, *columns: npt.NDArray[np.int64]) -> None:
        for numbers in columns:
            wrong = numbers[(numbers < 0) | (numbers >= MAX_ID)]
            if len(wrong):
                raise FormatError(
                    f"{self._path}: {wrong[0]} is not the number of a page; fetch the file again"
                )

    def _numbered_links(self) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        with self._progress.task("joining links", total=len(self._pairs), unit="links") as task:
            for table in self._pairs.tables():
                yield table["from"].to_numpy(), self._page.get(table["to"].to_numpy())
                task.advance(len(table))


def ingest_links(
    snapshot: Snapshot,
    path: Path,
    *,
    base_url: str = "",
    mode: Literal["new", "again", "add"] = "new",
    renew: str = "",
    progress: Progress | None = None,
) -> TablesResult:
    r"""Make the pages and links of a file of WikiLinkGraphs those of a snapshot.

    Parameters
    ----------
    snapshot
        Where they go.
    path
        The file, packed or not.
    base_url
        What the URLs of pages begin with, where the name of the file does not say.
    mode
        ``new`` refuses a snapshot that has pages, ``again`` replaces them.
    renew
        The command that does it again, kept in the manifest.
    progress
        Where progress is shown.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> path = folder / "simplewiki.wikilink_graph.2009-03-01.csv"
    >>> header = "page_id_from\tpage_title_from\tpage_id_to\tpage_title_to\n"
    >>> _ = path.write_text(header + "1\tFish\t2\tSea bass\n2\tSea bass\t1\tFish\n")
    >>> snapshot = ws.create(folder / "wiki").add("2009-03")
    >>> result = ingest_links(snapshot, path)
    >>> result.pages, result.links, snapshot.urls[1]
    (2, 2, 'https://simple.wikipedia.org/wiki/Sea_bass')
    """
    wiki = check_links(path, base_url)
    if mode == "add":
        raise UsageError("a link graph is a whole wiki, and not added to another; choose a new snapshot")
    if mode == "new" and {"warc", PARTS[-1]} & {record.name for record in snapshot.parts}:
        raise ExistsError(
            f"{snapshot.path}: this snapshot has pages already; choose another one, or replace them with "
            f"--again"
        )
    settings = WikipediaSettings()

    def make(scratch: Path, told: Progress) -> Join:
        return LinkGraphJoin(scratch, path, wiki, settings, told)

    return write_tables(snapshot, make, settings, num_files=1, lacks=LACKS, renew=renew, progress=progress)
