"""Fingerprints of real pages: equal ones are true duplicates, and pages with little text have none."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from selectolax.lexbor import LexborHTMLParser

from webstrata.archive.responses import iter_answers
from webstrata.archive.tally import Tally
from webstrata.store.ingest.readers import Source, read_archive
from webstrata.web.fingerprint import LEAST_TEXT, fingerprint, shape

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CORPORA = [
    "docs/docs.warc.gz",
    "history/flink-web/2020-01-03.warc.gz",
    "history/flink-web/2023-08-07.warc.gz",
]


def read_pages(path: Path) -> Iterator[tuple[str, bytes]]:
    tally = Tally()
    for answer in iter_answers(read_archive(Source(path), tally), tally):
        if answer.status == 200 and answer.mime == "text/html" and answer.revisit is None:
            yield answer.url, answer.body


def visible_text(body: bytes) -> str:
    """All text by a parser that is not ours, without white space."""
    tree = LexborHTMLParser(body)
    for node in tree.css("script, style"):
        node.decompose()
    return "".join((tree.root.text() if tree.root else "").split())


@pytest.mark.parametrize("name", CORPORA)
def test_pages_with_one_fingerprint_have_one_text(test_data: Path, name: str) -> None:
    classes: dict[int | None, list[tuple[str, bytes]]] = defaultdict(list)
    for url, body in read_pages(test_data / name):
        classes[fingerprint(body)].append((url, body))
    few = classes.pop(None, [])
    assert len(classes) > 150
    for (one, body), (other, second) in (
        pair for members in classes.values() for pair in combinations(members, 2)
    ):
        assert visible_text(body) == visible_text(second), (one, other)
    # without scripts and tags there is next to nothing on a page that has none
    assert all(len(visible_text(body).encode()) < LEAST_TEXT for _, body in few)


def test_release_notes_that_differ_in_numbers_are_pages_of_their_own(test_data: Path) -> None:
    pages = dict(read_pages(test_data / "docs/docs.warc.gz"))
    one, other = (
        pages[f"https://django.docs.test/releases/{version}.html"] for version in ("3.2.11", "2.2.26")
    )
    assert fingerprint(one) != fingerprint(other)
    assert shape(one) == shape(other)


def test_pages_that_only_lead_elsewhere_are_no_duplicates_of_each_other(test_data: Path) -> None:
    stubs = [
        body
        for _, body in read_pages(test_data / "history/flink-web/2023-08-07.warc.gz")
        if b"http-equiv=refresh" in body.replace(b'"', b"")
    ]
    assert len(stubs) > 100
    assert {fingerprint(body) for body in stubs} == {None}


def test_comments_attributes_and_white_space_make_no_difference(test_data: Path) -> None:
    for _, body in list(read_pages(test_data / "docs/docs.warc.gz"))[::50]:
        changed = body.replace(b"</p>", b"</p >\n\t<!-- 17 -->").replace(b"<p>", b"<P class=other>\n")
        assert fingerprint(changed) == fingerprint(body)
        assert shape(changed) == shape(body)
