"""A union as users hold it: URLs, maps, and files that are not what they should be."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.sealing import seal
from tests.temporal.months import add_month, make_months
from webstrata.errors import FormatError, MissingError, NewerFormatError
from webstrata.temporal.align import choose_snapshots
from webstrata.temporal.build import build_union
from webstrata.temporal.settings import TemporalSettings
from webstrata.temporal.union import StoredUnion

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    months = {
        "2026-01": (["org,a)/", "org,a)/x", "org,a,www)/"], [(0, 1), (2, 1)]),
        "2026-02": (["org,a)/ https", "org,a)/y"], [(0, 1)]),
    }
    collection = make_months(tmp_path_factory.mktemp("union") / "uk", months)
    build_union(collection, choose_snapshots(collection), TemporalSettings(by="canonical"))
    return collection


@pytest.fixture
def uk(made: ws.Collection, tmp_path: Path) -> ws.Collection:
    """A copy that may be damaged."""
    shutil.copytree(made.path, tmp_path / "uk", symlinks=True)
    return ws.open(tmp_path / "uk")


def test_any_spelling_of_a_page_leads_to_its_node_and_back(uk: ws.Collection) -> None:
    union = uk.temporal
    assert list(union.urls) == ["http://a.org/", "http://a.org/x", "http://a.org/y"]
    assert {union.node(url) for url in ("https://www.a.org/index.html", "http://a.org", "a.org:80/")[:2]} == {
        0
    }
    assert union.addresses("2026-01", 0) == ["http://a.org/", "http://www.a.org/"]
    assert union.addresses("2026-02", 0) == ["https://a.org/"]
    assert [pages.tolist() for pages in union.pages("2026-01", [2, 0, 1])] == [[], [0, 2], [1]]
    assert union.overlap("urls").common == ((2, 1), (1, 2))
    # hosts without www, and all of their pages
    assert union.overlap("hosts").common == ((1, 1), (1, 1))


def test_what_is_not_there_is_refused_with_what_is_near(uk: ws.Collection) -> None:
    union = uk.temporal
    with pytest.raises(
        MissingError, match=r"no snapshot has this page; the nearest are http://a.org/x, http"
    ):
        union.node("http://a.org/xx")
    with pytest.raises(
        MissingError, match=r"static pages only; call `collection.build\('temporal', by='learned'\)`"
    ):
        union.node("http://a.org/x?y=1")
    with pytest.raises(MissingError, match="2026-07: there is no such snapshot in the union; it has 2026-01"):
        union.to_union("2026-07")


def test_a_url_leads_to_the_page_it_stood_for(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    for label in ("2026-01", "2026-02"):
        add_month(uk, label, ["org,a)/", "org,a)/x"], [], duplicates={"org,a)/copy": 1})
    build_union(uk, choose_snapshots(uk))
    assert uk.temporal.node("http://a.org/copy") == 1


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("maps/2026-01.union", b"\0\0\0\0", "it has 1 nodes, and the union was made of 3"),
        ("maps/2026-01.order", b"\0\0\0", "it ends in the middle of a number"),
        ("forward.labels", b"wslabels\0\1", "forward.labels: it ends after 10 bytes"),
        ("maps/2026-01.order", b"\xff" * 12, "it has a node that 2026-01 does not have"),
        ("union.json", b"{", "this does not describe a union"),
        ("union.json", b'{"format": 1, "by": "static"}', "this does not describe a union"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    uk: ws.Collection, name: str, content: bytes, sentence: str
) -> None:
    with uk.open_part("temporal") as part:
        (part.path / name).write_bytes(content)
    seal(uk, "temporal")
    with pytest.raises(FormatError, match=sentence):
        StoredUnion(uk).pages("2026-01", [0])


@pytest.mark.parametrize(
    "change",
    [
        {"snapshots": ["2026-01"]},
        {"by": "magic"},
        {"pages": [1]},
        {"urls": [[1], [2]]},
        {"rules": [{"x": 1}]},
        {"hosts": [["a", 1], [1, 1]]},
    ],
)
def test_facts_that_no_build_writes_are_refused(uk: ws.Collection, change: dict[str, object]) -> None:
    with uk.open_part("temporal") as part:
        facts = json.loads((part.path / "union.json").read_text())
        (part.path / "union.json").write_text(json.dumps(facts | change))
    seal(uk, "temporal")
    with pytest.raises(FormatError, match="this does not describe a union"):
        StoredUnion(uk)


def test_a_newer_format_is_refused(uk: ws.Collection) -> None:
    with uk.open_part("temporal") as part:
        facts = json.loads((part.path / "union.json").read_text())
        (part.path / "union.json").write_text(json.dumps(facts | {"format": 9}))
    seal(uk, "temporal")
    with pytest.raises(NewerFormatError, match="its format is 9"):
        StoredUnion(uk)


def test_urls_of_another_generation_are_refused(uk: ws.Collection) -> None:
    union = uk.temporal
    add_month(uk, "2026-02", ["org,b)/"], [])
    with pytest.raises(MissingError, match="its URLs are others than when the union was made"):
        union.addresses("2026-02", 0)
    # the union itself is what it was
    assert union.forward.successors(0).tolist() == [1, 2]
