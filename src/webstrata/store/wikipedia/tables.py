"""The graph of a wiki from its database tables: the parts `pages`, `urls` and `links`, and no text.

==============  ============================================================================================
``page``        ``page_id page_namespace page_title page_is_redirect``, and ``page_len`` where it is there
``pagelinks``   ``pl_from`` and either ``pl_namespace pl_title`` or, of MediaWiki from 1.43 on,
                ``pl_target_id``
``linktarget``  ``lt_id lt_namespace lt_title``: what ``pl_target_id`` stands for
``redirect``    ``rd_from rd_namespace rd_title``, and ``rd_interwiki``; optional
==============  ============================================================================================

Nodes are the pages of the namespaces that are wanted and that are no redirects; links are those between these
namespaces, once each, also to pages that do not exist. A redirect stands for the page at the end of its
chain, or with ``eliminate`` for none: WIKI "eliminates all redirects (nodes with one outgoing link)". Where
the table ``redirect`` has no row for a redirect, or is not there, it is such a node: it forwards to the page
that it links to, if that is just one. `webstrata.store.wikipedia.joining` says how it is done.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import make_directory, remove_tree, rename
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows, Table
from webstrata.errors import FormatError
from webstrata.store.links import write_links
from webstrata.store.pages import write_pages
from webstrata.store.parquet.sorting import frugal
from webstrata.store.selection import OTHERS
from webstrata.store.urls import write_url_tables
from webstrata.store.wikipedia.joining import COLUMNS, Join
from webstrata.store.wikipedia.sql import Head, read_head

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from webstrata.archive.tally import Damage
    from webstrata.collection import Snapshot
    from webstrata.store.wikipedia.settings import WikipediaSettings
    from webstrata.store.wikipedia.titles import Wiki

PARTS = ("pages", "urls", "links")
"""What is made of tables, in this order."""
LACKS = (
    "the tables of a wiki, of which this snapshot was made, have links and no text: ingest "
    "pages-articles.xml.bz2 of the same dump for that"
)
_LACKING = ("warc", "captures", "text", "anchors", "signatures", "summaries")


@dataclass(frozen=True, kw_only=True, repr=False)
class TablesResult(FactsTable):
    """What came of it."""

    files: int
    rows: int
    """Of all tables."""
    pages: int
    """Nodes of the snapshot now."""
    redirects: int
    """Pages that forward to others, and are no nodes."""
    lost_redirects: int
    """Those of them that lead to no node."""
    links: int
    """Each once, also those to pages that do not exist."""
    targets: int
    left_out: dict[str, int]
    """Rows that are sound and not wanted, by reason."""
    damaged: int
    damage: list[Damage]
    seconds: float

    shown = 0  # of all numbers

    @property
    def summary(self) -> str:
        """How much was read in what time, in a sentence."""
        rate = self.rows / max(self.seconds, 1e-9)
        return (
            f"{tell_count(self.rows, 'row')} of {tell_count(self.files, 'table')} in {self.seconds:.1f} s, "
            f"{rate:,.0f} rows/s; the snapshot has {tell_count(self.pages, 'page')} and "
            f"{tell_count(self.links, 'link')}, and no text."
        )

    def tables(self) -> dict[str, Table]:
        """Redirects, what was left out, and damage; all numbers for programs."""
        counts = {
            "redirects that lead to no page": self.lost_redirects,
            **{f"left out: {reason}": number for reason, number in self.left_out.items()},
            "damaged places": self.damaged,
        }
        rows = [{"what": "redirects", "number": self.redirects}]
        rows += [{"what": what, "number": number} for what, number in counts.items() if number]
        return {"Tables": Rows("tables", rows), "All numbers": self}

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self) | {"damage": [damage._asdict() for damage in self.damage]}


def read_heads(files: Mapping[str, Path]) -> dict[str, Head]:
    r"""What the files of tables say of themselves, by the names of the tables, if together they will do.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> for table, columns in (
    ...     ("page", "page_id page_namespace page_title page_is_redirect"),
    ...     ("pagelinks", "pl_from pl_namespace pl_title"),
    ... ):
    ...     text = ",\n".join(f"  `{name}` int" for name in columns.split())
    ...     _ = (folder / f"{table}.sql").write_text(f"CREATE TABLE `{table}` (\n{text}\n);\n")
    >>> heads = read_heads({name: folder / f"{name}.sql" for name in ("page", "pagelinks")})
    >>> heads["pagelinks"].columns
    ('pl_from', 'pl_namespace', 'pl_title')
    """
    heads = {name: read_head(path) for name, path in files.items()}
    for name, head in heads.items():
        needed = set(COLUMNS.get(name, {}))
        if name == "pagelinks":
            needed |= {"pl_title", "pl_namespace"} if "pl_target_id" not in head.columns else set()
        missing = [column for column in (*COLUMNS[name], "pl_title", "pl_namespace") if column in needed]
        missing = [column for column in missing if column not in head.columns]
        if missing:
            raise FormatError(
                f"{files[name]}: the table {head.table} has no column {', '.join(missing)} (it has "
                f"{', '.join(head.columns) or 'none'}); this is not a table of a MediaWiki that is known"
            )
    return heads


def ingest_tables(
    snapshot: Snapshot,
    files: Mapping[str, Path],
    wiki: Wiki,
    settings: WikipediaSettings,
    *,
    renew: str = "",
    progress: Progress | None = None,
) -> TablesResult:
    r"""Make the pages and links of a wiki those of a snapshot; parts that need its text are removed.

    Parameters
    ----------
    snapshot
        Where they go.
    files
        By the names of the tables: ``page``, ``pagelinks``, and ``linktarget`` and ``redirect`` if need be.
    wiki
        What its pages are called.
    settings
        Which pages are taken, and what becomes of redirects.
    renew
        The command that does it again, kept in the manifest.
    progress
        Where progress is shown.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.store.wikipedia.settings import WikipediaSettings
    >>> from webstrata.store.wikipedia.titles import Wiki
    >>> folder = testing.scratch()
    >>> for table, columns, rows in (
    ...     ("page", "page_id page_namespace page_title page_is_redirect", "(1,0,'Fish',0),(2,0,'Fishes',1)"),
    ...     ("pagelinks", "pl_from pl_namespace pl_title", "(1,0,'Fishes'),(2,0,'Fish')"),
    ... ):
    ...     named = ",\n".join(f"  `{name}` int" for name in columns.split())
    ...     text = f"CREATE TABLE `{table}` (\n{named}\n);\nINSERT INTO `{table}` VALUES {rows};\n"
    ...     _ = (folder / f"{table}.sql").write_text(text)
    >>> files = {name: folder / f"{name}.sql" for name in ("page", "pagelinks")}
    >>> snapshot = ws.create(folder / "wiki").add("2009-08")
    >>> result = ingest_tables(snapshot, files, Wiki("https://en.wikipedia.org/wiki/"), WikipediaSettings())
    >>> result.pages, result.redirects, result.lost_redirects
    (1, 1, 0)
    """
    wiki.check(settings.namespaces)
    heads = read_heads(files)

    def make(scratch: Path, told: Progress) -> Join:
        return Join(scratch, files, heads, wiki, settings, told)

    return write_tables(
        snapshot, make, settings, num_files=len(files), lacks=LACKS, renew=renew, progress=progress
    )


def write_tables(
    snapshot: Snapshot,
    make: Callable[[Path, Progress], Join],
    settings: WikipediaSettings,
    *,
    num_files: int,
    lacks: str,
    renew: str = "",
    progress: Progress | None = None,
) -> TablesResult:
    """Write the parts of a snapshot from a join; `lacks` is said where a part that needs text is missing.

    `make` gets a folder for what it writes on its way, and where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.wikipedia.link_graphs import LinkGraphJoin
    >>> from webstrata.store.wikipedia.settings import WikipediaSettings
    >>> from webstrata.store.wikipedia.titles import Wiki
    >>> path = testing.scratch() / "links.csv"
    >>> rows = ("page_id_from page_title_from page_id_to page_title_to", "1 Fish 2 Sea")
    >>> _ = path.write_text(chr(10).join(row.replace(" ", chr(9)) for row in rows))
    >>> wiki, settings = Wiki("https://en.wikipedia.org/wiki/"), WikipediaSettings()
    >>> def make(scratch, told):
    ...     return LinkGraphJoin(scratch, path, wiki, settings, told)
    >>> snapshot = testing.empty().add("2009-08")
    >>> write_tables(snapshot, make, settings, num_files=1, lacks="there is no text").links
    1
    """
    progress = progress or Progress()
    started = time.monotonic()
    scratch = snapshot.working_folder("ingest")
    with snapshot.parts.writing(progress), frugal():
        remove_tree(scratch)  # of one that was killed
        make_directory(scratch)
        try:
            work = make(scratch, progress)
            work.read()
            work.join()
            ready = {name: make_directory(scratch / f"part-{name}") for name in PARTS}
            write_pages(ready["pages"] / "pages.parquet", work.pages(), crawl=snapshot.date)
            write_url_tables(ready["urls"], work.nodes(), work.others(), OTHERS)
            num_links = write_links(ready["links"], work.targets(), work.links())
            # from here on it is a matter of names and checksums
            for name in ("links", *_LACKING):  # those that are of other pages
                if name in snapshot.parts:
                    snapshot.parts.remove(name)
            counts = {
                "pages": {"nodes": work.num_nodes, "noindex": 0},
                "urls": {"nodes": work.num_nodes, "others": work.num_redirects},
                "links": {"links": num_links, "targets": work.num_targets},
            }
            for name in PARTS:
                with snapshot.write_part(
                    name,
                    settings=settings if name == "pages" else None,
                    inputs=() if name == "pages" else ("pages",),
                    renew=renew,
                    progress=progress,
                ) as build:
                    for path in sorted(ready[name].iterdir()):
                        rename(path, build.path / path.name)
                    build.count(**counts[name])
                    build.lacks |= dict.fromkeys(_LACKING, lacks) if name == "pages" else {}
        finally:
            remove_tree(scratch)
    return TablesResult(
        files=num_files,
        rows=work.tally.records,
        pages=work.num_nodes,
        redirects=work.num_redirects,
        lost_redirects=work.num_lost,
        links=num_links,
        targets=work.num_targets,
        left_out=dict(work.tally.left_out.most_common()),
        damaged=work.tally.num_damaged,
        damage=work.tally.damage,
        seconds=time.monotonic() - started,
    )
