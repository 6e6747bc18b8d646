"""Labels as published: numbers and names, judgments, majorities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.classify.published.files import is_spam, write_dc2010, write_uk2006, write_uk2007
from webstrata.classify.learning.labels import load_labels
from webstrata.classify.published.label_files import read_label_file, tell_label_format
from webstrata.errors import FormatError, MissingError

if TYPE_CHECKING:
    from pathlib import Path


def test_labels_of_uk2007_have_names_and_no_undecided_hosts(tmp_path: Path) -> None:
    folder = write_uk2007(tmp_path) / "labels"
    test = load_labels(folder / "WEBSPAM-UK2007-SET2-labels.txt").find("spam")
    assert len(test) == 18
    assert test["h42.co.uk"] is True
    assert "h41.co.uk" not in test
    assert load_labels(folder / "WEBSPAM-UK2007-SET1-labels.txt").find("spam")["h1.co.uk"] is False


def test_labels_of_uk2006_are_the_last_field(tmp_path: Path) -> None:
    folder = write_uk2006(tmp_path)
    found = load_labels(folder / "webspam-uk2006-set1-labels.txt").find("spam")
    assert len(found) == 40
    assert all(found[f"h{host}.co.uk"] == is_spam(host) for host in range(40))
    path = folder / "webspam-uk2006-set1-labels-DomainOrTwoHumans.txt"
    path.write_text("h1.co.uk,normal\nh3.co.uk,spam\nh4.co.uk,undecided\n")
    assert read_label_file(path).tasks == {"spam": {"h1.co.uk": False, "h3.co.uk": True}}


def test_assessments_of_dc2010_are_counted_and_ties_left_out(tmp_path: Path) -> None:
    folder = write_dc2010(tmp_path)
    found = load_labels(folder / "en.useful-labels.csv")
    spam = found.find("spam")
    assert spam["h1.co.uk"] is False  # two of three
    assert "h2.co.uk" not in spam  # one of two
    assert found.find("news")["h5.co.uk"] is True
    assert "h3.co.uk" not in found.find("news")  # spam was not asked about it
    assert set(found.find("commercial").values()) == {False}
    unified = load_labels(folder / "en.unified.test.csv")
    assert unified.find("neutrality")["h41.co.uk"] is True
    assert unified.find("educational")["h41.co.uk"] is True


def test_labels_that_do_not_fit_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "WEBSPAM-UK2007-SET1-labels.txt"
    path.write_text("0 spam 1.0 j1:S\n")
    with pytest.raises(MissingError, match="no file of host names"):
        load_labels(path)
    (tmp_path / "WEBSPAM-UK2007-hostnames.txt").write_text("0 a.co.uk\n")
    path.write_text("0 spam 1.0 j1:S\n7 nonspam 0.0 j1:N\n")
    with pytest.raises(FormatError, match="there is no host 7"):
        load_labels(path)
    path.write_text("0 spam 1.0 j1:S\n0 no")
    with pytest.raises(FormatError, match="line 2: '0 no' is no label; the file is cut off"):
        load_labels(path)
    path.write_text("host,label\na.org,spam\n")
    assert tell_label_format(path) == ""
