"""Page lists and descriptions of ingested WACZ files, kept in the snapshot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.archive.packages.making import make_wacz, sign_anonymously
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.errors import FormatError
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b'{"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": true}\n'
PAGE = {"id": "1", "url": "http://a.uk/", "ts": "2026-06-12T18:30:00Z", "title": "Ä", "seed": True}
PAGES = HEAD + json.dumps(PAGE).encode()
EXTRA = b'{"format": "json-pages-1.0", "id": "extra", "title": "Extra"}\n'
EXTRA += b'{"url": "http://b.uk/", "depth": 1}\nno json\n[]\n'


def make(folder: Path, name: str = "a", **options: object) -> Path:
    with WarcWriter(folder, name) as writer:
        url = f"http://{name}.uk/"
        writer.write(Capture(url=url, date=10**18, head=b"HTTP/1.1 200 OK", body=b"<p>" + name.encode()))
    members = {
        f"archive/{name}.warc.gz": (folder / f"{name}-00000.warc.gz").read_bytes(),
        "pages/pages.jsonl": PAGES,
        "pages/extraPages.jsonl": EXTRA,
    }
    return make_wacz(folder / f"{name}.wacz", members, **options)  # type: ignore[arg-type]


def test_page_lists_are_kept_byte_for_byte_and_listed(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    result = ingest(snapshot, [make(tmp_path, sign=sign_anonymously)])
    assert [check.signature.state for check in result.packages] == ["valid"]
    assert result.to_dict()["packages"][0]["verified"] == 3
    packages = snapshot.packages
    assert (packages.path / "1/pages/pages.jsonl").read_bytes() == PAGES
    assert (packages.path / "1/pages/extraPages.jsonl").read_bytes() == EXTRA
    assert b"signedData" in (packages.path / "1/datapackage-digest.json").read_bytes()
    pages = list(packages.iter_pages())
    assert [(page.list, page.url, page.time, page.title) for page in pages] == [
        ("pages/extraPages.jsonl", "http://b.uk/", "", ""),
        ("pages/pages.jsonl", "http://a.uk/", "2026-06-12T18:30:00Z", "Ä"),
    ]
    assert pages[1].fields["seed"] is True
    extra, first = packages.rows[0]["lists"]
    assert extra == {"name": "pages/extraPages.jsonl", "title": "Extra", "pages": 1, "malformed_lines": 2}
    assert (first["title"], first["pages"], first["malformed_lines"]) == ("All Pages", 1, 0)
    assert snapshot.parts.record("packages").counts == {"packages": 1, "listed_pages": 2}


def test_packages_are_added_replaced_and_removed_with_the_captures(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    first, second = make(tmp_path, "a"), make(tmp_path, "b")
    ingest(snapshot, [first])
    ingest(snapshot, [second], mode="add")
    ingest(snapshot, [second], mode="add")
    with snapshot.open_part("packages") as part:
        rows = json.loads((part.path / "packages.json").read_bytes())
        assert sorted(row["file"] for row in rows) == ["a.wacz", "b.wacz"]
        assert all((part.path / str(row["number"]) / "pages/pages.jsonl").is_file() for row in rows)
    ingest(snapshot, [tmp_path / "a-00000.warc.gz"], mode="add")
    assert "packages" in snapshot.parts
    ingest(snapshot, [tmp_path / "a-00000.warc.gz"], mode="again")
    assert "packages" not in snapshot.parts


def test_wrong_hashes_are_reported_and_refused_if_asked(tmp_path: Path) -> None:
    path = make(tmp_path, changed={"pages/pages.jsonl": PAGES + b"\n"})
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    with pytest.raises(
        FormatError, match=r"a\.wacz!pages/pages\.jsonl: wrong size: expected \d+, found \d+ \(and"
    ):
        ingest(snapshot, [path], strict=True)
    assert not len(snapshot.parts)
    assert sorted(each.name for each in snapshot.path.iterdir() if each.is_dir()) == []
    (check,) = ingest(snapshot, [path]).packages
    assert [finding.what for finding in check.findings] == ["wrong size", "wrong hash"]
    assert snapshot.packages.rows[0]["check"]["wrong"] == 2
