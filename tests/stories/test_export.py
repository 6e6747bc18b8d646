"""`webstrata export`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.stories.conftest import assert_refused
from tests.stories.test_get import archive as archive
from tests.stories.test_get import ingested as ingested

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command

NAMES = {
    "warc": "uk-2026-06-warc",
    "trec": "uk-2026-06.trec.gz",
    "cdxj": "uk-2026-06.cdxj.gz",
    "wacz": "uk-2026-06.wacz",
    "parquet": "uk-2026-06.parquet",
    "bagit": "uk-2026-06-bag",
}


def test_every_format_is_written_under_a_name_of_its_own(webstrata: Command, archive: Path) -> None:
    for kind, name in NAMES.items():
        done = webstrata("export", archive.name, "2026-06", f"--{kind}")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"{name}: ")
        assert (archive.parent / name).exists()
    done = webstrata("export", archive.name, "2026-07", "--parquet", "--output", "a.parquet", "--json")
    document = json.loads(done.stdout)
    assert (document["path"], document["captures"], document["left_out"]) == ("a.parquet", 2, 0)


def test_a_crawl_goes_out_and_comes_back(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    webstrata("crawl", "uk", "2026-06", "--invitro", "tiny")
    for place, kind in enumerate(("warc", "wacz", "trec")):
        assert webstrata("export", "uk", "2026-06", f"--{kind}").returncode == 0
        done = webstrata("ingest", "uk", f"2027-0{place + 1}", NAMES[kind])
        note = f"{NAMES[kind]}: TREC Web is not WARC, so the file is rewritten\n" if kind == "trec" else ""
        assert (done.returncode, done.stderr) == (0, note)
    uk = ws.open(tmp_path / "uk")
    urls = [list(snapshot.urls) for snapshot in uk]
    assert len(urls[0]) > 200
    assert all(other == urls[0] for other in urls[1:])


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["2026-06"], "in what format is not clear; choose one of --warc, --trec, --cdxj, --wacz, --parquet"),
        (["2026-08", "--wacz"], "no snapshot 2026-08"),
        (["2026-06", "--wacz", "--output", "uk"], "uk: something is here already"),
        (["2026-06", "--cdxj", "--output", "gone/a.cdxj"], "gone/.*nothing there to"),
        (["2026-06", "--warc", "--output", "a.warc"], r"a\.warc: the files of this snapshot end as"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(
    webstrata: Command, archive: Path, words: list[str], pattern: str
) -> None:
    assert_refused(webstrata("export", archive.name, *words), pattern)
    assert not [path for path in archive.parent.iterdir() if path.name.startswith(".")]


def test_page_lists_of_a_wacz_are_shown_and_missing_ones_are_said(webstrata: Command, archive: Path) -> None:
    assert webstrata("export", archive.name, "2026-06", "--wacz", "--output", "june.wacz").returncode == 0
    done = webstrata("ingest", archive.name, "2026-09", "june.wacz", "--strict", "--json")
    (check,) = json.loads(done.stdout)["packages"]
    assert (check["verified"], check["wrong"], check["signature"]["state"]) == (4, 0, "not signed")
    done = webstrata("show", archive.name, "2026-09", "--page-lists", "--json")
    pages = json.loads(done.stdout)
    assert {page["list"] for page in pages} == {"pages/pages.jsonl"}
    shown = webstrata("show", archive.name, "2026-09", "--page-lists").stdout
    assert all(page["url"] in shown for page in pages)
    done = webstrata("show", archive.name, "2026-06", "--page-lists")
    assert done.returncode == 2
    assert "no page lists; only snapshots ingested from WACZ files have them" in done.stderr
    assert webstrata("show", archive.name, "--page-lists").returncode == 2
