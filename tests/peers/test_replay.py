"""Snapshots as they lie on disk, served by pywb and shown by Chromium at two dates."""

from __future__ import annotations

import datetime as dt
import html
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.peers.installed import find, find_peer
from tests.peers.test_warc import ask, serving_pywb
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.api import Collection
    from webstrata.invitro import Web

pytestmark = pytest.mark.peer

MONTHS = {"2026-06": "20260612120000", "2026-07": "20260712120000"}
CONFIG = """
framed_replay: false
collections:
  uk:
    index_group:
      june: {uk}/snapshots/2026-06/captures
      july: {uk}/snapshots/2026-07/captures
    archive_paths:
      - {uk}/snapshots/2026-06/warc/
      - {uk}/snapshots/2026-07/warc/
"""


@pytest.fixture(scope="module")
def web() -> Web:
    return ws.invitro.Web("tiny", seed=7)


@pytest.fixture(scope="module")
def uk(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Two months of an in-vitro web, each captured on the 12th: one half is ingested, the other added."""
    folder = tmp_path_factory.mktemp("replay")
    collection = ws.create(folder / "uk")
    for month, label in enumerate(MONTHS):
        noon = dt.datetime.strptime(MONTHS[label], "%Y%m%d%H%M%S").replace(tzinfo=dt.UTC)
        for half, mode in enumerate(("new", "add")):
            with WarcWriter(folder, f"{label}-{half}") as writer:
                for url in web.graph(month).urls[half::2]:
                    answer = web.fetch(url, month)
                    date = int(noon.timestamp()) * 10**9
                    writer.write(Capture(url=url, date=date, head=answer.head, body=answer.body))
            ingest(collection.add(label), [folder / f"{label}-{half}-00000.warc.gz"], mode=mode)  # type: ignore[arg-type]
    return collection


@pytest.fixture(scope="module")
def replay(uk: Collection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a pywb that has nothing but names of folders of the collection."""
    wayback = find_peer("wayback")
    folder = tmp_path_factory.mktemp("pywb")
    (folder / "config.yaml").write_text(CONFIG.format(uk=uk.path))
    with serving_pywb(wayback, folder) as address:
        yield address


def find_changed(web: Web) -> str:
    """A page in English that says other things in the second month."""
    for url in web.graph(0).urls:
        facts = web.facts(url) or {}
        if facts.get("language") == "en" and web.text(url) != web.text(url, 1) and web.text(url, 1):
            return url
    raise AssertionError("no page of this web changes")


def test_pywb_serves_every_page_of_both_snapshots(replay: str, web: Web) -> None:
    for month, stamp in enumerate(MONTHS.values()):
        for url in web.graph(month).urls[:40]:
            assert ask(f"{replay}/{stamp}id_/{url}") == (200, web.fetch(url, month).body), url


def test_chromium_shows_a_page_as_it_was_at_two_dates(replay: str, web: Web, tmp_path: Path) -> None:
    chromium = find("chromium")
    url = find_changed(web)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-proxy-server"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1000,1400"]
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    trees = []
    for label, stamp in MONTHS.items():
        done = subprocess.run(
            [
                chromium,
                *flags,
                f"--screenshot={tmp_path / label}.png",
                "--dump-dom",
                f"{replay}/{stamp}/{url}",
            ],
            env=kept,
            capture_output=True,
            timeout=120,
            check=True,
            encoding="utf-8",
        )
        trees.append(" ".join(html.unescape(re.sub("<[^>]*>", "", done.stdout)).split()))
        assert (tmp_path / f"{label}.png").stat().st_size > 10_000
    lines = [set(web.text(url, month).splitlines()) for month in (0, 1)]
    only = [max(lines[month] - lines[1 - month], key=len) for month in (0, 1)]
    for month in (0, 1):
        assert (web.facts(url, month) or {})["title"] in trees[month]
        assert only[month] in trees[month]
        assert only[month] not in trees[1 - month]
