"""Partitions of an index: which document or term is where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.search.partitions import (
    assign_documents,
    build_partition,
    ensure_partition,
    place_of,
    read_partition,
)

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws
    from webstrata.search.index import TextIndex


def test_versions_of_a_page_are_in_one_part_and_tiers_grow(index: TextIndex) -> None:
    keys = index.documents["row_key"].to_pylist()
    assert assign_documents(index, "documents", 3).tolist() == [place_of(key, 3) for key in keys]
    with pytest.raises(MissingError, match="rank them with"):
        assign_documents(index, "tiers", 2)


def test_tiers_have_the_documents_with_most_links_first(
    index: TextIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    factors = np.array([1.1, 1.9, 1.2, 1.3, 1.8, 1.0, 1.0, 1.0], np.float32)
    monkeypatch.setattr(index, "factors", lambda *_: (factors, {"2026-05": ["pagerank"]}))
    assert assign_documents(index, "tiers", 2).tolist() == [1, 0, 1, 1, 0, 1, 1, 1]


def test_a_partition_is_made_once_for_an_index_and_a_number_of_parts(divided: ws.Collection) -> None:
    before = divided.parts.record("search-terms")
    ensure_partition(divided, "terms", 3)
    assert divided.parts.record("search-terms") == before
    assert before.renew.endswith("--partition terms --parts 3")


def test_what_is_no_partition_is_refused(indexed: ws.Collection, tmp_path: Path) -> None:
    for kind, parts in (("rows", 2), ("terms", 0), ("terms", 5000)):
        with pytest.raises(UsageError, match="expected"):
            build_partition(indexed, kind, parts)
    (tmp_path / "partition.json").write_text("[1]")
    with pytest.raises(FormatError, match="does not describe a partition"):
        read_partition(tmp_path / "partition.json")
