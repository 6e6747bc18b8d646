"""Lists of postings: packed, shipped, merged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import FormatError
from webstrata.search.distributed.postings import Lengths, Merger, pack, pack_places, unpack, unpack_places

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
    merger = Merger(Lengths(4, [7], [np.full(4, 2, np.uint8)]), [(1.0, 1.0)], shipped.get)
    a, b, c, none = (("word", name, [0]) for name in ("a", "b", "c", "d"))

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
    with pytest.raises(ValueError, match="unknown kind guess"):
        merger.answer(("guess",))


places_of_documents = st.lists(st.sets(st.integers(0, 2**20), min_size=1, max_size=5), max_size=6)


@given(places_of_documents)
def test_places_come_out_as_they_went_in(documents: list[set[int]]) -> None:
    counts = np.array([len(places) for places in documents], np.uint32)
    places = np.array([place for own in documents for place in sorted(own)], np.uint32)
    packed = pack_places(counts, places)
    assert unpack_places(packed, counts.astype(np.int64)).tolist() == places.tolist()
    with pytest.raises(FormatError):
        unpack_places(packed + b"xxxxx", counts.astype(np.int64))


def test_a_phrase_is_where_its_words_stand_one_after_the_other() -> None:
    texts = [["a", "b", "a", "b"], ["b", "a"], ["a", "x", "b"], ["a", "a", "b"]]
    shipped, placed = {}, {}
    for term in "ab":
        own = [[place for place, word in enumerate(text) if word == term] for text in texts]
        counts = np.array([len(places) for places in own], np.uint32)
        shipped[0, term] = pack(np.arange(4, dtype=np.uint32), counts)
        placed[0, term] = pack_places(counts, np.array([place for some in own for place in some], np.uint32))
    merger = Merger(Lengths(4, [12], [np.full(4, 3, np.uint8)]), [(1.0, 1.0)], shipped.get, placed.get)
    found = merger.answer(("phrase", ["a", "b"], [0]))
    assert found.documents.tolist() == [0, 3]
    assert found.scores[0] > found.scores[1] > 0  # it is there twice
    assert merger.answer(("phrase", ["a", "a"], [0])).documents.tolist() == [3]
    assert merger.answer(("phrase", ["a", "c"], [0])).documents.tolist() == []
