"""Archives of all formats, told by what they hold: WARC, ARC, TREC Web, WACZ, sitemaps, folders of HTML.

A reader gives the records of a file as WARC would have them (`webstrata.archive.warc.Record`), and tells a
`Tally` what it could not read. Names do not matter, except for a file whose beginning is damaged.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from webstrata.archive.arc import is_arc, read_arc
from webstrata.archive.git_tree import read_git
from webstrata.archive.gzip_members import ZSTD, iter_members
from webstrata.archive.html_folder import is_html, read_tree
from webstrata.archive.old_warc import is_old_warc, read_old_warc
from webstrata.archive.sitemaps import is_sitemap, read_sitemap
from webstrata.archive.tally import Tally
from webstrata.archive.trec import is_trec, read_trec
from webstrata.archive.wacz import read_wacz
from webstrata.archive.warc import Record, read_records
from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError
from webstrata.store.wikipedia.export import is_export, read_export

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from webstrata.archive.git_tree import GitState
    from webstrata.store.wikipedia.settings import WikipediaSettings


class Source(NamedTuple):
    """A file, or a folder of pages, and what is known of it beforehand."""

    path: Path
    base_url: str = ""
    scratch: Path | None = None
    folders: tuple[Path, ...] = ()
    """Where else a sitemap looks for its files."""
    start: int = 0
    """Where reading begins, for WARC."""
    wiki: WikipediaSettings | None = None
    """What is taken of the export of a wiki; what is taken by default where not given."""
    workers: int = 1
    """Processes that may help to read it."""
    git: GitState | None = None
    """The commit whose files are read, where the path is that of a git repository."""


class Reader(NamedTuple):
    """How a format is told, and read."""

    matches: Callable[[bytes], bool]
    """Whether an unpacked file that begins so is of this format."""
    read: Callable[[Source, Tally], Iterator[Record]]
    ending: str
    """What its names have in them."""


def _read_warc(source: Source, tally: Tally) -> Iterator[Record]:
    name = str(source.path)
    return read_records(source.path, start=source.start, report=lambda problem: tally.report(name, problem))


READERS: dict[str, Reader] = {
    "WARC 0.9": Reader(is_old_warc, lambda source, tally: read_old_warc(source.path, tally), ".warc-0.9"),
    "WARC": Reader(
        lambda start: start.lstrip()[:5].upper() == b"WARC/" or start.startswith(ZSTD), _read_warc, ".warc"
    ),
    "ARC": Reader(is_arc, lambda source, tally: read_arc(source.path, tally), ".arc"),
    "TREC": Reader(is_trec, lambda source, tally: read_trec(source.path, tally), ".trec"),
    "WACZ": Reader(
        lambda start: start.startswith((b"PK\x03\x04", b"PK\x05\x06")),
        lambda source, tally: read_wacz(source.path, tally, scratch=source.scratch),
        ".wacz",
    ),
    "sitemap": Reader(
        is_sitemap,
        lambda source, tally: read_sitemap(
            source.path, tally, base_url=source.base_url, folders=source.folders
        ),
        "sitemap.xml",
    ),
    "MediaWiki export": Reader(
        is_export,
        lambda source, tally: read_export(
            source.path, tally, base_url=source.base_url, settings=source.wiki, workers=source.workers
        ),
        "pages-articles",
    ),
    "HTML": Reader(
        is_html, lambda source, tally: read_tree(source.path, tally, base_url=source.base_url), ".htm"
    ),
}
"""The formats by their names; one more is one more line."""


def find_format(path: Path) -> str:
    r"""The name of the format of a file or folder, or `FormatError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "a").write_bytes(b"WARC/1.0\r\n"), (folder / "b").write_bytes(b"<DOC>\n<DOCNO>")
    >>> find_format(folder / "a"), find_format(folder / "b"), find_format(folder)
    ('WARC', 'TREC', 'HTML')
    """
    if path.is_dir():
        return "HTML"
    if not path.exists():
        raise MissingError(f"{path}: this is not there; name a file of pages, or a folder of them")
    start = _peek(path)
    for name, reader in READERS.items():
        if reader.matches(start):
            return name
    for name, reader in READERS.items():
        if reader.ending in (path.suffix.lower() if name == "HTML" else path.name.lower()):
            return name
    raise FormatError(
        f"{path}: this is none of {', '.join(READERS)}; name files of these formats, packed or not, or "
        f"folders of HTML files"
    )


def read_archive(source: Source, tally: Tally) -> Iterator[Record]:
    """The records of a file or folder of any format that is known; `tally` counts them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> folder = testing.scratch()
    >>> with WarcWriter(folder, "a") as writer:
    ...     _ = writer.write(Capture(url="http://a.uk/", date=0, head=b"HTTP/1.1 200 OK", body=b"Hi"))
    >>> tally = Tally()
    >>> [record.kind for record in read_archive(Source(folder / "a-00000.warc.gz"), tally)]
    ['warcinfo', 'response']
    >>> tally.records
    2
    """
    before = tally.records, tally.num_damaged
    if source.git is not None:
        name, records = "git", read_git(source.path, source.git, tally, base_url=source.base_url)
    else:
        name = find_format(source.path)
        records = READERS[name].read(source, tally)
    for record in records:
        tally.records += 1
        yield record
    if before == (tally.records, tally.num_damaged) and not source.start and _has_bytes(source.path):
        tally.damaged(str(source.path), 0, f"nothing in it is a record of {name}")


def _has_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _peek(path: Path) -> bytes:
    """How a file begins, unpacked if it can be."""
    with explained(path, "read"), path.open("rb") as stream:
        raw = stream.read(1024)
    with closing(iter_members(path, Tally())) as members:
        return next((member.stream.read(1024) for member in members), b"") or raw
