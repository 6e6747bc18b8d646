"""Files of WikiLinkGraphs as snapshots, written as their authors' program writes them."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

import webstrata as ws
from tests.store.wikipedia.dumps import make_wiki
from tests.store.wikipedia.test_tables import to_networkx
from webstrata.errors import ExistsError, FormatError, MissingError, UsageError
from webstrata.store.wikipedia.link_graphs import COLUMNS, check_links, ingest_links, scan_links
from webstrata.store.wikipedia.tables import TablesResult

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Link = tuple[int, str, int, str]
NAME = "simplewiki.wikilink_graph.2009-03-01.csv.gz"
ODD = ['"Heroes"', "A, B", "Tab\there", "Zürich", "日本", "'Quote", 'Half "quoted', "NULL", "", "1987"]


def write_links(path: Path, links: Iterable[Link]) -> Path:
    """As the dataset is published: `csv.writer` with tabs, sorted, packed."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="\t")
    writer.writerow(COLUMNS)
    writer.writerows(sorted(set(links)))
    path.write_bytes(gzip.compress(text.getvalue().encode()))
    return path


def make_links(seed: int) -> list[Link]:
    """The links between articles of a made wiki that are there and no redirects."""
    pages = {page.title: page for page in make_wiki(seed) if page.namespace == 0 and not page.redirect}
    return [
        (page.id, title.replace("_", " "), pages[target].id, target.replace("_", " "))
        for title, page in pages.items()
        for namespace, target in page.links
        if namespace == 0 and target in pages
    ]


def test_a_link_graph_becomes_the_graph_of_a_snapshot(tmp_path: Path) -> None:
    links = make_links(3)
    path = write_links(tmp_path / NAME, links)
    snapshot = ws.create(tmp_path / "wiki").add("2009-03")
    result = snapshot.ingest(wikilinks=path)
    assert isinstance(result, TablesResult)
    assert (result.rows, result.links) == (len(set(links)), len({(one[0], one[2]) for one in links}))
    base = "https://simple.wikipedia.org/wiki/"
    titles = {base + title for link in links for title in (link[1], link[3])}
    assert result.pages == len(titles) == len(snapshot.urls)
    found = to_networkx(snapshot)
    expected = {(link[1], link[3]) for link in links}

    def name(url: str) -> str:
        return unquote(url.removeprefix(base)).replace("_", " ")

    assert {(name(one), name(other)) for one, other in found.edges} == expected
    assert {row["wiki_page_id"] for row in snapshot.pages.to_arrow().to_pylist()} == {
        number for link in links for number in (link[0], link[2])
    }


def test_odd_titles_are_read_as_python_wrote_them(tmp_path: Path) -> None:
    links = [(number, title, number + 1, title[::-1]) for number, title in enumerate(ODD, 1)]
    path = write_links(tmp_path / NAME, links)
    for block in (64, 1 << 20):  # a block ends anywhere
        rows = [row for table in scan_links(path, block=block) for row in table.to_pylist()]
        assert [(row["page_title_from"].decode(), row["page_title_to"].decode()) for row in rows] == [
            (link[1], link[3]) for link in sorted(links)
        ]


def test_yearly_networks_are_ranked_and_compared(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "wiki")
    links = make_links(4)
    for year, part in (("2009", links[::2]), ("2010", links)):
        path = write_links(tmp_path / f"simplewiki.wikilink_graph.{year}-03-01.csv.gz", part)
        collection.add(f"{year}-03").ingest(wikilinks=path)
        collection[f"{year}-03"].build("graph")
    followed = collection.rank(of="2010-03", top=5)
    assert followed.labels == ["2009-03", "2010-03"]
    assert followed.trajectory(followed.names[0], "pagerank")[1] == 1
    assert collection["2010-03"].spectrum().table()["N"] == len(collection["2010-03"].urls)


def test_what_cannot_be_read_is_refused_before_a_snapshot_is_made(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "wiki")
    path = write_links(tmp_path / NAME, make_links(5))
    whole = path.read_bytes()
    unnamed = tmp_path / "links.csv.gz"
    unnamed.write_bytes(whole)
    with pytest.raises(UsageError, match="name does not begin with the name of a wiki"):
        check_links(unnamed)
    assert check_links(unnamed, "https://wiki.example/w/").base == "https://wiki.example/w/"
    with pytest.raises(MissingError, match="no such file"):
        check_links(tmp_path / "none.csv")
    plain = tmp_path / "simplewiki.wikilink_graph.2009-03-01.csv"
    plain.write_text("\t".join(COLUMNS) + "\n1\tFish\t99999999999\tSea\n")
    with pytest.raises(FormatError, match="99999999999 is not the number of a page"):
        ingest_links(collection.add("2009-02"), plain)
    path.write_bytes(whole[: len(whole) // 2])
    snapshot = collection.add("2009-03")
    with pytest.raises(FormatError, match="cut off or damaged"):
        ingest_links(snapshot, path)
    assert list(snapshot.parts) == []
    path.write_bytes(whole)
    ingest_links(snapshot, path)
    with pytest.raises(ExistsError, match="has pages already"):
        ingest_links(snapshot, path)
    with pytest.raises(MissingError, match="has links and no text"):
        _ = snapshot.text[0]
