"""`webstrata similar`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import webstrata as ws
from tests.stories.conftest import assert_refused
from webstrata.store.duplicates.near import find_near_duplicates

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_the_pages_most_like_one_are_listed(webstrata: Command, tmp_path: Path) -> None:
    webstrata("new", "uk")
    assert webstrata("crawl", "uk", "2026-06", "--invitro", "tiny", "--invitro-seed", "7").returncode == 0
    snapshot = ws.open(tmp_path / "uk")["2026-06"]
    first, second = find_near_duplicates(snapshot.text).pairs[0].tolist()
    document = json.loads(webstrata("similar", "uk", snapshot.urls[first], "--json").stdout)
    assert (document["snapshot"], document["url"], len(document["pages"])) == (
        "2026-06",
        snapshot.urls[first],
        10,
    )
    assert document["pages"][0]["url"] == snapshot.urls[second]
    similarities = [page["similarity"] for page in document["pages"]]
    assert similarities == sorted(similarities, reverse=True)
    # by bits the order would be another, or the test would prove nothing
    distances = [page["distance"] for page in document["pages"]]
    assert distances != sorted(distances)
    done = webstrata("similar", "uk", snapshot.urls[first], "--limit", "3", "--at", "2026-06")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 5)

    assert_refused(webstrata("similar", "uk", "http://nowhere.org/"), "not among the pages of 2026-06")
    assert webstrata("similar", "uk", snapshot.urls[0], "--at", "2026-07").returncode == 0
    assert_refused(
        webstrata("similar", "uk", snapshot.urls[0], "--at", "2026-05"), "before the first snapshot"
    )
    assert_refused(webstrata("similar", "uk", "2026-07", snapshot.urls[0]), "no snapshot 2026-07")
    webstrata("new", "empty", "2026-06")
    assert_refused(webstrata("similar", "empty", "http://a/"), "no snapshot has the text of its pages")
