"""Lists of postings: packed, shipped, merged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import FormatError, UsageError
from webstrata.search.postings import Lengths, Merger, pack, unpack

lists = st.dictionaries(st.integers(0, 2**32 - 1), st.integers(1, 2**32 - 1), max_size=20)


@given(lists)
def test_a_list_comes_out_as_it_went_in(counts: dict[int, int]) -> None:
    documents = np.array(sorted(counts), np.uint32)
    packed = pack(documents, np.array([counts[int(one)] for one in documents], np.uint32))
    found = unpack(packed)
    assert dict(zip(found[0].tolist(), found[1].tolist(), strict=True)) == counts


@given(st.binary(max_size=12))
def test_any_bytes_are_a_list_or_refused(data: bytes) -> None:
    try:
        documents, counts = unpack(data)
    except FormatError:
        return
    assert len(documents) == len(counts)


def test_boolean_clauses_are_merges_of_lists() -> None:
    shipped = {
        (0, name): pack(np.array(documents, np.uint32), np.ones(len(documents), np.uint32))
        for name, documents in {"a": [0, 1, 2], "b": [1, 2, 3], "c": [2]}.items()
    }
    merger = Merger(Lengths(4, [7], [np.full(4, 2, np.uint8)]), shipped.get)
    a, b, c, none = (("term", 0, name, 1.0) for name in ("a", "b", "c", "d"))

    def found(*pairs: object) -> list[int]:
        documents: list[int] = merger.answer(("boolean", list(pairs))).documents.tolist()
        return documents

    assert found(("should", a), ("should", b)) == [0, 1, 2, 3]
    assert found(("must", a), ("must", b)) == [1, 2]
    assert found(("must", a), ("should", b)) == [0, 1, 2]
    assert found(("must", a), ("not", c)) == [0, 1]
    assert found(("must", ("all",)), ("not", a)) == [3]
    assert found(("must", a), ("must", none)) == found() == []
    both = merger.answer(("boolean", [("must", a), ("should", b)])).scores
    assert both[1] == pytest.approx(both[0] + merger.answer(b).scores[0])
    with pytest.raises(UsageError, match="does not ship"):
        merger.answer(("phrase", 0, ["a", "b"], 1.0))
