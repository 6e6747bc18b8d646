"""Versions of pages and their documents."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from webstrata.search.documents import Held, PageReader, Register, identify, make_labels

if TYPE_CHECKING:
    import webstrata as ws

ROW = {"title": "Fish", "text": "Tropical fish", "main": [0, 13], "language": "en"}


def test_whatever_is_said_of_a_page_makes_another_version() -> None:
    others = [
        identify("org,b)/", ROW, []),
        identify("org,a)/", ROW, ["fish"]),
        *(
            identify("org,a)/", ROW | {name: value}, [])
            for name, value in (("title", ""), ("text", "Fish"), ("main", [0, 8]), ("language", "de"))
        ),
    ]
    assert len({identify("org,a)/", ROW, []), *others}) == 7
    # pieces do not run into each other
    assert identify("org,a)/", ROW, ["ab", "c"]) != identify("org,a)/", ROW, ["a", "bc"])


def test_a_page_that_changes_back_gets_its_old_document() -> None:
    register = Register()
    months = [[b"a", b"b"], [b"a", b"c"], [b"a", b"b"]]
    maps = [register.number(month)[0].astype(np.uint32) for month in months]
    assert [list(each) for each in maps] == [[0, 1], [0, 2], [0, 1]]
    assert make_labels(maps, len(register)).tolist() == [0b111, 0b101, 0b010]


def test_anchor_texts_count_once_and_not_those_that_are_not_followed(indexed: ws.Collection) -> None:
    with ExitStack() as stack:
        held = Held.open(indexed["2026-06"], stack)
        [pages] = PageReader(held.source("2026-06")).read(np.arange(4))
    assert [page.anchors for page in pages] == [[], [], ["an ocean", "waves"], []]
    assert pages[2].key == "example,sea,www)/"
