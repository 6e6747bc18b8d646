"""A dump of a wiki becomes a snapshot: of its text an ordinary one, of its tables one that is links alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import ExistsError, UsageError
from webstrata.store.ingest.readers import Source
from webstrata.store.ingest.run import IngestResult, ingest_sources
from webstrata.store.wikipedia.dump import check_tables, find_dump, find_wiki
from webstrata.store.wikipedia.export import read_siteinfo
from webstrata.store.wikipedia.settings import TABLES, WikipediaSettings
from webstrata.store.wikipedia.tables import PARTS, TablesResult, ingest_tables

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.store.wikipedia.dump import Dump


def check_dump(path: Path, *, base_url: str = "", settings: WikipediaSettings | None = None) -> Dump:
    r"""The dump in a folder, checked as far as possible without reading all of it.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> for table, columns in (
    ...     ("page", "page_id page_namespace page_title page_is_redirect"),
    ...     ("pagelinks", "pl_from pl_namespace pl_title"),
    ... ):
    ...     text = ",\n".join(f"  `{name}` int" for name in columns.split())
    ...     path = folder / f"simplewiki-20090810-{table}.sql"
    ...     _ = path.write_text(f"CREATE TABLE `{table}` (\n{text}\n);\n")
    >>> check_dump(folder).database
    'simplewiki'
    >>> check_dump(testing.scratch())
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...: there is no page.sql.gz and no pagelinks.sql.gz, and no
    pages-articles.xml.bz2 here; fetch what is missing from where the dump is
    """
    settings = settings or WikipediaSettings()
    dump = find_dump(path, settings)
    if dump.kind == TABLES:
        check_tables(dump)
        find_wiki(dump, base_url).check(settings.namespaces)
    else:
        for text in dump.texts:
            read_siteinfo(text, base_url=base_url).wiki.check(settings.namespaces)
    return dump


def ingest_dump(
    snapshot: Snapshot,
    path: Path,
    *,
    base_url: str = "",
    settings: WikipediaSettings | None = None,
    mode: Literal["new", "again", "add"] = "new",
    renew: str = "",
    progress: Progress | None = None,
) -> IngestResult | TablesResult:
    r"""Make the pages and links of a dump those of a snapshot.

    Parameters
    ----------
    snapshot
        Where they go.
    path
        The folder of the dump, or a file of its text.
    base_url
        What the URLs of pages begin with, where the dump does not say.
    settings
        Which pages are taken, and what becomes of redirects; as the files say where not given.
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
    >>> for table, columns, rows in (
    ...     ("page", "id namespace title is_redirect", "(1,0,'Fish',0),(2,0,'Sea',0)"),
    ...     ("pagelinks", "from namespace title", "(1,0,'Sea'),(2,0,'Fish')"),
    ... ):
    ...     prefix = "pl" if table == "pagelinks" else table
    ...     named = ",\n".join(f"  `{prefix}_{name}` int" for name in columns.split())
    ...     text = f"CREATE TABLE `{table}` (\n{named}\n);\nINSERT INTO `{table}` VALUES {rows};\n"
    ...     _ = (folder / f"simplewiki-20090810-{table}.sql").write_text(text)
    >>> snapshot = ws.create(folder / "wiki").add("2009-08")
    >>> result = ingest_dump(snapshot, folder)
    >>> result.pages, result.links, snapshot.urls[0]
    (2, 2, 'https://simple.wikipedia.org/wiki/Fish')
    """
    settings = settings or snapshot.settings(WikipediaSettings)
    dump = check_dump(path, base_url=base_url, settings=settings)
    if mode == "add":
        raise UsageError("a dump is a whole wiki, and not added to another one; choose a snapshot of its own")
    # captures of a text that was broken off behind its pages are no obstacle, as the store knows
    own = "warc" in snapshot.parts and dump.kind != TABLES
    if mode == "new" and not own and {"warc", PARTS[-1]} & {record.name for record in snapshot.parts}:
        raise ExistsError(
            f"{snapshot.path}: this snapshot has pages already; choose another one, or replace them with "
            f"--again"
        )
    if dump.kind == TABLES:
        wiki = find_wiki(dump, base_url)
        return ingest_tables(snapshot, dump.tables, wiki, settings, renew=renew, progress=progress)
    workers = snapshot.settings(ResourcesSettings).num_workers
    sources = [Source(text, base_url, wiki=settings, workers=workers) for text in dump.texts]
    return ingest_sources(snapshot, sources, mode=mode, renew=renew, progress=progress)
