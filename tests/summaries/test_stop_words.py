"""Stop words of files and of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError, MissingError
from webstrata.summaries.stop_words import read_stop_words

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_has_a_word_a_line_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text(" | a list of Snowball\nDer | the\n# another comment\nisn't\n\n")
    assert read_stop_words(str(path)) == ["der", "isn't", "isn’t"]
    path.write_bytes(b"ok\nna\xefve")
    with pytest.raises(FormatError, match="byte 5 is no UTF-8"):
        read_stop_words(str(path))
    with pytest.raises(MissingError, match="nothing there to read stop words"):
        read_stop_words(str(tmp_path / "none.txt"))


def test_english_words_are_folded_and_written_with_both_apostrophes() -> None:
    words = read_stop_words("en")
    assert {"the", "and", "don't", "don’t"} <= set(words)
    assert all(word == word.casefold() for word in words)
    assert words == sorted(set(words))
