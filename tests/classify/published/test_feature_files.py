"""Feature files in CSV and ARFF: which set they are, and the same values in both."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.classify.published.files import CONTENT, HOSTS, LINK, TRANSFORMED, write_arff, write_csv
from webstrata.classify.published.feature_files import GROUPS, name_motion, read_feature_file, tell_kind
from webstrata.classify.published.feature_files import LINK as DESCRIBED
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


def test_published_names_are_matched_as_described_and_not_by_what_they_contain() -> None:
    assert len(DESCRIBED) == 41
    assert [tell_kind([name]) for name in sorted(DESCRIBED)] == ["link"] * 41
    # the first lines of the description of set 2b, and ratios of the same measures
    transformed = [
        "log_indegree_hp",
        "reciprocity_mp",
        "log_assortativity_hp",
        "log(avgin_of_out*outdegree)_hp",
    ]
    transformed += ["log_avgout_of_in_mp", "log_min_truncatedpagerank_hp", "trustrank_mp/trustrank_hp"]
    assert [tell_kind([name]) for name in transformed] == ["link"] * len(transformed)
    groups = [f"{group}_{number}" for group, numbers in GROUPS.items() for number in numbers]
    assert groups == CONTENT
    assert [tell_kind([name]) for name in CONTENT] == ["content"] * 96
    others = ["bridge_mp", "login_hp", "pagerank", "HST_0", "HST_25", "HST_01", "STD_97", "AVG_1", "XHST_1"]
    others += ["bridge", "progress", "avidrank", "democracy", "xjackpot", "idrs", "hp", "log_hp"]
    assert {name: tell_kind([name]) for name in others} == dict.fromkeys(others, "")


def test_attributes_of_a_temporal_file_without_a_measure_are_left_out_and_listed(tmp_path: Path) -> None:
    path = tmp_path / "temporal.arff"
    write_arff(path, ["IDR", "bridge", "log(PSimRank_2)", "progress", "IGR_mean/IGR"], 5)
    found = read_feature_file(path)
    assert (found.kind, found.left_out) == ("motion", ("bridge", "progress"))
    assert found.columns == ["IDR", "log(PSimRank_2)", "IGR_mean/IGR"]
    assert [name_motion(name) for name in found.columns] == [
        "idr",
        "psimrank log(psimrank_2)",
        "igr_mean/igr",
    ]
    write_arff(path, ["IDR"], 5)
    assert read_feature_file(path).values.shape == found.values[:, :1].shape


def test_a_damaged_arff_of_features_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    write_arff(path, ["IDR", "IGR"], 5)
    whole = path.read_bytes()
    path.write_bytes(whole[:-14])
    with pytest.raises(
        FormatError, match=r"line \d+: expected 4 values, got \d; the file is cut off"
    ) as raised:
        read_feature_file(path)
    assert "\n" not in str(raised.value)
    packed = tmp_path / "t.arff.gz"
    packed.write_bytes(gzip.compress(whole)[:-40])
    with pytest.raises(FormatError, match="cut off"):
        read_feature_file(packed)
    path.write_bytes(whole.replace(b"\n3,", b"\n3.5,"))
    with pytest.raises(FormatError, match="a host id is missing or no whole number"):
        read_feature_file(path)
