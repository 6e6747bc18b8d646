"""Snapshots in formats of others, read back by us and by them."""

from __future__ import annotations

import gzip
import json
import warnings
import zipfile
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

import webstrata as ws
from tests.store.test_captures import JUNE, make, store
from webstrata._core.collection import set_faults
from webstrata.archive.cdxj import Entry, Line
from webstrata.archive.tally import Tally
from webstrata.archive.trec import read_documents
from webstrata.archive.warc import Revisit, WarcWriter, read_record, read_records
from webstrata.errors import DiskFullError, ExistsError, MissingError, UsageError
from webstrata.store.build import build_store
from webstrata.store.export import ENDINGS, export
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


@pytest.fixture(scope="module")
def june(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot with pages, a revisit and a page that TREC cannot hold."""
    folder = tmp_path_factory.mktemp("export")
    original = make("http://b.uk/", "<title>B</title>no line feed at the end")
    back = Revisit("identical-digest", "http://b.uk/", JUNE)
    return store(
        ws.create(folder / "uk", title="United Kingdom").add("2026-06"),
        folder / "in",
        original,
        make("http://a.uk/x?y=1", "<p>Grüße\n"),
        make("http://c.uk/", revisit=back, digest=original.digest),
        make("http://d.uk:8080/", "<p>\n</DOC>\n<DOC>\n<DOCNO>1</DOCNO>\n"),
    )


def test_warc_files_are_read_by_others(june: Snapshot, tmp_path: Path) -> None:
    assert export(june, "warc", tmp_path / "out").items == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["2026-06-00000.warc.gz"]
    export(june, "warc", tmp_path / "one.warc.gz")
    with warnings.catch_warnings(), (tmp_path / "one.warc.gz").open("rb") as stream:
        warnings.simplefilter("ignore")
        kinds = [record.rec_type for record in ArchiveIterator(stream)]
    assert kinds == ["warcinfo", "response", "response", "revisit", "response"]
    with pytest.raises(UsageError, match=r"end as 2026-06-00000\.warc\.gz does"):
        export(june, "warc", tmp_path / "one.warc")


@pytest.mark.parametrize("name", ["out.wacz", "out.warc.gz"])
def test_what_is_exported_and_ingested_again_is_the_same(june: Snapshot, tmp_path: Path, name: str) -> None:
    export(june, "wacz" if name.endswith("wacz") else "warc", tmp_path / name)
    again = ws.create(tmp_path / "again").add("2026-06")
    result = ingest(again, [tmp_path / name])
    assert (result.captures, result.revisits, result.damaged) == (4, 1, 0)
    columns = ["url", "row_key", "fetch_time", "content_digest"]
    assert again.pages.table(*columns) == june.pages.table(*columns)


def test_trec_documents_have_the_payloads_of_the_pages(june: Snapshot, tmp_path: Path) -> None:
    result = export(june, "trec", tmp_path / "a.trec.gz")
    assert (result.items, result.left_out) == (3, 1)
    documents = [document for _, document in read_documents(tmp_path / "a.trec.gz", Tally())]
    assert [(document.number, document.url) for document in documents] == [
        ("2026-06-00000000", "http://a.uk/x?y=1"),
        ("2026-06-00000001", "http://b.uk/"),
        ("2026-06-00000002", "http://c.uk/"),
    ]
    assert documents[2].payload == documents[1].payload
    assert documents[0].payload == "<p>Grüße\n".encode()
    assert documents[1].payload.endswith(b"no line feed at the end")
    assert documents[1].time == "20260612183000"
    assert b"Content-Type: text/html; charset=utf-8" in documents[1].head


def test_the_index_is_the_same_packed_or_not(june: Snapshot, tmp_path: Path) -> None:
    assert export(june, "cdxj", tmp_path / "a.cdxj").items == 4
    export(june, "cdxj", tmp_path / "a.cdxj.gz")
    lines = (tmp_path / "a.cdxj").read_bytes()
    assert gzip.decompress((tmp_path / "a.cdxj.gz").read_bytes()) == lines
    assert lines.splitlines() == sorted(lines.splitlines())
    assert len(lines.splitlines()) == 4


def test_a_wacz_lists_its_pages_with_titles(june: Snapshot, tmp_path: Path) -> None:
    export(june, "wacz", tmp_path / "a.wacz")
    with zipfile.ZipFile(tmp_path / "a.wacz") as archive:
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").splitlines()[1:]]
        package = json.loads(archive.read("datapackage.json"))
    assert [(page["url"], page["title"]) for page in pages[:2]] == [
        ("http://a.uk/x?y=1", "http://a.uk/x?y=1"),
        ("http://b.uk/", "B"),
    ]
    assert pages[0]["ts"] == "2026-06-12T18:30:00Z"
    assert package["title"] == "United Kingdom 2026-06"


def test_the_table_has_the_columns_of_common_crawl(june: Snapshot, tmp_path: Path) -> None:
    export(june, "parquet", tmp_path / "a.parquet")
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert [row["url"] for row in rows] == [
        "http://a.uk/x?y=1", "http://b.uk/", "http://c.uk/", "http://d.uk:8080/",
    ]  # fmt: skip
    first, last = rows[0], rows[-1]
    assert (first["url_host_registered_domain"], first["url_path"], first["url_query"]) == (
        "a.uk",
        "/x",
        "y=1",
    )
    assert (last["url_port"], last["url_query"], last["url_host_name_reversed"]) == (8080, None, "uk.d")
    assert (first["fetch_status"], first["crawl"]) == (200, "2026-06")
    assert rows[2]["content_mime_type"] == "warc/revisit"


@pytest.mark.parametrize("kind", sorted(ENDINGS))
def test_an_export_is_there_whole_or_not_at_all(june: Snapshot, tmp_path: Path, kind: str) -> None:
    target = tmp_path / f"a{ENDINGS[kind]}"  # type: ignore[index]
    set_faults("no-space")
    try:
        with pytest.raises(DiskFullError):
            export(june, kind, target)  # type: ignore[arg-type]
    finally:
        set_faults("")
    assert list(tmp_path.iterdir()) == []
    export(june, kind, target)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(ExistsError, match="something is here already"):
        export(june, kind, target)  # type: ignore[arg-type]


def test_a_place_that_is_not_there_is_told(june: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        export(june, "cdxj", tmp_path / "gone" / "a.cdxj")
    with pytest.raises(MissingError, match="no part warc"):
        export(ws.create(tmp_path / "uk").add("2026-06"), "cdxj", tmp_path / "a.cdxj")


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_what_is_not_packed_by_gzip_becomes_a_wacz_that_is(tmp_path: Path, compression: str) -> None:
    captures = [make(f"http://a.uk/{n % 3}", f"<title>Grüße {n}</title>" + "x" * n) for n in range(9)]
    with (
        WarcWriter(tmp_path, "a", compression=compression, level=3, fields={"x": "Grüße"}) as writer,  # type: ignore[arg-type]
        (tmp_path / "captures.cdxj").open("wb") as out,
    ):
        for capture in captures:
            line = Line(
                url=capture.url,
                date=capture.date,
                mime="text/html",
                status=200,
                digest=capture.digest,
                **writer.write(capture)._asdict(),
            )
            out.write(line.to_bytes())
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    build_store(snapshot, tmp_path)
    export(snapshot, "wacz", tmp_path / "a.wacz")
    with zipfile.ZipFile(tmp_path / "a.wacz") as archive:
        packed = archive.read("archive/a-00000.warc.gz")
        lines = gzip.decompress(archive.read("indexes/index.cdx.gz")).splitlines()
    (tmp_path / "packed.warc.gz").write_bytes(packed)
    before, after = (
        [(r.kind, r.headers, r.block) for r in read_records(tmp_path / name)]
        for name in ("a-00000.warc" + (".zst" if compression == "zstd" else ""), "packed.warc.gz")
    )
    assert before == after
    assert lines == sorted(lines)
    entries = [Entry.parse(line) for line in lines]
    assert sorted(
        read_record(tmp_path / "packed.warc.gz", int(e.fields["offset"])).payload for e in entries
    ) == sorted(capture.body for capture in captures)
    for entry in entries:
        start, length = int(entry.fields["offset"]), int(entry.fields["length"])
        assert entry.url.encode() in gzip.decompress(packed[start : start + length])
    again = ws.create(tmp_path / "again").add("2026-06")
    assert ingest(again, [tmp_path / "a.wacz"]).captures == 9


def test_a_wet_file_has_the_text_of_every_page_and_names_its_record(june: Snapshot, tmp_path: Path) -> None:
    assert export(june, "wet", tmp_path / "a.warc.wet.gz").items == 4
    with warnings.catch_warnings(), (tmp_path / "a.warc.wet.gz").open("rb") as stream:
        warnings.simplefilter("ignore")
        found = [
            (record.rec_headers["WARC-Target-URI"], record.content_stream().read().decode())
            for record in ArchiveIterator(stream, check_digests="raise")
        ]
    texts = {url: text for url, text in found if url}
    assert texts["http://b.uk/"] == "B\nno line feed at the end"
    assert texts["http://a.uk/x?y=1"] == "Grüße"
    ids = [
        record.get("WARC-Record-ID")
        for record in read_records(tmp_path / "a.warc.wet.gz", kinds=["conversion"])
    ]
    assert len(set(ids)) == 4
    told = next(read_records(tmp_path / "a.warc.wet.gz", kinds=["conversion"])).get("WARC-Refers-To")
    with june.open_part("warc") as part:
        stored = [r.get("WARC-Record-ID") for path in part.path.glob("*.warc.gz") for r in read_records(path)]
    assert told in stored
