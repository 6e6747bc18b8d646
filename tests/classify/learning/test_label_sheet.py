"""Labels given by hand: written at once, gone on with, pages shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.classify.web import make_web
from webstrata.classify.learning.label_sheet import LabelSheet, propose_hosts, show_pages
from webstrata.classify.learning.labels import read_labels
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_answers_are_kept_as_labels_and_the_work_goes_on(tmp_path: Path) -> None:
    sheet = LabelSheet(tmp_path / "labels.csv")
    for host, label in (("a.org", "spam"), ("b.org", "nonspam"), ("c.org", "undecided")):
        sheet.add(host, label)
    assert read_labels(sheet.path).tasks == {"spam": {"a.org": True, "b.org": False}}
    again = LabelSheet(sheet.path)
    again.add("b.org", "news")
    assert LabelSheet(sheet.path).labels == {"a.org": "spam", "b.org": "news", "c.org": "undecided"}
    assert set(propose_hosts(["a.org", "c.org", "d.org", "e.org"], list(again.labels))) == {"d.org", "e.org"}


def test_a_file_that_is_no_sheet_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("spam\na.org,b.org\n")
    with pytest.raises(FormatError, match="its first line is spam"):
        LabelSheet(path)
    assert path.read_text() == "spam\na.org,b.org\n"


def test_the_home_page_is_shown_first(tmp_path: Path) -> None:
    snapshot = make_web(tmp_path / "uk")
    shown = list(show_pages(snapshot, "a.org", most=2))
    assert [(url, title) for url, title, _ in shown] == [
        ("http://a.org/", "Fish and ships"), ("http://a.org/deep", "Deep"),
    ]  # fmt: skip
    assert "The fish swim" in shown[0][2]
    assert list(show_pages(snapshot, "gone.org")) == []
