"""The files of an index."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

import webstrata as ws
from tests.sealing import seal
from webstrata._core.search import Analyzer, Reader, Writer
from webstrata.errors import FormatError, MissingError
from webstrata.search.build import build_text_index
from webstrata.search.files import find_segments, put_together, read_facts
from webstrata.search.index import TextIndex
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from webstrata.collection.parts import Part

DATA = Path(__file__).parents[1] / "data" / "search-1"


def test_segments_that_are_put_together_number_their_documents_in_order(tmp_path: Path) -> None:
    for name, titles in (("one", {0: "a", 1: "b"}), ("two", {2: "b"})):
        (tmp_path / name).mkdir()
        writer = Writer(tmp_path / name, [("title", "versions")], Analyzer(load_core(), None))
        writer.add([[(number, [[title]])] for number, title in titles.items()])
        writer.finish()
    names = put_together(
        tmp_path / "both", [find_segments(tmp_path / "one", is_ours=False), find_segments(tmp_path / "two")]
    )
    reader = Reader(tmp_path / "both", names)
    assert reader.postings(0, "b")[0].tolist() == [1, 2]
    # what was linked is still there, and what was moved is not
    assert len(json.loads((tmp_path / "one" / "meta.json").read_bytes())["segments"]) == 1
    assert not list((tmp_path / "two").glob("*.idx"))


def test_an_index_of_an_earlier_format_says_how_to_build_it_again(
    tmp_path: Path, indexed: ws.Collection
) -> None:
    with pytest.raises(MissingError, match=r"an earlier version.*format 1, now 3.*collection.build"):
        TextIndex(indexed, cast("Part", SimpleNamespace(path=DATA)))
    # the same command builds all of it
    shutil.copytree(indexed.path, tmp_path / "uk", symlinks=True)
    copy = ws.open(tmp_path / "uk")
    with copy.open_part("text_index") as part:
        facts = part.path / "index.json"
        facts.write_text(facts.read_text().replace('"format": 3', '"format": 2'))
    seal(copy, "text_index")
    with pytest.raises(MissingError, match=r"collection\.build"):
        TextIndex.open(copy)
    assert build_text_index(copy, workers=1).format == 3
    assert len(TextIndex.open(copy).search("fish")) > 0


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 3}', '{"format": 3, "pages": 3}'])
def test_what_describes_no_index_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "index.json").write_text(content)
    with pytest.raises(FormatError, match="does not describe an index"):
        read_facts(tmp_path / "index.json")
