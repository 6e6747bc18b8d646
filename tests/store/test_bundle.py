"""Bundles: what is in them, what is missing, and that damage is found."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.test_captures import make, store
from webstrata.errors import FormatError, MissingError
from webstrata.store.bundle import check_bundle
from webstrata.store.export import export

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


@pytest.fixture(scope="module")
def june(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("bundle")
    snapshot = ws.create(folder / "uk", title="United Kingdom").add("2026-06")
    return store(
        snapshot, folder / "in", make("http://b.uk/", "secret words"), make("http://a.uk/", "<p>more")
    )


def test_a_bundle_has_urls_and_names_what_is_missing(june: Snapshot, tmp_path: Path) -> None:
    result = export(june, "bundle", tmp_path / "out")
    assert (result.items, result.what, result.missing) == (1, "parts", ("graph", "hosts", "summaries"))
    told = json.loads((tmp_path / "out/bundle.json").read_bytes())
    assert (told["title"], told["nodes"], told["missing"]) == (
        "United Kingdom 2026-06",
        2,
        ["graph", "hosts", "summaries"],
    )
    assert gzip.decompress((tmp_path / "out/urls.txt.gz").read_bytes()) == b"http://a.uk/\nhttp://b.uk/\n"
    assert set(check_bundle(tmp_path / "out")) == {"urls.txt.gz", "urls/nodes.arrow", "urls/others.arrow"}
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"secret words" not in everything
    assert str(june.path).encode() not in everything


def test_parts_that_are_there_are_in_it_and_sha256sum_checks_them(june: Snapshot, tmp_path: Path) -> None:
    shutil.copytree(june.collection.path, tmp_path / "uk", symlinks=True)
    snapshot = ws.open(tmp_path / "uk")["2026-06"]
    with snapshot.build("graph", inputs=("urls",)) as build:
        (build.path / "deep").mkdir()
        (build.path / "deep" / "a.graph").write_bytes(b"arcs")
        build.count(arcs=5)
    assert export(snapshot, "bundle", tmp_path / "out").missing == ("hosts", "summaries")
    told = json.loads((tmp_path / "out/bundle.json").read_bytes())
    assert told["parts"]["graph"]["counts"] == {"arcs": 5}
    assert told["parts"]["graph"]["files"] == ["graph/deep/a.graph"]
    subprocess.run(
        ["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=tmp_path / "out", check=True
    )


def test_a_bundle_that_was_changed_is_refused(june: Snapshot, tmp_path: Path) -> None:
    export(june, "bundle", tmp_path / "out")
    nodes = tmp_path / "out/urls/nodes.arrow"
    whole = nodes.read_bytes()
    nodes.write_bytes(whole[:-1])
    with pytest.raises(FormatError, match="this is not what"):
        check_bundle(tmp_path / "out")
    nodes.unlink()
    with pytest.raises(FormatError, match="is not there; fetch it again"):
        check_bundle(tmp_path / "out")
    for text, what in [
        ("{", "no description of a bundle"),
        ('{"files": {"../x": {"bytes": 1, "sha256": ""}}}', "which is not in the bundle"),
    ]:
        (tmp_path / "out/bundle.json").write_text(text)
        with pytest.raises(FormatError, match=what):
            check_bundle(tmp_path / "out")


def test_a_snapshot_without_pages_has_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="no part urls"):
        export(ws.create(tmp_path / "uk").add("2026-06"), "bundle", tmp_path / "out")
    assert not (tmp_path / "out").exists()
