"""What a continuous crawl knows of each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.crawl.schedule.pages import RECORD, KnownPage, KnownPages
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_page_takes_forty_bytes() -> None:
    assert RECORD.itemsize == 40


def test_pages_are_found_again_by_another_run(tmp_path: Path) -> None:
    urls = [(f"http://{host}.example/{page}", page % 5, None) for host in "abc" for page in range(200)]
    pages = KnownPages(tmp_path)
    for start in range(0, len(urls), 70):
        pages.add(urls[start : start + 100])  # some come twice
    pages.state["last"][7] = 99
    pages.keep_validators(3, KnownPage(urls[3][0], 3, '"tag"', "Thu, 01 Jan 2026 00:00:00 GMT"))
    pages.close()
    again = KnownPages(tmp_path)
    assert again.find([url for url, _, _ in urls]).tolist() == list(range(len(urls)))
    assert again.find(["http://d.example/"]).tolist() == [-1]
    assert int(again.state["last"][7]) == 99
    assert again.texts([3, 4]) == [
        KnownPage(urls[3][0], 3, '"tag"', "Thu, 01 Jan 2026 00:00:00 GMT"),
        KnownPage(urls[4][0], 4, "", ""),
    ]
    assert np.array_equal(np.bincount(again.state["host"]), [200, 200, 200])
    again.close()


def test_a_damaged_record_is_refused(tmp_path: Path) -> None:
    pages = KnownPages(tmp_path)
    pages.add([(f"http://a.example/{page}", 0, None) for page in range(9)])
    pages.state["hash"][4] = 0
    pages.close()
    with pytest.raises(FormatError, match="record in the middle is empty"):
        KnownPages(tmp_path)
