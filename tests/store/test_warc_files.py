"""Payloads of pages in the files of other snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.ingest.test_run import make, write
from webstrata.archive.warc import Revisit
from webstrata.errors import MissingError
from webstrata.store.build import renumber
from webstrata.store.ingest.run import ingest
from webstrata.store.warc_files import WarcFiles, find_lending

if TYPE_CHECKING:
    from pathlib import Path

PAGE = b"<title>T</title>Kept <a href=/x>x</a>"


@pytest.fixture
def uk(tmp_path: Path) -> ws.Collection:
    """Two snapshots; the page of the second one is a revisit of that of the first one."""
    collection = ws.create(tmp_path / "uk")
    original = make("http://a.uk/", PAGE)
    back = Revisit("identical-digest", "http://a.uk/", original.date)
    for label, capture in (
        ("2026-05", original),
        ("2026-06", make("http://a.uk/", revisit=back, digest=original.digest)),
    ):
        ingest(collection.add(label), [write(tmp_path / label, capture)])
    return collection


def test_a_page_has_the_payload_of_an_earlier_snapshot(uk: ws.Collection) -> None:
    june = uk["2026-06"]
    assert list(june.urls) == ["http://a.uk/"]
    assert june.pages[0]["warc_filename"].startswith("2026-05/")
    assert (june.text[0].title, june.links[0][0].url) == ("T", "http://a.uk/x")
    with WarcFiles(june) as files:
        assert files.find(june.pages[0]["warc_filename"]).is_file()
        assert sorted(files.folders) == ["", "2026-05"]
    assert june.parts.record("pages").inputs.keys() == {"2026-06/captures", "2026-05/warc"}
    assert not any(state.stale for state in uk.states().values())


def test_pages_are_stale_when_the_files_they_need_are_replaced(uk: ws.Collection, tmp_path: Path) -> None:
    ingest(uk["2026-05"], [write(tmp_path / "other", make("http://b.uk/", b"other"))], mode="again")
    assert uk.states()["2026-06/pages"].stale == ("2026-05/warc",)
    with pytest.raises(
        MissingError, match="payloads of its pages are in snapshot 2026-05, which has changed"
    ):
        WarcFiles(uk["2026-06"])


def test_only_earlier_snapshots_lend(uk: ws.Collection) -> None:
    assert list(find_lending(uk["2026-06"])) == ["2026-05"]
    assert find_lending(uk["2026-05"]) == {}


def test_numbering_again_keeps_what_was_found(uk: ws.Collection) -> None:
    june = uk["2026-06"]
    before = june.pages.table().to_pylist()
    renumber(june)
    assert june.pages.table().to_pylist() == before
    assert list(june.urls) == ["http://a.uk/"]
