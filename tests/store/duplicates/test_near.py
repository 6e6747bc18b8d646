"""Near-duplicates: both schemes, and how well they find what was planted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import webstrata as ws
from tests.crawl.test_run import crawl_web
from tests.store import reference
from webstrata._core.store import compare_texts
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled
from webstrata.store.duplicates.exact import score
from webstrata.store.duplicates.near import (
    NearDuplicates,
    Strings,
    common,
    containment,
    cosine,
    count_words,
    find_near_duplicates,
    fingerprints,
    rabin,
    resemblance,
    sharing_pairs,
)
from webstrata.store.duplicates.signatures import Signatures, SignatureSelection, sign, to_buffers
from webstrata.store.duplicates.simhash import label_clusters, simhash
from webstrata.store.text import COLUMNS, TEXT, Text, write_text
from webstrata.web.words import load_core, words

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.invitro import Web

numbers = st.integers(0, 2**64 - 1)


@given(st.lists(numbers, max_size=12), st.integers(1, 6), st.booleans())
def test_a_rabin_fingerprint_is_a_remainder_of_polynomials(hashes: list[int], n: int, whole: bool) -> None:  # noqa: FBT001
    found = rabin(np.array(hashes, np.uint64), n, overlapping=not whole).tolist()
    length = min(n, len(hashes))
    starts = range(0, len(hashes) - length + 1, n if whole else 1) if length else ()
    assert found == [reference.rabin(hashes[start : start + length]) for start in starts]


def as_signatures(sets: list[set[int]]) -> Signatures:
    offsets = np.cumsum([0, *map(len, sets)]).astype(np.uint64)
    flat = [value for values in sets for value in sorted(values)]
    return Signatures(offsets, np.array(flat, np.uint64), np.zeros(len(sets), np.uint32))


@given(
    st.lists(st.sets(st.integers(0, 12).map(lambda n: n << 60 | n), max_size=8), max_size=8),
    st.integers(1, 9),
    st.integers(0, 8),
    st.sampled_from([0.0, 0.3]),
)
def test_the_inverted_index_finds_all_that_share_what_is_rare_or_much(
    sets: list[set[int]], limit: int, cut: int, least: float
) -> None:
    possible, needed = [], []
    for b, own in enumerate(sets):
        for a, other in enumerate(sets[:b]):
            both, either = own & other, own | other
            if not both or len(both) < least * len(either):
                continue
            possible.append([a, b])
            rare = any(sum(value in values for values in sets) <= limit for value in both)
            if rare or len(both) >= 0.8 * len(either):
                needed.append([a, b])
    whole = sharing_pairs([as_signatures(sets)], limits=(limit, 99), least=least).tolist()
    assert whole == sorted(whole)
    assert all(pair in possible for pair in whole)
    assert all(pair in whole for pair in needed)
    # in two collections, of which the second is new
    parts = [as_signatures(sets[:cut]), as_signatures(sets[cut:])]
    found = sharing_pairs(parts, limits=(limit, 99), least=least, first_new=cut).tolist()
    assert found == [pair for pair in whole if pair[1] >= cut]


TEXTS = st.lists(
    st.lists(st.sampled_from(["fish", "Fish", "tank", "Straße", "3.5", "水族", "_"]), max_size=12).map(
        " ".join
    ),
    max_size=6,
)


@given(TEXTS, st.integers(1, 4), st.integers(1, 5), st.booleans())
def test_the_core_signs_texts_as_the_formulas_do(texts: list[str], n: int, p: int, overlapping: bool) -> None:  # noqa: FBT001
    found = sign([pa.array(texts, pa.string())], SignatureSelection(n=n, p=p, overlapping=overlapping))
    for number, text in enumerate(texts):
        assert found[number].tolist() == fingerprints(text, n=n, p=p, overlapping=overlapping).tolist()
        assert found.words[number] == len(words(text))


@given(TEXTS)
def test_the_core_compares_texts_as_the_formulas_do(texts: list[str]) -> None:
    pairs = np.array([(a, b) for b in range(len(texts)) for a in range(b)], np.uint32).reshape(-1, 2)
    shares, cosines = compare_texts(load_core(), *to_buffers(pa.array(texts, pa.large_string())), pairs)
    vectors = [count_words(text) for text in texts]
    assert shares.tolist() == [common(vectors[a], vectors[b]) for a, b in pairs.tolist()]
    assert cosines.tolist() == pytest.approx([cosine(vectors[a], vectors[b]) for a, b in pairs.tolist()])


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
        # a few of those that were planted have a little less than nine words of ten in common
        ("fingerprint", 3, 0.95),
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


def test_pages_with_nothing_but_what_is_frequent_are_found() -> None:
    menu = " ".join(f"menu{number}" for number in range(100))
    stubs = [f"{menu} stub{number}" for number in range(60)]
    articles = [f"{menu} {with_changes(300, 0, seed)[0]}" for seed in range(60)]
    found = find_near_duplicates(Strings([*stubs, *articles]))
    assert [len(cluster) for cluster in found.clusters] == [60]
    assert len(found.pairs) == 60 * 59 // 2
    # where they are too many, each is paired with some
    some = sharing_pairs([sign([pa.array(stubs)])], limits=(3, 10))
    assert len(some) < len(found.pairs) / 2
    assert set(label_clusters(60, some).tolist()) == {0}


def with_changes(size: int, changed: int, seed: int) -> tuple[str, str]:
    """A text, and the same with some of its words replaced, as far from each other as can be."""
    own = [f"w{number}" for number in np.random.default_rng(seed).integers(0, 10**6, size)]
    other = list(own)
    for place in np.linspace(0, size - 1, changed).astype(int):
        other[place] = f"other{place}"
    return " ".join(own), " ".join(other)


@pytest.mark.parametrize(("changed", "is_near"), [(99, True), (100, True), (101, False)])
def test_nine_words_of_ten_are_the_border(changed: int, is_near: bool) -> None:  # noqa: FBT001
    found = find_near_duplicates(Strings(with_changes(1000, changed, 1)))
    assert found.candidates == 1
    assert len(found.pairs) == is_near
    looser = find_near_duplicates(Strings(with_changes(1000, changed, 1)), resemblance=0.8)
    assert looser.shares.tolist() == [1 - changed / 1000]


@pytest.mark.parametrize("method", ["fingerprint", "simhash"])
def test_a_new_snapshot_is_compared_with_old_ones_and_not_they_with_each_other(method: str) -> None:
    one, two, three = (with_changes(300, 3, seed) for seed in (1, 2, 3))
    old = [Strings([one[0], one[1], two[0]]), Strings(["", three[0]])]
    new = Strings([two[1], three[1], three[0], "something else entirely that nobody has seen"])

    def find(texts: Strings, earlier: list[Strings]) -> NearDuplicates:
        return find_near_duplicates(texts, earlier=earlier, method=method, distance=10)

    found = find(new, old)
    assert found.starts == (0, 3, 5)
    together = find(
        Strings([*old[0].array.to_pylist(), *old[1].array.to_pylist(), *new.array.to_pylist()]), []
    )
    assert [0, 1] in together.pairs.tolist()
    assert found.pairs.tolist() == [pair for pair in together.pairs.tolist() if pair[1] >= 5]
    assert [found.locate(page) for page in found.clusters[0].tolist()] == [(1, 1), (2, 1), (2, 2)]


def test_little_memory_and_much_give_the_same() -> None:
    draw = np.random.default_rng(5)
    pages = [text for seed in range(60) for text in with_changes(200, int(draw.integers(0, 20)), seed)]
    much = find_near_duplicates(Strings(pages))
    little = find_near_duplicates(Strings(pages), budget=1)
    assert len(much.pairs) == 60
    assert np.array_equal(much.pairs, little.pairs)
    assert np.array_equal(much.similarities, little.similarities)


def test_a_search_can_be_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        find_near_duplicates(Strings(with_changes(300, 3, 1)), progress=progress)


def test_an_unknown_method_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected fingerprint or simhash"):
        find_near_duplicates(write_pages(tmp_path, []), method="guess")
    assert not find_near_duplicates(write_pages(tmp_path, [])).clusters
