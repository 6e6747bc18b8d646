"""When snapshots are cut, and what stands for pages that were not visited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata import testing
from webstrata.archive.warc import read_records
from webstrata.crawl.schedule.cuts import CAPTURES, carried, prepare_cut
from webstrata.store.build import build_store
from webstrata.store.pages import read_captures

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_page_that_was_not_visited_is_carried_unless_it_is_known_to_be_gone(
    tmp_path: Path, *, is_gone: bool
) -> None:
    collection = testing.collection()
    june, july = collection["2026-06"], collection.add("2026-07")
    (tmp_path / CAPTURES).write_bytes(b"")
    gone = june.urls[3] if is_gone else ""
    place = prepare_cut(july, tmp_path, lambda urls: np.array([url == gone for url in urls]))
    build_store(july, place)
    assert list(july.urls) == [url for url in june.urls if url != gone]
    assert carried(july).all()
    # the payload is that of June, and so are text and links
    texts = {
        url: text
        for batch in july.text.scan("text")
        for url, text in zip(july.urls, batch["text"].to_pylist(), strict=True)
    }
    old = [text for batch in june.text.scan("text") for text in batch["text"].to_pylist()]
    for url, text in zip(june.urls, old, strict=True):
        assert url == gone or texts[url] == text
    records = [record for path in place.glob("*.warc.gz") for record in read_records(path)]
    assert {record.kind for record in records} >= {"revisit", "metadata"}
    index = read_captures(place / CAPTURES)
    assert set(index["mime"].to_pylist()) == {"warc/revisit"}
