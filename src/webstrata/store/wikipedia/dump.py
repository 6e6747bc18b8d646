"""Which files of a folder are a dump of a wiki, what wiki it is, and what is made of it.

Wikimedia names files by database, date and content: ``enwiki-20090810-pagelinks.sql.gz``,
``enwiki-20230101-pages-articles1.xml-p1p41242.bz2``. A folder has one dump: where its files are of several
wikis or days it is refused. Names without database and date are understood too; then ``--base-url`` says what
the URLs of pages begin with, unless the files themselves do.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.wikipedia.packed import scan_blocks
from webstrata.store.wikipedia.settings import TABLES, TEXT, WikipediaSettings
from webstrata.store.wikipedia.tables import read_heads
from webstrata.store.wikipedia.titles import NAMESPACES, Wiki, find_base
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(
    r"(?:(?P<wiki>[a-z0-9_]+)-(?P<date>\d{8}|latest)-)?"
    r"(?:(?P<table>page|pagelinks|linktarget|redirect)\.sql"
    r"|(?P<text>pages-articles(?:-multistream)?|pages-meta-current|pages-meta-history)"
    r"(?P<part>\d*)\.xml(?P<range>-p\d+p\d+)?"
    r"|(?P<names>siteinfo-namespaces)\.json)(?:\.gz|\.bz2)?"
)
_TEXTS = ("pages-articles", "pages-articles-multistream", "pages-meta-current", "pages-meta-history")
"""Those that hold the same, the first found is read."""


@dataclass(frozen=True)
class Dump:
    """The files of a dump that are to be read."""

    folder: Path
    kind: str
    """``text`` or ``tables``."""
    database: str
    """The name of the wiki, as ``enwiki``, where the names of files tell it."""
    tables: dict[str, Path]
    texts: list[Path]
    names: Path | None
    """What namespaces are called."""


def find_dump(folder: Path, settings: WikipediaSettings | None = None) -> Dump:
    """The dump in a folder, or the one that a single file of text is.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> for name in ("enwiki-20090810-page.sql.gz", "enwiki-20090810-pagelinks.sql.gz", "md5sums.txt"):
    ...     _ = (folder / name).write_bytes(b"")
    >>> dump = find_dump(folder)
    >>> dump.kind, dump.database, sorted(dump.tables)
    ('tables', 'enwiki', ['page', 'pagelinks'])
    >>> _ = (folder / "dewiki-20090810-redirect.sql.gz").write_bytes(b"")
    >>> find_dump(folder)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...: there are files of several dumps (dewiki 20090810, enwiki 20090810);
    give each a folder of its own
    """
    settings = settings or WikipediaSettings()
    if not folder.exists():
        raise MissingError(f"{folder}: this is not there; name the folder of a dump")
    with explained(folder, "list"):
        paths = sorted(folder.iterdir()) if folder.is_dir() else [folder]
    found = [(path, match) for path in paths if (match := _NAME.fullmatch(path.name))]
    if not folder.is_dir() and not found:
        return Dump(folder, TEXT, "", {}, [folder], None)
    dumps = sorted({f"{match['wiki']} {match['date']}" for _, match in found if match["wiki"]})
    if len(dumps) > 1:
        raise FormatError(
            f"{folder}: there are files of several dumps ({', '.join(dumps)}); give each a folder of its own"
        )
    tables: dict[str, Path] = {}
    for path, match in found:
        if match["table"]:
            if match["table"] in tables:
                raise FormatError(
                    f"{folder}: both {tables[match['table']].name} and {path.name} are the table "
                    f"{match['table']}; leave one of them there"
                )
            tables[match["table"]] = path
    texts = _choose_texts([(path, match) for path, match in found if match["text"]])
    names = next((path for path, match in found if match["names"]), None)
    database = dumps[0].partition(" ")[0] if dumps else ""
    kind = settings.source if settings.source in (TEXT, TABLES) else TEXT if texts else TABLES
    dump = Dump(folder, kind, database, tables, texts, names)
    _refuse_missing(dump, settings)
    return dump


def _choose_texts(found: list[tuple[Path, re.Match[str]]]) -> list[Path]:
    for name in _TEXTS:
        chosen = [(path, match) for path, match in found if match["text"] == name]
        whole = [path for path, match in chosen if not match["part"] and not match["range"]]
        if chosen:
            return whole[:1] or [path for path, _ in sorted(chosen, key=_read_part)]
    return []


def _read_part(pair: tuple[Path, re.Match[str]]) -> tuple[int, int]:
    """The order of the files of a text: by number, then by first page."""
    first = re.search(r"p(\d+)p", pair[1]["range"] or "")
    return int(pair[1]["part"] or 0), int(first[1]) if first else 0


def _refuse_missing(dump: Dump, settings: WikipediaSettings) -> None:
    if dump.kind == TEXT:
        if not dump.texts:
            raise MissingError(
                f"{dump.folder}: there is no pages-articles.xml.bz2 here; fetch it, or read the tables with "
                f"--source tables"
            )
        return
    missing = [name for name in ("page", "pagelinks") if name not in dump.tables]
    if missing:
        other = "" if settings.source == TABLES else ", and no pages-articles.xml.bz2"
        named = " and no ".join(f"{name}.sql.gz" for name in missing)
        raise MissingError(
            f"{dump.folder}: there is no {named}{other} here; fetch what is missing from where the dump is"
        )


def check_tables(dump: Dump) -> None:
    r"""Raise an error if tables of a dump are missing, or not of one wiki.

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
    >>> check_tables(find_dump(folder))
    >>> _ = (folder / "pagelinks.sql").write_text(
    ...     "CREATE TABLE `pagelinks` (\n  `pl_from` int,\n  `pl_target_id` int\n);\n")
    >>> check_tables(find_dump(folder))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...pagelinks.sql: links are told by numbers here, as MediaWiki does from
    1.43 on; fetch linktarget.sql.gz of the same dump, which says what they stand for
    """
    heads = read_heads(dump.tables)
    columns = heads["pagelinks"].columns
    if "pl_title" not in columns and "linktarget" not in dump.tables:
        raise MissingError(
            f"{dump.tables['pagelinks']}: links are told by numbers here, as MediaWiki does from 1.43 on; "
            f"fetch linktarget.sql.gz of the same dump, which says what they stand for"
        )
    for name, head in heads.items():
        if head.table != name:
            raise FormatError(
                f"{dump.tables[name]}: this is the table {head.table}, and {name} by its name; rename it"
            )
    databases = sorted({head.database for head in heads.values() if head.database})
    if len(databases) > 1:
        raise FormatError(
            f"{dump.folder}: the tables are of several wikis ({', '.join(databases)}); give each a folder of "
            f"its own"
        )


def find_wiki(dump: Dump, base_url: str = "") -> Wiki:
    """What pages of a dump of tables are called: by `base_url`, or by the names of the files.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_wiki(Dump(testing.scratch(), "tables", "simplewiki", {}, [], None)).base
    'https://simple.wikipedia.org/wiki/'
    """
    database = dump.database
    if not database and dump.tables:
        database = next((head.database for head in read_heads(dump.tables).values() if head.database), "")
    return Wiki(_choose_base(dump, base_url, database), _read_names(dump.names) if dump.names else NAMESPACES)


def _choose_base(dump: Dump, base_url: str, database: str) -> str:
    if base_url:
        base = normalize(base_url)
        return base if base.endswith(("/", "=", ":")) else base + "/"
    base = find_base(database) or ""
    if not base:
        named = f"{database} is no wiki of Wikimedia" if database else "no file says which wiki it is of"
        raise UsageError(
            f"{dump.folder}: {named}; say what the URLs of its pages begin with, as "
            f"--base-url https://en.wikipedia.org/wiki/"
        )
    return base


def _read_names(path: Path) -> dict[int, str]:
    """The names of namespaces as the API of a wiki tells them."""
    text = b"".join(scan_blocks(path))
    try:
        found = json.loads(text)["query"]["namespaces"]
        names = {int(number): str(told.get("name", told.get("*", ""))) for number, told in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(
            f"{path}: this does not tell the names of namespaces ({error}); fetch it again, or take it away"
        ) from None
    return {number: name.replace(" ", "_") for number, name in names.items()}
