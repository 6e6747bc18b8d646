"""ARFF files, as Weka writes them and as SciPy reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.io import arff

from tests.classify.published.files import CONTENT, write_arff
from webstrata.classify.published.arff import read_arff
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_scipy_reads_the_same_from_a_published_file(tmp_path: Path) -> None:
    path = tmp_path / "uk-2007-05.content_based_features.arff"
    write_arff(path, CONTENT, 2)
    data, meta = arff.loadarff(path)
    found = read_arff(path)
    assert found.relation == meta.name.strip("'")
    assert [one.name for one in found.attributes] == meta.names()
    assert len(found) == len(data)
    for name in ["hostid", *CONTENT]:
        assert np.array_equal(np.asarray(found.columns[name], np.float64), data[name])
    assert found.columns["class"] == [value.decode() for value in data["class"]]


def test_scipy_agrees_about_quotes_missing_values_and_nominal_attributes(tmp_path: Path) -> None:
    path = tmp_path / "odd.arff"
    path.write_text(
        "% odd\n@relation 'two words'\n@attribute 'host id' real\n@attribute kind {a, b}\n\n@data\n"
        "% a comment\n1.5 , a\n?,b\n-2e3,?\n"
    )
    found = read_arff(path)
    data, meta = arff.loadarff(path)
    assert found.relation == "two words"
    assert [one.name for one in found.attributes] == meta.names()
    assert np.array_equal(np.asarray(found.columns["host id"], np.float64), data["host id"], equal_nan=True)
    assert found.columns["kind"] == ["a", "b", None]
    assert [value.decode() for value in data["kind"]] == ["a", "b", "?"]


def test_strings_and_sparse_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.arff"
    head = "@RELATION s\n@ATTRIBUTE n INTEGER\n@ATTRIBUTE host STRING\n@ATTRIBUTE kind {x,y}\n@DATA\n"
    path.write_text(head + "{0 7, 1 'a, b'}\n{}\n3,\"it's\",y\n")
    found = read_arff(path)
    assert found.columns["n"].tolist() == [7, 0, 3]  # type: ignore[union-attr]
    assert found.columns["host"] == ["a, b", "0", "it's"]
    assert found.columns["kind"] == ["x", "x", "y"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("host,label\n", "this is no ARFF file"),
        ("@relation a\n@attribute x numeric\n", "no @data"),
        ("@relation a\n@data\n", "no @attribute before @data"),
        (
            "@relation a\n@attribute x numeric\n@attribute y real\n@data\n1,2\n3\n",
            "line 6: expected 2 values, got 1",
        ),
        ("@relation a\n@attribute x numeric\n@data\nmany\n", "attribute x has a value that is no number"),
        ("@relation a\n@attribute x numeric\n@data\n{4 1}\n", "expected 1 values, got 0"),
        ("@relation a\n@attribute x\n@data\n1\n", "expected `@attribute NAME TYPE`"),
    ],
)
def test_damage_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.arff"
    path.write_text(text)
    with pytest.raises(FormatError) as raised:
        read_arff(path)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
