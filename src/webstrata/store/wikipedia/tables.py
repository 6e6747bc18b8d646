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
from webstrata.errors import FormatError
from webstrata.store.links import write_links
from webstrata.store.pages import write_pages
from webstrata.store.selection import OTHERS
from webstrata.store.sorting import frugal
from webstrata.store.urls import write_url_tables
from webstrata.store.wikipedia.joining import COLUMNS, Join
from webstrata.store.wikipedia.sql import Head, read_head

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from webstrata.collection import Snapshot
    from webstrata.store.tally import Damage
    from webstrata.store.wikipedia.settings import WikipediaSettings
    from webstrata.store.wikipedia.titles import Wiki

PARTS = ("pages", "urls", "links")
"""What is made of tables, in this order."""
LACKS = (
    "the tables of a wiki, of which this snapshot was made, have links and no text: ingest "
    "pages-articles.xml.bz2 of the same dump for that"
)
_LACKING = ("warc", "index", "text", "anchors", "signatures", "summaries")


@dataclass(frozen=True, kw_only=True)
class TablesResult:
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

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self) | {"damage": [damage._asdict() for damage in self.damage]}


def read_heads(files: Mapping[str, Path]) -> dict[str, Head]:
    r"""What the files of tables say of themselves, by the names of the tables, if together they will do.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "page.sql"
    >>> _ = path.write_text("CREATE TABLE `page` (\n  `page_id` int(8)\n) ENGINE=InnoDB;\n")
    >>> read_heads({"page": path, "pagelinks": path})
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...page.sql: the table page has no column page_namespace, page_title,
    page_is_redirect (it has page_id); this is no table of a MediaWiki that is known
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
                f"{', '.join(head.columns) or 'none'}); this is no table of a MediaWiki that is known"
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
        The command that does it again, for `webstrata show`.
    progress
        Where progress is shown.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.store.wikipedia.settings import WikipediaSettings
    >>> from webstrata.store.wikipedia.titles import Wiki
    >>> folder = getfixture("tmp_path")
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
    progress = progress or Progress()
    started = time.monotonic()
    wiki.check(settings.namespaces)
    heads = read_heads(files)
    scratch = snapshot.working_folder("ingest")
    with snapshot.parts.writing(progress), frugal():
        remove_tree(scratch)  # of one that was killed
        make_directory(scratch)
        try:
            work = Join(scratch, files, heads, wiki, settings, progress)
            work.read()
            work.join()
            ready = {name: make_directory(scratch / f"part-{name}") for name in PARTS}
            write_pages(ready["pages"] / "pages.parquet", work.pages(), crawl=snapshot.label)
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
                with snapshot.build(
                    name,
                    settings=settings if name == "pages" else None,
                    inputs=() if name == "pages" else ("pages",),
                    renew=renew,
                    progress=progress,
                ) as build:
                    for path in sorted(ready[name].iterdir()):
                        rename(path, build.path / path.name)
                    build.count(**counts[name])
                    build.lacks |= dict.fromkeys(_LACKING, LACKS) if name == "pages" else {}
        finally:
            remove_tree(scratch)
    return TablesResult(
        files=len(files),
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
