"""Partitions of an index: which document or term is where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.search.small import Says, add_text, make_small
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.search.build import build_text_index
from webstrata.search.distributed.brokers import BROKERS
from webstrata.search.distributed.partitions import (
    assign_documents,
    build_partition,
    ensure_partition,
    place_of,
    read_partition,
)
from webstrata.search.index import TextIndex
from webstrata.search.settings import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


def test_versions_of_a_page_are_in_one_part_and_tiers_grow(index: TextIndex) -> None:
    keys = index.documents["row_key"].to_pylist()
    assert assign_documents(index, "documents", 3).tolist() == [place_of(key, 3) for key in keys]
    with pytest.raises(MissingError, match="no snapshot has been ranked"):
        assign_documents(index, "tiers", 2)


def test_tiers_have_the_documents_with_most_links_first(
    index: TextIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    factors = np.array([1.1, 1.9, 1.2, 1.3, 1.8, 1.0, 1.0, 1.0], np.float32)
    monkeypatch.setattr(index, "factors", lambda *_: (factors, {"2026-05": ["pagerank"]}))
    assert assign_documents(index, "tiers", 2).tolist() == [1, 0, 1, 1, 0, 1, 1, 1]


def test_parts_of_an_index_that_grew_score_as_it_does(tmp_path: Path) -> None:
    def page(month: int) -> dict[str, Says]:
        # what stands around it is that of the first version of a generation
        text = f"Tropical fish swim in warm water all year long, {month} times.\nmonth{month} fish sea salt"
        return {f"http://{name}.example/": Says("Fish", text, main=(0, 56)) for name in "abcd"}

    collection = make_small(tmp_path / "uk", {"2026-01": page(1), "2026-02": page(2)})
    build_text_index(collection, workers=1)
    add_text(collection, "2026-03", page(3))
    assert len(build_text_index(collection, workers=1).generations) == 2
    build_partition(collection, "documents", 3, workers=1)
    index = TextIndex.open(collection)
    settings = SearchSettings()
    with BROKERS["documents"](index, "documents", pool="threads") as broker:
        for query in ("fish", "month1 fish", "month2", "month3 salt"):
            clause = index.compiler(settings).compile(query)
            one, other = (each.top(clause, 20, index.mask(), settings) for each in (index, broker))
            assert one[0].tolist() == other[0].tolist()
            np.testing.assert_allclose(one[1], other[1], rtol=1e-6)


def test_a_partition_is_made_once_for_an_index_and_a_number_of_parts(divided: ws.Collection) -> None:
    before = divided.parts.record("text_index-terms")
    ensure_partition(divided, "terms", 3)
    assert divided.parts.record("text_index-terms") == before


def test_what_is_no_partition_is_refused(indexed: ws.Collection, tmp_path: Path) -> None:
    for kind, parts in (("rows", 2), ("terms", 0), ("terms", 5000)):
        with pytest.raises(UsageError, match="expected"):
            build_partition(indexed, kind, parts)
    (tmp_path / "partition.json").write_text("[1]")
    with pytest.raises(FormatError, match="does not describe a partition"):
        read_partition(tmp_path / "partition.json")
