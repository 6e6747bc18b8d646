"""webstrata index, as it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.search.small import make_small

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., subprocess.CompletedProcess[str]]


def test_an_index_is_built_described_and_shown(webstrata: Command, tmp_path: Path) -> None:
    make_small(tmp_path / "uk")
    done = webstrata("index", "uk", "--snapshots", "2026-05")
    assert done.returncode == 0, done.stderr
    assert "uk: 4 documents for 4 pages of 1 snapshot, 4 of them new, in 1 segment" in done.stdout
    told = json.loads(webstrata("index", "uk", "--snapshots", "all", "--json").stdout)
    assert told["counts"] == {"snapshots": 3, "documents": 8, "new": 4, "pages": 11, "segments": 2}
    assert "text_index" in webstrata("show", "uk").stdout
    assert webstrata("check", "uk").returncode == 0


def test_what_cannot_be_indexed_is_said_in_one_sentence(webstrata: Command, tmp_path: Path) -> None:
    make_small(tmp_path / "uk", {})
    for words, sentence in (
        (["index", "uk"], "no snapshot has text to be indexed"),
        (["index", "uk", "--snapshots", "2026-09"], "no snapshot 2026-09"),
        (["index", "uk", "--stemmer", "x"], "stemmer"),
        (["index", "uk", "--parts", "3"], "name it with --partition"),
        (["index", "nowhere"], "no such collection"),
    ):
        done = webstrata(*words)
        assert done.returncode == 2, words
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1
