"""Near-duplicates: both schemes, and how well they find what was planted."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import webstrata as ws
from tests.crawl.test_run import crawl_web
from tests.store import reference
from webstrata.store.duplicates import score
from webstrata.store.near_duplicates import (
    containment,
    cosine,
    count_words,
    find_near_duplicates,
    fingerprints,
    rabin,
    resemblance,
    sharing_pairs,
)
from webstrata.store.simhash import simhash
from webstrata.store.text import COLUMNS, TEXT, Text, write_text
from webstrata.web.words import words

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.simulate.invitro import Web

numbers = st.integers(0, 2**64 - 1)


@given(st.lists(numbers, max_size=12), st.integers(1, 6), st.booleans())
def test_a_rabin_fingerprint_is_a_remainder_of_polynomials(hashes: list[int], n: int, whole: bool) -> None:  # noqa: FBT001
    found = rabin(np.array(hashes, np.uint64), n, overlapping=not whole).tolist()
    length = min(n, len(hashes))
    starts = range(0, len(hashes) - length + 1, n if whole else 1) if length else ()
    assert found == [reference.rabin(hashes[start : start + length]) for start in starts]


@given(st.lists(st.sets(st.integers(0, 12), max_size=8), max_size=8), st.integers(2, 9))
def test_the_inverted_index_finds_all_that_share(sets: list[set[int]], limit: int) -> None:
    expected: dict[tuple[int, int], int] = defaultdict(int)
    for value in range(13):
        owners = [place for place, values in enumerate(sets) if value in values]
        for i, a in enumerate(owners):
            for j, b in enumerate(owners[i + 1 :]):
                if len(owners) <= limit or j == 0:
                    expected[a, b] += 1
    documents = [np.array(sorted(values), np.uint64) for values in sets]
    pairs, shared = sharing_pairs(documents, limit=limit)
    assert dict(zip(map(tuple, pairs.tolist()), shared.tolist(), strict=True)) == expected
    assert pairs.tolist() == sorted(pairs.tolist())


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_resemblance_and_containment_are_shares_of_sets(a: set[int], b: set[int]) -> None:
    here, there = (np.array(sorted(values), np.uint64) for values in (a, b))
    assert resemblance(here, there) == (len(a & b) / len(a | b) if a | b else 1)
    assert containment(here, there) == (len(a & b) / len(a) if a else 1)


def test_a_text_is_like_itself_and_unlike_another() -> None:
    one, other = "to be or not to be", "this is the question"
    assert cosine(count_words(one), count_words(one.upper())) == pytest.approx(1)
    assert cosine(count_words(one), count_words(other)) == cosine(count_words(""), count_words(one)) == 0
    assert cosine(count_words("a a b"), count_words("a b b")) == pytest.approx(4 / 5)
    assert fingerprints("").tolist() == []
    assert len(fingerprints("two words", p=1)) == 1
    assert len(fingerprints("a b c d e f", n=3, p=1, overlapping=False)) == 2


@pytest.fixture(scope="module", params=[("tiny", 7), pytest.param(("small", 3), marks=pytest.mark.slow)])
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Web, Snapshot]:
    """A crawl; the similarity of near-duplicates was not chosen on the larger one."""
    preset, seed = request.param
    web = ws.invitro.Web(preset, seed=seed)
    return web, crawl_web(tmp_path_factory.mktemp(preset), web)[0]


@pytest.mark.parametrize(
    ("method", "distance", "floor"),
    [
        ("fingerprint", 3, 0.99),
        # words by frequency and 64 bits do not tell more at this similarity; see the docs
        ("simhash", 7, 0.85),
        ("simhash", 3, 0.3),
    ],
)
def test_planted_variations_are_found(
    crawled: tuple[Web, Snapshot],
    method: str,
    distance: int,
    floor: float,
    capsys: pytest.CaptureFixture[str],
) -> None:
    web, snapshot = crawled
    families = web.graph(view="collection").families
    found = find_near_duplicates(snapshot.text, method=method, distance=distance)
    result = score(found.labels.tolist(), families.tolist())
    with capsys.disabled():
        planted = web.settings.near_similarity
        print(f"\n{method}, distance {distance}, {len(families)} pages, planted {planted}: {result}")
    assert result.true > 10
    assert result.precision >= 0.95
    assert result.recall >= floor


def write_pages(folder: Path, pages: list[str]) -> Text:
    rows = [{"title": "", "headings": [], "text": page} for page in pages]
    columns = [{"words": len(words(page)), "simhash": simhash(words(page))} for page in pages]
    batches = [
        pa.RecordBatch.from_pylist(rows[place : place + 64], schema=TEXT) for place in range(0, len(rows), 64)
    ]
    write_text(folder, batches, pa.Table.from_pylist(columns, schema=COLUMNS))
    return Text(folder)


@pytest.mark.parametrize("method", ["fingerprint", "simhash"])
def test_a_large_cluster_is_one_and_pages_without_words_are_in_none(tmp_path: Path, method: str) -> None:
    draw = np.random.default_rng(3)
    shared = [f"w{number}" for number in draw.integers(0, 500, 300)]
    alike = [" ".join([*shared, f"own{number}"]) for number in range(100)]  # more than the limit of a list
    others = [" ".join(f"x{number}" for number in draw.integers(0, 10**6, 300)) for _ in range(50)]
    found = find_near_duplicates(write_pages(tmp_path, [*alike, *others, "", ""]), method=method)
    assert [len(cluster) for cluster in found.clusters] == [100]
    assert found.clusters[0].tolist() == list(range(100))
    assert found.similarities.min() > 0.99
    if method == "fingerprint":
        assert found.candidates < 1000


def test_an_unknown_method_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected fingerprint or simhash"):
        find_near_duplicates(write_pages(tmp_path, []), method="guess")
    assert not find_near_duplicates(write_pages(tmp_path, [])).clusters
