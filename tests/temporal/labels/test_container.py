"""Files of labels that cannot be used: one sentence each."""

from __future__ import annotations

import re
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.temporal.labelled import Labelled, make
from webstrata.errors import FormatError, MissingError, NewerFormatError
from webstrata.temporal.labels import LabelledGraph
from webstrata.temporal.labels.container import pack_numbers, unpack_numbers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def graph() -> Labelled:
    return make(5, 200, 12, bounded=True, churn=0.3)


def test_files_that_cannot_be_used_are_refused(tmp_path: Path, graph: Labelled) -> None:
    path = graph.write(tmp_path / "union")
    file = tmp_path / "union.labels"
    data = file.read_bytes()

    def refused(kind: type[Exception], sentence: str, content: bytes | None) -> None:
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(kind, match=sentence):
            LabelledGraph.open(path, path, snapshots=graph.snapshots)

    refused(MissingError, "there are no labels", None)
    refused(FormatError, "this is no file of labels", b"something else, and long enough for it" * 20)
    refused(FormatError, "it ends after 9 bytes", data[:9])
    refused(FormatError, "it is cut off after", data[: len(data) // 2])
    refused(FormatError, "sections take", data[:16] + data[24:])
    refused(NewerFormatError, "version 2 and this webstrata reads up to 1", data[:9] + b"\2" + data[10:])
    refused(FormatError, "do not fit the first ones", data[:11] + b"\0" + data[12:])
    refused(FormatError, "are not what was written", data[:-160] + b"\xff\xff" + data[-158:])


def test_labels_of_another_graph_are_refused(tmp_path: Path, graph: Labelled) -> None:
    path, other = graph.write(tmp_path / "union"), make(6, 200, 12, bounded=True, churn=0.3)
    other.write(tmp_path / "other")
    with pytest.raises(FormatError, match="the labels are those of another graph"):
        LabelledGraph.open(tmp_path / "other", path, snapshots=graph.snapshots)
    (tmp_path / "union.graph").write_bytes((tmp_path / "union.graph").read_bytes() + bytes(8))
    with pytest.raises(FormatError, match="coded in other bits"):
        LabelledGraph.open(path, path, snapshots=graph.snapshots)
    with pytest.raises(ValueError, match="snapshots: expected the 12 of"):
        LabelledGraph.open(tmp_path / "other", tmp_path / "other", snapshots=["2026"])


def test_a_window_that_no_memory_holds_is_no_harm(tmp_path: Path, graph: Labelled) -> None:
    path = graph.write(tmp_path / "union")
    whole = LabelledGraph.open(path, path, snapshots=graph.snapshots).labelled_rows()
    properties = tmp_path / "union.properties"
    text = re.sub(r"windowsize=\d+", f"windowsize={2**63}", properties.read_text())
    properties.write_text(text)
    rows = LabelledGraph.open(path, path, snapshots=graph.snapshots).labelled_rows()
    assert str(2**63) in text
    assert np.array_equal(rows.labels, whole.labels)


def test_numbers_that_are_none_are_refused() -> None:
    data = pack_numbers(np.arange(9, dtype=np.uint64))
    vast = zlib.compress(struct.pack(">BBQ", 1, 8, 1 << 61))
    empty = zlib.compress(struct.pack(">BBQ", 1, 0, 1 << 61))
    for damaged in (
        b"",
        data[:-3],
        b"x" + data,
        vast,
        empty,
        pack_numbers(),
        pack_numbers(*[np.ones(1, np.uint64)] * 2),
    ):
        with pytest.raises(FormatError, match="numbers cannot be read"):
            unpack_numbers(damaged, num_arrays=1, most=9)


def test_numbers_are_unpacked_no_further_than_there_can_be_any() -> None:
    data = pack_numbers(np.zeros(1 << 20, np.uint64))
    assert len(data) < 1 << 11
    with pytest.raises(FormatError, match="cut off, or more than 9"):
        unpack_numbers(data, num_arrays=1, most=9)
