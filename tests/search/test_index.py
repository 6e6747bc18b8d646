"""Asking an index: scores, time, hosts, versions, near-duplicates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import webstrata as ws
from tests.sealing import seal
from tests.search import reference
from tests.search.small import MONTHS, Says, add_text, make_small
from webstrata._core.search import LENGTHS, Analyzer, Reader, Writer
from webstrata.errors import DateError, FormatError, MissingError
from webstrata.search.build import build_text_index
from webstrata.search.fields import FIELDS, NUMBERS, SCORED, field_values, weight_list
from webstrata.search.index import TextIndex
from webstrata.search.query import Compiler
from webstrata.search.settings import SearchSettings
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["fish", "sea", "salt", "ship", "swim"]
texts = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
pages = st.lists(st.tuples(texts, texts, st.lists(texts, max_size=2)), min_size=1, max_size=12)


def _join(values: list[list[str]]) -> list[str]:
    """The words of all values of a field, with a mark between two values: their words are not neighbours."""
    marked = [[*([] if place == 0 else ["\0"]), *value] for place, value in enumerate(values)]
    return [term for value in marked for term in value]


def test_lengths_are_kept_as_lucene_keeps_them() -> None:
    for length in (*range(300), 1000, 12345, 10**6):
        assert max(kept for kept in LENGTHS if kept <= length) == reference.lucene_length(length)


@given(
    pages, st.lists(st.sampled_from([*WORDS, "sea-salt", "ship-swim"]), min_size=1, max_size=3, unique=True)
)
@settings(max_examples=25)
def test_scores_are_those_of_a_plain_bm25f(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, str, list[str]]], query: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("bm25")
    analyzer = Analyzer(load_core(), "porter")
    documents = [
        field_values(
            f"example,h{number})/sea",
            {"title": title, "text": text, "main": [], "language": "en"},
            [anchor for anchor in anchors if anchor],
        )
        for number, (title, text, anchors) in enumerate(drawn)
    ]
    writer = Writer(folder, FIELDS, analyzer)
    writer.add([[(number, values)] for number, values in enumerate(documents)])
    writer.finish()
    [segment] = json.loads((folder / "meta.json").read_bytes())["segments"]
    reader = Reader(folder, [segment["segment_id"].replace("-", "")])
    fields = {
        name: [_join([analyzer.terms(value) for value in each[NUMBERS[name]]]) for each in documents]
        for name in SCORED
    }
    given_list = weight_list(SearchSettings())
    given_weights = {name: given_list[NUMBERS[name]] for name in SCORED}
    words = []
    for word in query:
        terms = analyzer.terms(word)
        # a compound counts as a phrase, and each of its parts as a word
        words += [terms, *([term] for term in dict.fromkeys(terms) if len(terms) > 1)]
    expected = [reference.score(words, number, fields, given_weights) for number in range(len(drawn))]
    clause = Compiler(analyzer, SCORED, lambda *_: []).compile(" ".join(query))
    labels = np.ones(len(drawn), np.uint64)
    found, scores, _ = reader.search(clause, given_list, len(drawn), labels, 1)
    assert set(found.tolist()) == set(np.flatnonzero(expected).tolist())
    np.testing.assert_allclose(scores, np.array(expected)[found], rtol=1e-5)
    # the best three are the best three of all, whatever was pruned
    _, best, _ = reader.search(clause, given_list, 3, labels, 1)
    np.testing.assert_allclose(best, scores[:3], rtol=1e-6)


def test_one_document_stands_for_all_months_in_which_a_page_is_the_same(index: TextIndex) -> None:
    assert len(index) == 8  # of eleven pages
    hits = index.search("fish", host="fish.example")
    assert hits.urls == ["http://fish.example/", "http://fish.example/chips"]
    assert hits.snapshots == [["2026-05", "2026-06", "2026-07"], ["2026-05", "2026-07"]]
    assert hits.folded == [0, 1]
    assert index.search("mushy", since="2026-06").snapshots == [["2026-06"]]
    assert len(index.search("mushy", since="2026-07")) == 0
    assert len(index.search("mushy", until="2026-05")) == 0
    assert len(index.search("chips", until="2026-06", grouped=False)) == 2
    # an anchor text has its time too
    assert [len(index.search("waves", at=label)) for label in index.snapshots] == [0, 1, 0]


def test_near_duplicates_are_folded_and_hosts_can_be_limited(index: TextIndex) -> None:
    assert index.search("sea", at="2026-06").folded == [0, 0]
    folding = SearchSettings(fold=0)
    assert index.search("sea", at="2026-06", settings=folding).folded == [1]
    assert len(index.search("sea", at="2026-06", grouped=False)) == 2
    one = index.search("fish", at="2026-06", settings=SearchSettings(per_host=1))
    assert one.urls == ["http://fish.example/", "http://www.sea.example/"]


def test_phrases_prefixes_fields_and_completion_find_what_they_name(index: TextIndex) -> None:
    def found(query: str) -> set[str]:
        return {url.removeprefix("http://") for url in index.search(query, at="2026-07").urls}

    assert found('"fish swim"') == {"fish.example/"}
    assert found('"swim fish"') == set()
    assert found("trop*") == {"fish.example/", "new.example/"}
    assert found("tropical*") == found("tropical") == {"fish.example/", "new.example/"}
    assert found("title:tropical") == set()
    assert found("url:chips") == {"fish.example/chips"}
    assert found("tropical AND NOT storms") == {"fish.example/"}
    assert found("site:example tropical") == {"fish.example/", "new.example/"}
    assert found("site:xample tropical") == set()
    assert index.complete("CH") == ["chips"]
    assert index.count("fish", at="2026-07") == 3


def test_dates_between_snapshots_mean_the_last_one_and_others_are_refused(index: TextIndex) -> None:
    assert index.mask(at="2026-06-15") == 0b010
    assert index.mask(at="2026") == 0b100
    assert index.mask(since="2026-06", until="2026-07-01") == 0b110
    with pytest.raises(DateError, match="2026-04 is before the first snapshot, 2026-05"):
        index.mask(at="2026-04")
    assert index.mask(at="2026-08") == 0b100
    with pytest.raises(DateError, match="no snapshot is in the range from 2026-08"):
        index.mask(since="2026-08")
    with pytest.raises(DateError, match="say one of the two"):
        index.mask(at="2026-05", since="2026-05")


def test_an_index_older_than_its_text_is_refused(tmp_path: Path) -> None:
    collection = make_small(tmp_path / "uk", {"2026-05": MONTHS["2026-05"]})
    build_text_index(collection, workers=1)
    add_text(collection, "2026-06", MONTHS["2026-06"])
    TextIndex.open(collection)  # another month is no reason
    add_text(collection, "2026-05", MONTHS["2026-06"])
    with pytest.raises(MissingError, match="the text index was built before 2026-05/text changed"):
        TextIndex.open(ws.open(collection.path))


def test_a_damaged_index_is_said_to_be_one(tmp_path: Path) -> None:
    collection = make_small(tmp_path / "uk", {"2026-05": MONTHS["2026-05"]})
    build_text_index(collection, workers=1)
    folder = collection.path / "text_index" / "segments"
    (folder / "meta.json").write_text("{}")
    seal(collection, "text_index")
    with pytest.raises(FormatError, match=r"collection.build\('text_index'\)"):
        TextIndex.open(collection)


TYPED = {
    "CVE-2023-25194": "We fixed CVE-2023-25194 in May 2023; see also CVE-2024-1.",
    "C++": "A class in C++ has members.",
    "C#": "A class in C# has properties.",
    "node.js": "Install Node.js first.",
    "don't": "They don’t like it.",
    "foo_bar": "Call foo_bar() twice.",
    "v1.2.3": "Version v1.2.3 is out.",
    "jane.doe@example.org": "Write to Jane.Doe@example.org today.",
    "東京都": "昨日は東京都に行きました。",
    "Donaudampfschifffahrtsgesellschaft": "Die Donaudampfschifffahrtsgesellschaft fährt.",
    "Straße": "Die STRASSE ist lang.",
    "std::vector": "Use std::vector here.",
}
APART = (
    "A node in js, foo and bar, don and t, v1 or 2 or 3, cve 25194, jane at doe, 東 and 京 and 都, C, std."
)


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> TextIndex:
    """Pages with words that have parts, each in main content and around it; and one with the parts alone."""
    pages = {f"http://main.example/{place}": Says("", text) for place, text in enumerate(TYPED.values())}
    for place, text in enumerate(TYPED.values()):
        pages[f"http://around.example/{place}"] = Says("", f"Main.\n{text}", main=(0, 5))
    pages["http://apart.example/"] = Says("", APART)
    collection = make_small(tmp_path_factory.mktemp("typed") / "uk", {"2026-05": pages})
    build_text_index(collection, workers=1)
    return collection.text_index


@pytest.mark.parametrize("query", TYPED)
def test_what_has_parts_is_found_as_it_is_typed(typed: TextIndex, query: str) -> None:
    place = list(TYPED).index(query)
    found = typed.search(query, grouped=False).urls
    assert set(found[:2]) == {f"http://main.example/{place}", f"http://around.example/{place}"}
    assert typed.search(f"+{query}", grouped=False).urls == found[:2]
    assert query[0].lower() in typed.search(query).to_arrow()["snippet"][0].as_py().lower()


def test_parts_find_what_they_are_parts_of(typed: TextIndex) -> None:
    for part, query in (("bar", "foo_bar"), ("25194", "CVE-2023-25194"), ("doe", "jane.doe@example.org")):
        assert f"http://main.example/{list(TYPED).index(query)}" in typed.search(part).urls


def test_a_query_without_answers_says_how_it_was_understood(typed: TextIndex) -> None:
    hits = typed.search('"CVE-2099-25194" title:fishes')
    assert len(hits) == 0
    assert hits.explain() == [
        {"text": '"CVE-2099-25194"', "terms": ["cve", "2099", "25194"], "field": "", "unknown": ["2099"]},
        {"text": "fishes", "terms": ["fish"], "field": "title", "unknown": ["fish"]},
    ]


def test_the_rarity_of_a_word_counts_documents_that_have_it_in_any_field(index: TextIndex) -> None:
    # in the title alone, in the text alone, and in both
    documents = {
        number for name in SCORED for number in index.reader.postings(NUMBERS[name], "fish")[0].tolist()
    }
    assert index.reader.frequency("fish") == len(documents)
