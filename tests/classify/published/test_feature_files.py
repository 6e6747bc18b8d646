"""Feature files in CSV and ARFF: which set they are, and the same values in both."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.classify.published.files import CONTENT, HOSTS, LINK, TRANSFORMED, write_arff, write_csv
from webstrata.classify.published.feature_files import read_feature_file
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_csv_and_arff_have_the_same_values(tmp_path: Path) -> None:
    write_csv(tmp_path / "c.csv.gz", CONTENT, 2)
    write_arff(tmp_path / "c.arff.gz", CONTENT, 2)
    one, other = read_feature_file(tmp_path / "c.csv.gz"), read_feature_file(tmp_path / "c.arff.gz")
    assert one.kind == other.kind == "content"
    assert one.columns == other.columns == CONTENT
    assert one.hosts == other.hosts == list(range(HOSTS))
    missing = np.isnan(one.values)
    assert missing.sum() == 1
    assert np.array_equal(one.values[~missing], other.values[~missing])


def test_link_files_are_known_by_their_columns(tmp_path: Path) -> None:
    for columns in (LINK, TRANSFORMED):
        write_csv(tmp_path / "l.csv", columns, 3, named=False)
        found = read_feature_file(tmp_path / "l.csv")
        assert (found.kind, found.columns) == ("link", columns)


def test_an_arff_of_another_relation_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "iris.arff"
    path.write_text("@relation iris\n@attribute sepallength real\n@data\n5.1\n")
    with pytest.raises(FormatError, match="relation 'iris' has no hostid or hostname"):
        read_feature_file(path)
    path.write_text("@relation iris\n@attribute hostid numeric\n@attribute sepallength real\n@data\n0,5.1\n")
    with pytest.raises(FormatError, match="relation 'iris' has none of the features"):
        read_feature_file(path)


def test_a_file_that_is_cut_off_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    write_csv(path, LINK, 3)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match=r"expected 7 values, got \d; the file is cut off"):
        read_feature_file(path)
    packed = tmp_path / "c.csv.gz"
    write_csv(packed, CONTENT, 2)
    packed.write_bytes(packed.read_bytes()[: packed.stat().st_size // 2])
    with pytest.raises(FormatError, match="cut off"):
        read_feature_file(packed)
    path.write_bytes(gzip.compress(b"#hostid,HST_1\n0,1\n"))
    with pytest.raises(FormatError):
        read_feature_file(path)
