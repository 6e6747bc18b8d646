"""Small wikis that do not exist, and dumps of them as Wikimedia writes them: tables and export."""

from __future__ import annotations

import bz2
import gzip
import random
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

ODD = (
    "O'Brien", 'A_"quoted"_name', "Back\\slash", "A),(b", "NULL", "日本", "C++", "100%_(song)", "Zürich",
    "A;B", "(x)",
    "It's),('so'", "A,B", "Semi);", "\\'", "Tail\\", "Q?", "AT&T", "Ünï_ö", "1987", "1988", "A/B",
)  # fmt: skip
NAMES = {0: "", 1: "Talk", 6: "File", 14: "Category"}
_ESCAPES = {0: b"\\0", 10: b"\\n", 13: b"\\r", 26: b"\\Z", 34: b'\\"', 39: b"\\'", 92: b"\\\\"}

Name = tuple[int, str]


@dataclass
class Page:
    """A page of a wiki."""

    id: int
    namespace: int
    title: str
    links: list[Name] = field(default_factory=list)
    redirect: Name | None = None
    interwiki: str = ""

    @property
    def full(self) -> str:
        return full_title((self.namespace, self.title))

    @property
    def text(self) -> str:
        """Wikitext that has its links."""
        if self.redirect:
            return f"#REDIRECT [[{full_title(self.redirect)}]]"
        body = "\n".join(f"* See [[:{full_title(name)}|{name[1]} label]]." for name in self.links)
        return f"'''{self.title}''' is a page.\n\n== Links ==\n{body}\n"


def full_title(name: Name) -> str:
    prefix = NAMES[name[0]]
    return (f"{prefix}:" if prefix else "") + name[1].replace("_", " ")


def make_wiki(seed: int, size: int = 60) -> list[Page]:
    """A wiki with odd titles, redirects of all kinds, missing pages and other namespaces."""
    rng = random.Random(seed)
    titles = [*ODD, *(f"Page_{number}" for number in range(size))]
    ids = rng.sample(range(1, 50 * len(titles)), len(titles) + 20)
    pages = [Page(ids.pop(), 0, title) for title in titles]
    pages += [Page(ids.pop(), 14, f"Cat_{number}") for number in range(4)]
    pages += [Page(ids.pop(), 1, titles[0])]
    known: list[Name] = [(page.namespace, page.title) for page in pages]
    names = [*known, *((0, f"Missing_{number}") for number in range(8)), (6, "A.jpg")]
    for page in pages:
        if page.namespace == 0 and page.title.startswith("Page_") and rng.random() < 0.25:
            page.redirect = rng.choice(names)
        else:
            page.links = sorted(set(rng.choices(names, k=rng.randrange(12))))
    by_title = {page.title: page for page in pages if page.namespace == 0}
    # a chain, a circle, and one that leads out
    for title, target in (
        ("Page_0", "Page_1"),
        ("Page_1", "1987"),
        ("Page_2", "Page_3"),
        ("Page_3", "Page_2"),
    ):
        by_title[title].redirect, by_title[title].links = (0, target), []
    by_title["Page_4"].redirect, by_title["Page_4"].interwiki = (0, "Fish"), "de"
    for page in pages:
        if page.redirect:
            page.links = [] if page.interwiki else [page.redirect]
    rng.shuffle(pages)
    return pages


# ---- tables


def quote(value: object) -> bytes:
    """A value as mysqldump writes it."""
    if value is None:
        return b"NULL"
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return b"'" + b"".join(_ESCAPES.get(byte, bytes([byte])) for byte in value) + b"'"
    return str(value).encode()


def write_table(
    path: Path,
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    database: str = "testwiki",
    per_statement: int = 50,
    lines: bool = False,
) -> Path:
    """A dump of a table; with `lines` a row has a line, as with mariadb-dump."""
    named = ",\n".join(f"  `{column}` varbinary(255) NOT NULL DEFAULT ''" for column in columns)
    text = (
        f"-- MySQL dump 10.19  Distrib 10.3.38-MariaDB\n--\n-- Host: db1106    Database: {database}\n"
        f"-- ------------------------------------------------------\n\n"
        f"/*!40101 SET @saved_cs_client     = @@character_set_client */;\nDROP TABLE IF EXISTS `{table}`;\n"
        f"CREATE TABLE `{table}` (\n{named},\n  PRIMARY KEY (`{columns[0]}`),\n  KEY `x` (`{columns[-1]}`)\n"
        f") ENGINE=InnoDB DEFAULT CHARSET=binary;\n\nLOCK TABLES `{table}` WRITE;\n"
    ).encode()
    packed = [b"(" + b",".join(map(quote, row)) + b")" for row in rows]
    for start in range(0, len(packed), per_statement):
        chosen = packed[start : start + per_statement]
        values = b"\n" + b",\n".join(chosen) if lines else b" " + b",".join(chosen)
        text += f"INSERT INTO `{table}` VALUES".encode() + values + b";\n"
    text += b"UNLOCK TABLES;\n\n-- Dump completed on 2009-08-10  1:02:03\n"
    path.write_bytes(gzip.compress(text, 1, mtime=0) if path.suffix == ".gz" else text)
    return path


def write_tables(
    folder: Path,
    pages: list[Page],
    *,
    schema: str = "old",
    name: str = "simplewiki-20090810",
    redirects: bool = True,
    **more: object,
) -> Path:
    """The tables of a wiki in a folder: ``old`` with titles of links, ``both``, or ``new`` with numbers."""
    folder.mkdir(exist_ok=True)

    def write(table: str, columns: str, rows: Iterable[Sequence[object]]) -> None:
        write_table(folder / f"{name}-{table}.sql.gz", table, columns.split(), rows, **more)  # type: ignore[arg-type]

    counted = ["page_counter"] if schema == "old" else []
    write(
        "page",
        " ".join(
            [
                "page_id page_namespace page_title page_restrictions",
                *counted,
                "page_is_redirect page_is_new page_random page_touched page_latest page_len page_lang",
            ]
        ),
        (
            (page.id, page.namespace, page.title, "edit=sysop, move=sysop" if page.id % 9 == 0 else "")
            + ((3,) if counted else ())
            + (int(page.redirect is not None), 0, 0.5, b"20090801000000", page.id + 7, len(page.text), None)
            for page in pages
        ),
    )
    names = sorted({name for page in pages for name in page.links} | {(10, "Unused")})
    number = {name: 1000 + 3 * place for place, name in enumerate(names)}
    links = [(page, name) for page in pages for name in page.links]
    if schema == "old":
        rows: list[Sequence[object]] = [(page.id, *name) for page, name in links]
        write("pagelinks", "pl_from pl_namespace pl_title", rows)
    elif schema == "both":
        rows = [(page.id, *name, page.namespace, number[name]) for page, name in links]
        write("pagelinks", "pl_from pl_namespace pl_title pl_from_namespace pl_target_id", rows)
    else:
        rows = [(page.id, page.namespace, number[name]) for page, name in links]
        write("pagelinks", "pl_from pl_from_namespace pl_target_id", rows)
    if schema != "old":
        write("linktarget", "lt_id lt_namespace lt_title", ((number[name], *name) for name in names))
    if redirects:
        write(
            "redirect",
            "rd_from rd_namespace rd_title rd_interwiki rd_fragment",
            (
                (page.id, *page.redirect, page.interwiki or ("" if page.id % 2 else None), "A, b")
                for page in pages
                if page.redirect
            ),
        )
    return folder


# ---- the export


def write_export(
    path: Path,
    pages: Sequence[Page],
    *,
    schema: str = "0.11",
    streams: int = 3,
    revisions: dict[int, list[tuple[str, str]]] | None = None,
) -> Path:
    """The export of a wiki; packed by bzip2 in several streams, as Wikimedia does."""
    names = "".join(
        f'<namespace key="{key}" case="first-letter">{value}</namespace>' for key, value in NAMES.items()
    )
    head = (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{schema}/" version="{schema}" '
        f'xml:lang="en">\n'
        f"  <siteinfo>\n    <sitename>Wikipedia</sitename>\n    <dbname>simplewiki</dbname>\n"
        f"    <base>https://simple.wikipedia.org/wiki/Main_Page</base>\n"
        f"    <generator>MediaWiki 1.41.0</generator>\n    <case>first-letter</case>\n"
        f"    <namespaces>{names}</namespaces>\n  </siteinfo>\n"
    )
    shown = []
    for page in pages:
        redirect = f'    <redirect title="{escape(full_title(page.redirect))}" />\n' if page.redirect else ""
        shown.append(
            f"  <page>\n    <title>{escape(page.full)}</title>\n    <ns>{page.namespace}</ns>\n"
            f"    <id>{page.id}</id>\n{redirect}"
        )
        for time, text in (revisions or {}).get(page.id, [("2009-08-01T00:00:00Z", page.text)]):
            shown[-1] += (
                f"    <revision>\n      <id>{page.id + 7}</id>\n      <timestamp>{time}</timestamp>\n"
                f"      <contributor><username>A &amp; b</username><id>1</id></contributor>\n"
                f"      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
                f'      <text bytes="{len(text.encode())}" xml:space="preserve">{escape(text)}</text>\n'
                f"      <sha1>x</sha1>\n    </revision>\n"
            )
        shown[-1] += "  </page>\n"
    size = max(-(-len(shown) // streams), 1)
    pieces = [
        head,
        *("".join(shown[start : start + size]) for start in range(0, len(shown), size)),
        "</mediawiki>\n",
    ]
    if path.suffix == ".bz2":
        path.write_bytes(b"".join(bz2.compress(piece.encode()) for piece in pieces))
    else:
        path.write_text("".join(pieces))
    return path
