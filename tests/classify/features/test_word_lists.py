"""Lists of popular words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from tests.summaries.written import write_snapshot
from webstrata.classify.features import word_lists
from webstrata.classify.features.word_lists import find_corpus_words, read_query_words
from webstrata.errors import FormatError, MissingError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_most_frequent_words_come_first_and_chunks_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    vocabulary = np.array([f"w{place}" for place in range(3000)])
    texts = [" ".join(vocabulary[(rng.zipf(1.3, 50) - 1) % 3000]) + " THE" for _ in range(300)]
    text = write_snapshot(tmp_path / "uk", texts).text
    counts = Counter(word for one in texts for word in one.split() if word != "THE")
    wanted = sorted(counts, key=lambda word: (-counts[word], word))[:1000]
    for chunk in (1 << 13, 64):
        monkeypatch.setattr(word_lists, "_CHUNK", chunk)
        monkeypatch.setattr(word_lists, "_MERGED", 2)
        assert list(find_corpus_words(text, stop_words=["the"])) == wanted
    some = find_corpus_words(text, stop_words=["the"], num_pages=128)
    assert len(set(some[:20]) & set(wanted[:20])) > 15
    assert list(some) != wanted


def test_no_pages_have_no_words(tmp_path: Path) -> None:
    assert find_corpus_words(write_snapshot(tmp_path / "uk", []).text) == ()


def test_a_log_and_a_list_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("Zebra\napple pie\n\nthe PIE\t3\nno\tnumber\n5\t\n")
    assert read_query_words(str(path), stop_words=["the", "no"]) == ("pie", "zebra", "apple", "number", "5")
    path.write_text("\n".join(f"w{place}" for place in range(1200)))
    assert read_query_words(str(path)) == tuple(f"w{place}" for place in range(1000))


def test_a_file_without_words_or_that_is_not_there_is_said(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"the\n\xff\n--\n")
    with pytest.raises(FormatError, match="there is no word in it"):
        read_query_words(str(path), stop_words=["the"])
    with pytest.raises(MissingError, match="gone"):
        read_query_words(str(tmp_path / "gone"))


def test_texts_of_a_slice_are_those_of_the_slice() -> None:
    offsets, data = word_lists.to_buffers(pa.array(["a", "bc", "", "d"]).slice(1, 2))
    assert bytes(data[offsets[0] : offsets[-1]]) == b"bc"
    assert np.diff(offsets).tolist() == [2, 0]
