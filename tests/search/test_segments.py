"""Segments: versions that share an entry are found, scored and counted as if each had one of its own."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata._core.search import Analyzer, Reader
from webstrata.search.fields import NUMBERS, SCORED, field_values, weight_list
from webstrata.search.query import Compiler
from webstrata.search.segments import new_writer, plan_generations
from webstrata.search.settings import SearchSettings
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    Versions = list[tuple[int, list[list[str]]]]

WORDS = ["fish", "sea", "salt", "ship", "swim", "coral", "reef", "tide"]
QUERIES = (
    "fish",
    "salt ship",
    "fish sea salt coral",
    '"sea salt"',
    '"fish sea salt"',
    "fish AND ship",
    "reef AND NOT tide",
    "coral -salt",
    '+fish -"sea salt"',
    '"swim coral" OR "ship swim"',
    "title:fish tide",
    "site:example sea",
    "tid*",
    "sea-salt ship",
    "fish-sea tide-fish coral",
)


@st.composite
def pages(draw: st.DrawFn) -> list[Versions]:
    """Pages with versions, each made of the one before by cuts, insertions and moves."""
    some = st.lists(st.sampled_from(WORDS), max_size=12)
    long = st.lists(st.sampled_from(WORDS), min_size=10, max_size=80)
    found: list[Versions] = []
    count = itertools.count()
    for number in range(draw(st.integers(1, 4))):
        words, title, around = draw(long), draw(st.sampled_from(WORDS)), draw(some)
        versions: Versions = []
        for _ in range(draw(st.integers(1, 5))):
            text, other = " ".join(words), " ".join(around)
            half = len(text) // 2 if draw(st.booleans()) else len(text)
            sections = [0, half, half, len(text)] if half < len(text) else [0, len(text)]
            row = {"title": title, "text": f"{text}\n{other}", "main": sections, "language": "en"}
            versions.append((next(count), field_values(f"example,h{number})/sea", row, [title])))
            place, length = draw(st.integers(0, len(words))), draw(st.integers(0, 4))
            kept = words[place : place + length] if draw(st.booleans()) else []
            words = [*words[:place], *draw(some)[:3], *words[place + length :], *kept]
            if draw(st.integers(0, 5)) == 0:
                title = draw(st.sampled_from(WORDS))
        found.append(versions)
    return found


def write(folder: Path, given: list[Versions]) -> Reader:
    """An index of one segment with these pages."""
    folder.mkdir()
    writer = new_writer(folder, Analyzer(load_core(), "porter"))
    writer.add(given)
    writer.finish()
    [segment] = json.loads((folder / "meta.json").read_bytes())["segments"]
    return Reader(folder, [segment["segment_id"].replace("-", "")])


@given(pages(), st.data())
@settings(max_examples=60, deadline=None)
def test_versions_that_share_an_entry_are_found_as_if_each_had_its_own(
    tmp_path_factory: pytest.TempPathFactory, given_pages: list[Versions], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("shared")
    # of what stands around main content that of the first version counts, so it is the same in all here
    shared = write(folder / "shared", given_pages)
    alone = write(folder / "alone", [[version] for page in given_pages for version in page])
    total = sum(map(len, given_pages))
    assert shared.num_documents == alone.num_documents == total
    assert shared.num_words() == alone.num_words()
    for name, number in NUMBERS.items():
        terms = shared.terms(number, "", 1000)
        assert terms == alone.terms(number, "", 1000)
        for term, frequency in terms.items():
            assert alone.frequency(term) == shared.frequency(term)
            assert name not in SCORED or shared.frequency(term) >= frequency
            for one, other in zip(shared.postings(number, term), alone.postings(number, term), strict=True):
                assert one.tolist() == other.tolist()
            if name in SCORED:
                places = shared.positions(number, term).tolist()
                assert places == alone.positions(number, term).tolist()
        if name in SCORED:
            assert shared.length_codes(number).tolist() == alone.length_codes(number).tolist()
    labels = np.array(data.draw(st.lists(st.integers(1, 7), min_size=total, max_size=total)), np.uint64)
    factors = np.array(data.draw(st.lists(st.floats(1, 1.5, width=32), min_size=total, max_size=total)), "f4")
    analyzer, given_weights = Analyzer(load_core(), "porter"), weight_list(SearchSettings())
    compiler = Compiler(
        analyzer,
        SCORED,
        lambda field, start: list(shared.terms(NUMBERS[field], start, 100)),
    )
    for query in QUERIES:
        clause = compiler.compile(query)
        expected = alone.score(clause, given_weights, np.arange(total, dtype=np.uint32))
        everything = np.arange(total, dtype=np.uint32)
        np.testing.assert_allclose(shared.score(clause, given_weights, everything), expected, rtol=1e-5)
        for mask, limit in ((7, total), (2, 3), (1, 1)):
            counts = {
                tuple(each.count(clause, given_weights, labels, [mask, 1, mask])) for each in (shared, alone)
            }
            assert len(counts) == 1
            for weighed in (None, (factors, 1.5)):
                found = shared.search(clause, given_weights, limit, labels, mask, weighed)
                right = alone.search(clause, given_weights, limit, labels, mask, weighed)
                np.testing.assert_allclose(found[1], right[1], rtol=1e-5, err_msg=query)
                np.testing.assert_allclose(found[2], expected[found[0]], rtol=1e-5, err_msg=query)
                # what scores the same to the last digits may change places
                assert np.all(labels[found[0]] & np.uint64(mask))


def test_versions_share_what_they_have_in_common(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(200))
    rows = [
        {"title": "Fish", "text": f"{text} {extra}", "main": [], "language": "en"}
        for extra in ("one", "two", "three")
    ]
    versions = [
        (number, field_values("example,a)/", row, ["fishes"] if number == 2 else []))
        for number, row in enumerate(rows)
    ]
    write(tmp_path / "shared", [versions])
    [segment] = json.loads((tmp_path / "shared" / "meta.json").read_bytes())["segments"]
    assert segment["max_doc"] == 2  # the third is called something else
    redesigned = dict(rows[0]) | {"text": f"{text}\nMenu of old times", "main": [0, len(text)]}
    other = dict(redesigned) | {"text": f"{text}\nAnother bar up here"}
    drawn = [(number, field_values("example,a)/", row, [])) for number, row in enumerate((redesigned, other))]
    reader = write(tmp_path / "redesigned", [drawn])
    [segment] = json.loads((tmp_path / "redesigned" / "meta.json").read_bytes())["segments"]
    assert segment["max_doc"] == 2  # what stands around main content is another
    assert reader.postings(NUMBERS["other"], "menu")[0].tolist() == [0]


@given(st.lists(st.integers(0, 1000), max_size=40))
def test_generations_keep_their_order_and_few_are_left(sizes: list[int]) -> None:
    runs = plan_generations(sizes, most=4)
    assert [place for run in runs for place in run] == list(range(len(sizes)))
    if len(sizes) > 4:
        sums = [sum(sizes[run.start : run.stop]) for run in runs]
        assert all(one >= 2 * other for one, other in itertools.pairwise(sums))
