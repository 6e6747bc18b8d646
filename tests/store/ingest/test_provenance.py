"""Where the files of a snapshot come from."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import webstrata as ws
from tests.store.warcs import pack, response
from webstrata.store.ingest.provenance import Origin, choose_name, read_provenance
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path


def test_the_origin_of_every_file_is_told(tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "a.warc.gz", tmp_path / "two" / "a.warc.gz"
    for number, path in enumerate((one, two)):
        path.parent.mkdir()
        path.write_bytes(pack(response(f"http://{number}.uk/", b"<p>a")))
    page = tmp_path / "b.html"
    page.write_text("<p>b")
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    ingest(snapshot, [one, two, page], base_url="http://b.uk/")
    with snapshot.open_part("warc") as part:
        found = list(read_provenance(part.path))
        assert [(each.origin, each.copy, each.file) for each in found] == [
            (str(one), "as-is", "a.warc.gz"),
            (str(two), "as-is", "a-2.warc.gz"),
            (str(page), "rewrite", None),
        ]
        for each, path in zip(found, (one, two), strict=False):
            assert (part.path / str(each.file)).read_bytes() == path.read_bytes()
            assert each.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
            assert each.size == path.stat().st_size


def test_names_are_harmless_and_end_as_their_compression_says() -> None:
    assert choose_name("x/..", ".warc", (), "uk") == "source.warc"
    assert choose_name("a b\n.gz", ".warc.zst", (), "uk") == "a_b_.warc.zst"
    assert choose_name("A.WARC.GZ", ".warc.gz", {"a.warc.gz"}, "uk") == "A-2.warc.gz"
    assert choose_name("w.wacz!archive/r.warc.gz", ".warc.gz", (), "uk") == "r.warc.gz"
    assert len(choose_name("x" * 999, ".warc", (), "uk")) < 200


def test_a_line_is_read_as_it_was_written(tmp_path: Path) -> None:
    origin = Origin(origin="a\n.arc", copy="rewrite", reason="ARC is not WARC")
    (tmp_path / "provenance.jsonl").write_bytes(origin.to_line())
    assert list(read_provenance(tmp_path)) == [origin]
