"""Folders with dumps, and folders with something else."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tests.store.wikipedia.dumps import make_wiki, write_table, write_tables
from webstrata.errors import FormatError, MissingError, UsageError, UserError
from webstrata.store.wikipedia.dump import check_tables, find_dump, find_wiki
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from pathlib import Path


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).write_bytes(b"")
    return folder


def test_the_text_is_read_where_there_is_one_unless_tables_are_wanted(tmp_path: Path) -> None:
    fill(tmp_path, "enwiki-latest-page.sql.gz", "enwiki-latest-pagelinks.sql.gz", "enwiki-latest-stub.xml.gz")
    assert find_dump(tmp_path).kind == "tables"
    fill(tmp_path, "enwiki-latest-pages-articles.xml.bz2", "enwiki-latest-pages-articles-multistream.xml.bz2")
    dump = find_dump(tmp_path)
    assert (dump.kind, [path.name for path in dump.texts]) == (
        "text",
        ["enwiki-latest-pages-articles.xml.bz2"],
    )
    assert find_dump(tmp_path, WikipediaSettings(source="tables")).kind == "tables"


def test_the_parts_of_a_text_come_in_their_order(tmp_path: Path) -> None:
    names = [
        f"enwiki-20230101-pages-articles{part}.xml-p{first}p{first + 9}.bz2"
        for part, first in ((2, 30), (10, 90), (2, 200), (1, 1))
    ]
    found = [path.name for path in find_dump(fill(tmp_path, *names)).texts]
    assert found == [names[3], names[0], names[2], names[1]]


@pytest.mark.parametrize(
    ("names", "error", "sentence"),
    [
        ((), MissingError, "no page.sql.gz and no pagelinks.sql.gz, and no pages-articles.xml.bz2 here"),
        (("page.sql.gz",), MissingError, "there is no pagelinks.sql.gz, and no pages-articles"),
        (("enwiki-20090810-page.sql", "enwiki-20090901-pagelinks.sql"), FormatError,
         r"several dumps \(enwiki 20090810, enwiki 20090901\)"),
        (("page.sql", "page.sql.gz", "pagelinks.sql"), FormatError, "both page.sql and page.sql.gz"),
    ],
)  # fmt: skip
def test_a_folder_without_one_whole_dump_is_refused(
    tmp_path: Path, names: tuple[str, ...], error: type[UserError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        find_dump(fill(tmp_path, *names))


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="name the folder of a dump"):
        find_dump(tmp_path / "nowhere")
    with pytest.raises(MissingError, match="--source tables"):
        find_dump(tmp_path, WikipediaSettings(source="text"))


def test_tables_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "a", make_wiki(1, 8), schema="new")
    check_tables(find_dump(folder))
    (folder / "simplewiki-20090810-linktarget.sql.gz").unlink()
    with pytest.raises(MissingError, match=r"fetch linktarget[.]sql[.]gz of the same dump"):
        check_tables(find_dump(folder))
    path = folder / "simplewiki-20090810-redirect.sql.gz"
    write_table(path, "redirect", ["rd_from", "rd_title"], [])
    with pytest.raises(FormatError, match="the table redirect has no column rd_namespace"):
        check_tables(find_dump(folder))
    write_table(path, "categorylinks", ["rd_from", "rd_namespace", "rd_title"], [])
    (folder / "simplewiki-20090810-pagelinks.sql.gz").unlink()
    write_tables(folder, [], redirects=False)
    with pytest.raises(FormatError, match="this is the table categorylinks, and redirect by its name"):
        check_tables(find_dump(folder))
    write_table(path, "redirect", ["rd_from", "rd_namespace", "rd_title"], [], database="dewiki")
    with pytest.raises(FormatError, match=r"several wikis \(dewiki, testwiki\)"):
        check_tables(find_dump(folder))


def test_the_wiki_is_known_by_the_names_of_files_or_by_what_is_said(tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "a", [], name="dewiki-20090810")
    assert find_wiki(find_dump(folder)).base == "https://de.wikipedia.org/wiki/"
    assert find_wiki(find_dump(folder), "http://W.org/w").base == "http://w.org/w/"
    names = {"query": {"namespaces": {"0": {"name": ""}, "14": {"*": "Kategorie Neu"}}}}
    path = folder / "dewiki-20090810-siteinfo-namespaces.json.gz"
    path.write_bytes(gzip.compress(json.dumps(names).encode()))
    assert find_wiki(find_dump(folder)).namespaces == {0: "", 14: "Kategorie_Neu"}
    path.write_bytes(gzip.compress(b"[]"))
    with pytest.raises(FormatError, match="does not tell the names of namespaces"):
        find_wiki(find_dump(folder))
    other = write_tables(tmp_path / "b", [], name="mine-20090810")
    with pytest.raises(UsageError, match="mine is no wiki of Wikimedia; say what the URLs"):
        find_wiki(find_dump(other))
