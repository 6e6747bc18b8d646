"""Bundles: what is in them, what is missing, and that damage is found."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.test_captures import make, store
from webstrata.cli import run
from webstrata.collection.check import check_collection
from webstrata.errors import ExistsError, FormatError, MissingError
from webstrata.graph.build import build_graph
from webstrata.store.bundle import check_bundle, import_bundle
from webstrata.store.export import export

if TYPE_CHECKING:
    from webstrata.api import Snapshot


@pytest.fixture(scope="module")
def june(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("bundle")
    snapshot = ws.create(folder / "uk", title="United Kingdom").add("2026-06")
    return store(
        snapshot,
        folder / "in",
        make("http://b.uk/", "secret words <a href=http://a.uk/>A</a><a href=http://c.uk/>C</a>"),
        make("http://a.uk/", "<p>more <a href=http://b.uk/>B</a>"),
        make("http://c.uk/", "<p>end"),
    )


@pytest.fixture(scope="module")
def bundle(june: Snapshot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of a snapshot with its graph."""
    build_graph(june, workers=1)
    folder = tmp_path_factory.mktemp("out") / "out"
    assert export(june, "bundle", folder).missing == ("summaries",)
    return folder


def test_a_bundle_has_urls_and_graph_and_no_text(bundle: Path, june: Snapshot) -> None:
    told = json.loads((bundle / "bundle.json").read_bytes())
    assert (told["title"], told["nodes"], told["missing"]) == ("United Kingdom 2026-06", 3, ["summaries"])
    assert told["parts"]["graph"]["counts"] == june.parts.record("graph").counts
    urls = b"http://a.uk/\nhttp://b.uk/\nhttp://c.uk/\n"
    assert gzip.decompress((bundle / "urls.txt.gz").read_bytes()) == urls
    everything = b"".join(path.read_bytes() for path in bundle.rglob("*") if path.is_file())
    assert b"secret words" not in everything
    assert str(june.path).encode() not in everything
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=bundle, check=True)


def test_a_bundle_is_a_collection(bundle: Path, june: Snapshot, tmp_path: Path) -> None:
    # links may be lost on the way
    shutil.copytree(
        bundle, tmp_path / "uk", ignore=lambda place, names: [n for n in names if Path(place, n).is_symlink()]
    )
    collection = ws.open(tmp_path / "uk")
    snapshot = collection["2026-06"]
    assert list(snapshot.urls) == list(june.urls)
    assert [snapshot.graph.successors(node).tolist() for node in range(3)] == [[1], [0, 2], []]
    assert list(snapshot.host_graph.names) == list(june.host_graph.names)
    assert snapshot.host_graph.num_arcs == june.host_graph.num_arcs == 3
    assert {name: state.stale for name, state in collection.states().items()} == {
        "2026-06/graph": (),
        "2026-06/urls": (),
    }
    assert {record.checksum for record in snapshot.parts} == {
        june.parts.record(name).checksum for name in ("urls", "graph")
    }
    assert check_collection(collection).damage == []
    assert set(check_bundle(tmp_path / "uk")) == set(check_bundle(bundle))


def test_parts_that_are_not_there_are_named(june: Snapshot, tmp_path: Path) -> None:
    shutil.copytree(june.collection.path, tmp_path / "uk", symlinks=True)
    snapshot = ws.open(tmp_path / "uk")["2026-06"]
    if "graph" in snapshot.parts:
        snapshot.parts.remove("graph")
    with snapshot.write_part("summaries", inputs=("urls", "text")) as build:
        (build.path / "deep").mkdir()
        (build.path / "deep" / "a.archive").write_bytes(b"terms")
        build.count(terms=5)
    result = export(snapshot, "bundle", tmp_path / "out")
    assert (result.items, result.what, result.missing) == (2, "parts", ("graph",))
    told = json.loads((tmp_path / "out/bundle.json").read_bytes())
    assert (told["parts"]["summaries"]["files"], told["missing"]) == (["deep/a.archive"], ["graph"])
    # the text it was made from is not handed out, and cannot have changed
    assert ws.open(tmp_path / "out").states()["2026-06/summaries"].stale == ()


def test_a_bundle_that_was_changed_is_refused(june: Snapshot, tmp_path: Path) -> None:
    export(june, "bundle", tmp_path / "out")
    nodes = tmp_path / "out/snapshots/2026-06/.parts/urls.1/nodes.arrow"
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


def test_a_bundle_becomes_a_snapshot_of_another_collection(
    bundle: Path, june: Snapshot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(bundle, tmp_path / "bundle", symlinks=True)
    # somebody has worked with it
    with ws.open(tmp_path / "bundle")["2026-06"].write_part("notes") as build:
        (build.path / "a.txt").write_text("mine")
    ws.create(tmp_path / "mine")
    words = ["ingest", str(tmp_path / "mine"), "2026-07", str(tmp_path / "bundle")]
    assert run([*words, "--again"]) == 2
    assert "a bundle is ingested whole" in capsys.readouterr().err
    assert run(words) == 0
    assert "urls, graph of" in capsys.readouterr().out
    july = ws.open(tmp_path / "mine")["2026-07"]
    assert list(july.urls) == list(june.urls)
    assert july.graph.rows()[1].tolist() == june.graph.rows()[1].tolist()
    assert july.parts.record("graph").inputs == {"2026-07/urls": june.parts.record("urls").checksum}
    assert not any(state.stale for state in july.collection.states().values())
    # what was interrupted goes on
    july.parts.remove("graph")
    assert import_bundle(tmp_path / "bundle", july) == ("urls", "graph")
    assert "graph" in july.parts
    with pytest.raises(ExistsError, match="this snapshot has pages already"):
        import_bundle(bundle, june)


def test_nothing_is_taken_of_a_bundle_that_is_damaged(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(bundle, tmp_path / "bundle", symlinks=True)
    next((tmp_path / "bundle").rglob(".parts/urls.1/nodes.arrow")).write_bytes(b"x")
    ws.create(tmp_path / "mine")
    assert run(["ingest", str(tmp_path / "mine"), "2026-07", str(tmp_path / "bundle")]) == 2
    assert "this is not what bundle.json says of it" in capsys.readouterr().err
    assert ws.open(tmp_path / "mine").dates == []
