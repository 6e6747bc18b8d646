"""Bags: every byte of the payload is in a manifest, and a bag is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.test_captures import make as capture
from tests.store.test_captures import store
from tests.store.test_packages import make
from webstrata.archive.bagit import BagWriter
from webstrata.collection.faults import injected
from webstrata.errors import StorageError
from webstrata.store.export import export
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


@pytest.fixture
def june(tmp_path: Path) -> Snapshot:
    snapshot = ws.create(tmp_path / "uk", title="United Kingdom").add("2026-06")
    return store(snapshot, tmp_path / "in", capture("http://a.uk/", "<p>Grüße"), capture("http://b.uk/", "B"))


def read_manifest(path: Path) -> dict[str, str]:
    return {line[66:]: line[:64] for line in path.read_text().splitlines()}


def test_a_bag_has_warc_files_index_and_description_with_their_checksums(
    june: Snapshot, tmp_path: Path
) -> None:
    result = export(june, "bagit", tmp_path / "bag")
    bag = tmp_path / "bag"
    assert (bag / "bagit.txt").read_text() == "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    payload = [path for path in (bag / "data").rglob("*") if path.is_file()]
    names = {path.relative_to(bag).as_posix() for path in payload}
    assert names >= {"data/warc/2026-06-00000.warc.gz", "data/index/index.cdxj.gz", "data/description.json"}
    assert (result.items, result.what) == (len(payload), "files")
    tags = {"bagit.txt", "bag-info.txt", "manifest-sha256.txt"}
    for manifest, expected in (("manifest-sha256.txt", names), ("tagmanifest-sha256.txt", tags)):
        found = read_manifest(bag / manifest)
        assert set(found) == expected
        for name, digest in found.items():
            assert hashlib.sha256((bag / name).read_bytes()).hexdigest() == digest
    info = dict(line.split(": ", 1) for line in (bag / "bag-info.txt").read_text().splitlines())
    assert info["Payload-Oxum"] == f"{sum(path.stat().st_size for path in payload)}.{len(payload)}"
    assert info["External-Description"].startswith("United Kingdom 2026-06: 2 captures of 2 pages")
    description = json.loads((bag / "data/description.json").read_bytes())
    assert (description["captures"], description["payloads_in_snapshots"]) == (2, [])


def test_sha256sum_finds_every_file_of_a_bag_and_one_that_was_changed(june: Snapshot, tmp_path: Path) -> None:
    sha256sum = shutil.which("sha256sum")
    if sha256sum is None:
        pytest.skip("sha256sum is not installed")
    export(june, "bagit", tmp_path / "bag")
    for manifest in ("manifest-sha256.txt", "tagmanifest-sha256.txt"):
        words = [sha256sum, "--check", "--strict", "--quiet", manifest]
        assert subprocess.run(words, cwd=tmp_path / "bag", check=False).returncode == 0
    (tmp_path / "bag/data/description.json").write_text("{}")
    words = [sha256sum, "--check", "--status", "manifest-sha256.txt"]
    assert subprocess.run(words, cwd=tmp_path / "bag", check=False).returncode == 1


def test_a_bag_of_ingested_packages_has_their_page_lists_and_what_verifying_found(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    ingest(snapshot, [make(tmp_path)])
    export(snapshot, "bagit", tmp_path / "bag")
    assert (tmp_path / "bag/data/packages/1/pages/extraPages.jsonl").is_file()
    description = json.loads((tmp_path / "bag/data/description.json").read_bytes())
    (source,) = description["ingested_from"]
    assert (source["file"], source["check"]["verified"]) == ("a.wacz", 3)


@pytest.mark.parametrize("path", ["*.cdxj.gz", "*bag-info.txt", "*tagmanifest*"])
def test_an_interrupted_export_leaves_no_bag(june: Snapshot, tmp_path: Path, path: str) -> None:
    before = sorted(tmp_path.iterdir())
    with injected(f"write-fails path={path}"), pytest.raises(StorageError):
        export(june, "bagit", tmp_path / "bag")
    assert sorted(tmp_path.iterdir()) == before


def test_names_with_line_breaks_are_escaped_as_the_standard_says(tmp_path: Path) -> None:
    bag = BagWriter(tmp_path / "bag")
    bag.add("100%\n\r.txt", [b""])
    bag.close([])
    empty = hashlib.sha256().hexdigest()
    assert (tmp_path / "bag/manifest-sha256.txt").read_text() == f"{empty}  data/100%25%0A%0D.txt\n"
