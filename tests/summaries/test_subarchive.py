"""Parts of archives: the same summaries by other numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import FormatError
from webstrata.summaries import SubArchive, make_rows, write_archive

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.summaries import Archive


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    rows = make_rows(
        [(nth, {term: 1 + nth % 3 for term in range(nth % 9)}) if nth % 11 else (0, {}) for nth in range(120)]
    )
    return write_archive(tmp_path_factory.mktemp("archive"), rows, missing=range(0, 120, 11))


@given(outer=st.sets(st.integers(0, 119)), inner=st.sets(st.integers(0, 119)))
def test_a_part_of_a_part_is_the_nodes_that_it_names(
    archive: Archive, outer: set[int], inner: set[int]
) -> None:
    part = archive.subset(sorted(outer))
    chosen = sorted(place for place in inner if place < len(part))
    nested = part.subset(chosen)
    nodes = [sorted(outer)[place] for place in chosen]
    assert nested.nodes.tolist() == nodes
    assert nested.batch(np.arange(len(nested))).equals(archive.batch(nodes))
    assert nested.has(np.arange(len(nested))).tolist() == archive.has(nodes).tolist()
    everything = np.arange(-1, 121)
    expected = [nodes.index(node) if node in nodes else -1 for node in everything.tolist()]
    assert nested.find(everything).tolist() == expected


def test_a_part_is_kept_in_a_file_and_opened_again(archive: Archive, tmp_path: Path) -> None:
    archive.subset([3, 90]).write(tmp_path / "odd.set")
    assert SubArchive.open(archive, tmp_path / "odd.set")[1].length == 90
    small = write_archive(tmp_path / "small", make_rows([(1, {0: 1})]))
    with pytest.raises(FormatError, match="it names nodes that <Archive of 1 summaries"):
        SubArchive.open(small, tmp_path / "odd.set")


def test_nodes_that_are_not_there_are_refused(archive: Archive) -> None:
    with pytest.raises(IndexError, match="expected 0 to 119, got 5 to 120"):
        archive.subset([5, 120])
    with pytest.raises(IndexError, match="expected 0 to 1, got 2"):
        archive.subset([5, 6])[2]
