"""Snapshots as WACZ files by range requests."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.serve.replay.asking import ask
from tests.serve.replay.conftest import HTML, respond, serving, store
from webstrata.archive.packages.check import verify_wacz
from webstrata.archive.warc import Revisit, WarcWriter
from webstrata.serve.replay import packages
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "PATIENCE", 60.0)
    monkeypatch.setattr(packages.WaczDownloads.answer, "__kwdefaults__", {"patience": 60.0})


@pytest.fixture
def uk(tmp_path: Path) -> ws.Collection:
    may = respond("http://a.uk/same", b"<p>the same", HTML, at=-30 * 86400)
    again = Revisit("identical-digest", may.url, may.date)
    june = [respond(f"http://a.uk/{number}", b"<p>%d" % number, HTML, at=number) for number in range(40)]
    return store(
        tmp_path,
        {"2026-05": [may], "2026-06": [*june, respond(may.url, b"<p>the same", HTML, revisit=again)]},
    )


def test_a_snapshot_is_a_valid_wacz_with_payloads_of_earlier_snapshots(
    uk: ws.Collection, tmp_path: Path
) -> None:
    with serving(uk) as address:
        listed = ask(f"{address}/files/").json()
        assert [each["name"] for each in listed["wacz"]] == ["2026-05.wacz", "2026-06.wacz"]
        answer = ask(f"{address}/files/2026-06.wacz")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/wacz")
    (tmp_path / "got.wacz").write_bytes(answer.body)
    assert verify_wacz(tmp_path / "got.wacz") == []
    other = ws.create(tmp_path / "other")
    ingest(other.add("2026-06"), [tmp_path / "got.wacz"])
    assert other.capture("http://a.uk/same").payload == b"<p>the same"
    assert other.capture("http://a.uk/17").payload == b"<p>17"


def test_any_range_is_that_of_the_whole(uk: ws.Collection) -> None:
    with serving(uk) as address:
        whole = ask(f"{address}/files/2026-06.wacz").body
        size = len(whole)
        places = [info.header_offset for info in zipfile.ZipFile(io.BytesIO(whole)).infolist()]
        for start in (0, 1, *places, *(place + 29 for place in places), size - 1):
            end = min(start + 700, size)
            answer = ask(f"{address}/files/2026-06.wacz", range=f"bytes={start}-{end - 1}")
            assert (answer.status, answer.body) == (206, whole[start:end]), start
            assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/{size}"
        assert ask(f"{address}/files/2026-06.wacz", range="bytes=-22").body == whole[-22:]
        assert ask(f"{address}/files/2026-06.wacz", range=f"bytes={size}-").status == 416


def test_a_snapshot_that_was_built_again_has_another_wacz(uk: ws.Collection, tmp_path: Path) -> None:
    with serving(uk) as address:
        before = ask(f"{address}/files/2026-06.wacz").body
        with WarcWriter(tmp_path, "more") as writer:
            writer.write(respond("http://a.uk/more", b"<p>more", HTML, at=99))
        ingest(uk["2026-06"], [tmp_path / "more-00000.warc.gz"], mode="add")
        for _ in range(100):  # the server looks for rebuilt parts twice per second
            after = ask(f"{address}/files/2026-06.wacz").body
            if after != before:
                break
    names = {info.filename for info in zipfile.ZipFile(io.BytesIO(after)).infolist()}
    assert any(name.startswith("archive/more") for name in names)


def test_a_snapshot_of_plain_files_is_refused_with_the_command(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "plain")
    with WarcWriter(tmp_path, "plain", compression="none") as writer:
        writer.write(respond("http://a.uk/", b"<p>x", HTML))
    (source,) = tmp_path.glob("plain-*.warc")
    ingest(collection.add("2026-06"), [source])
    with serving(collection) as address:
        answer = ask(f"{address}/files/2026-06.wacz")
    assert answer.status == 422
    assert "is not compressed by gzip" in answer.json()["error"]["message"]


def test_a_snapshot_that_is_not_there_is_not_found(uk: ws.Collection) -> None:
    with serving(uk) as address:
        assert ask(f"{address}/files/1999-01.wacz").status == 404
