"""Building an index, and adding to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from tests.search.small import MONTHS, Says, add_text, make_small
from webstrata.collection.progress import Progress
from webstrata.errors import DateError, MissingError
from webstrata.search import build as building
from webstrata.search import segments as writing
from webstrata.search.build import build_text_index, choose_snapshots
from webstrata.search.documents import NO_DOCUMENT
from webstrata.search.index import TextIndex
from webstrata.search.settings import SearchSettings
from webstrata.store.pages import write_pages

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws
    from webstrata.search.hits import Hits

QUERIES = ("fish", "tropical fish", '"fried fish"', "waves OR menu", "chips -peas")


def answers(collection: ws.Collection) -> list[list[tuple[str, tuple[str, ...], float]]]:
    def read(hits: Hits) -> list[tuple[str, tuple[str, ...], float]]:
        rows = zip(hits.urls, map(tuple, hits.snapshots), hits.scores.round(5).tolist(), strict=True)
        return sorted(rows)

    index = TextIndex.open(collection)
    return [read(index.search(query, grouped=False)) for query in QUERIES]


def test_months_added_one_by_one_give_the_same_answers(tmp_path: Path, indexed: ws.Collection) -> None:
    collection = make_small(tmp_path / "uk", {"2026-06": MONTHS["2026-06"]})
    build_text_index(collection, workers=1)
    for label in ("2026-07", "2026-05"):  # an earlier one may come later
        add_text(collection, label, MONTHS[label])
        facts = build_text_index(collection, workers=1)
    assert len(facts.segments) == 3
    assert collection.parts.record("text_index").counts["new"] == 2  # cats, and the sea with one link
    assert answers(collection) == answers(indexed)
    # nothing new, nothing written
    build_text_index(collection, workers=1)
    assert collection.parts.record("text_index").counts["new"] == 0
    # another stemmer, or a month that is left out, makes all of it anew
    facts = build_text_index(collection, settings=SearchSettings(stemmer="none"), workers=1)
    assert len(facts.segments) == 1
    assert TextIndex.open(collection).search("fishes").urls == []
    build_text_index(collection, [collection["2026-07"]], workers=1)
    assert TextIndex.open(collection).snapshots == ["2026-07"]


def test_segments_in_processes_and_in_little_memory_give_the_same_answers(
    tmp_path: Path, indexed: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = make_small(tmp_path / "uk")
    monkeypatch.setattr(writing, "_MANY_WORDS", 0)
    facts = build_text_index(collection, workers=2)
    assert facts.generations == [len(facts.segments)] == [2]
    assert answers(collection) == answers(indexed)
    # no memory for more than a page at a time
    monkeypatch.setattr(writing, "_AT_ONCE", 1)
    monkeypatch.setattr(
        building,
        "make_works",
        lambda *given: [work._replace(memory=0) for work in writing.make_works(*given)],
    )
    collection.parts.remove("text_index")
    facts = build_text_index(collection, workers=1)
    assert facts.generations == [len(facts.segments)] == [6]
    assert answers(collection) == answers(indexed)


def test_generations_are_written_together_when_there_are_many(
    tmp_path: Path, indexed: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = make_small(tmp_path / "uk", {"2026-05": MONTHS["2026-05"]})
    build_text_index(collection, workers=1)
    add_text(collection, "2026-06", MONTHS["2026-06"])
    assert build_text_index(collection, workers=1).generations == [1, 1]
    monkeypatch.setattr(writing, "MAX_GENERATIONS", 2)
    add_text(collection, "2026-07", MONTHS["2026-07"])
    # the first two have too few documents to stay two; the third has one
    assert build_text_index(collection, workers=1).generations == [1, 1]
    reader = TextIndex.open(collection).reader
    assert [len(reader.listed_documents(number)) for number in (0, 1)] == [7, 1]
    assert answers(collection) == answers(indexed)


def test_an_earlier_month_that_comes_later_gives_documents_its_own_surroundings(tmp_path: Path) -> None:
    def page(menu: str) -> dict[str, Says]:
        return {"http://a.example/": Says("Fish", f"Tropical fish swim here.\n{menu}", main=(0, 24))}

    collection = make_small(tmp_path / "uk", {"2026-06": page("June")})
    build_text_index(collection, workers=1)
    assert len(TextIndex.open(collection).search("june")) == 1
    add_text(collection, "2026-05", page("May"))
    build_text_index(collection, workers=1)
    index = TextIndex.open(collection)
    assert index.search("may").snapshots == [["2026-05", "2026-06"]]
    assert len(index.search("june")) == 0


def test_a_build_that_is_broken_off_leaves_the_old_index_and_its_segments(tmp_path: Path) -> None:
    collection = make_small(tmp_path / "uk", {"2026-05": MONTHS["2026-05"]})
    build_text_index(collection, workers=1)
    before = TextIndex.open(collection)
    add_text(collection, "2026-06", MONTHS["2026-06"])

    class Stops(Progress):
        def changed(self, task: object) -> None:
            if getattr(task, "title", "") == "checksums of text_index":
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_text_index(collection, workers=1, progress=Stops())
    assert TextIndex.open(collection).snapshots == ["2026-05"]
    build_text_index(collection, workers=1)
    assert TextIndex.open(collection).search("mushy").snapshots == [["2026-06"]]
    # who had it open keeps what was there
    assert len(before.search("mushy")) == 0


def test_pages_without_a_word_and_snapshots_without_a_page_are_indexed_too(tmp_path: Path) -> None:
    collection = make_small(tmp_path / "uk", {"2026-05": {}, "2026-06": {"http://a.example/": Says()}})
    assert build_text_index(collection, [collection["2026-05"]], workers=1).num_documents == 0
    assert TextIndex.open(collection).search("fish").urls == []
    build_text_index(collection, workers=1)
    assert TextIndex.open(collection).search("site:a.example").urls == ["http://a.example/"]


def test_snapshots_are_chosen_by_their_labels(indexed: ws.Collection) -> None:
    assert [one.date for one in choose_snapshots(indexed, "2026-07, 2026-05")] == ["2026-05", "2026-07"]
    assert len(choose_snapshots(indexed, "all")) == 3
    with pytest.raises(DateError, match=r"no snapshot 2026-09; known are 2026-05, 2026-06, 2026-07"):
        choose_snapshots(indexed, "2026-09")


def test_pages_marked_noindex_and_error_pages_are_nodes_without_a_document(tmp_path: Path) -> None:
    urls = [f"http://a.example/{name}" for name in ("kept", "marked", "soft")]
    collection = make_small(
        tmp_path / "uk", {"2026-05": {url: Says("Fish", "A fish swims.") for url in urls}}
    )
    marks = {"noindex": [False, True, None], "soft_404": [False, False, True]}
    with collection["2026-05"].write_part("pages") as part:
        write_pages(part.path / "pages.parquet", pa.table({"url": urls, **marks}))
    facts = build_text_index(collection, workers=1)
    assert facts.num_documents == 1
    index = TextIndex.open(collection)
    assert index.maps["2026-05"].tolist() == [0, NO_DOCUMENT, NO_DOCUMENT]
    assert index.search("fish").urls == ["http://a.example/kept"]
    assert index.count("fish") == 1
    assert (index.score("fish", "2026-05", np.arange(3)) > 0).tolist() == [True, False, False]
    assert index.nodes("2026-05").tolist() == [0]
    # in the next month one of them is shown again
    add_text(collection, "2026-06", {url: Says("Fish", "A fish swims.") for url in urls})
    build_text_index(collection, workers=1)
    index = TextIndex.open(collection)
    assert len(index.search("fish", at="2026-05", grouped=False)) == 1
    assert len(index.search("fish", at="2026-06", grouped=False)) == 3
    # other marks make another index
    with collection["2026-05"].write_part("pages") as part:
        write_pages(part.path / "pages.parquet", pa.table({"url": urls, "noindex": [True, True, True]}))
    with pytest.raises(MissingError, match="2026-05/pages changed"):
        TextIndex.open(collection)
    build_text_index(collection, workers=1)
    assert len(TextIndex.open(collection).search("fish", at="2026-05")) == 0
