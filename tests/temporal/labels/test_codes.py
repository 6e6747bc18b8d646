"""`webstrata.temporal.labels.codes` beside a plain reference."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.temporal.reference import canonical_codes, optimal_cost
from webstrata.temporal.labels.codes import MAX_LENGTH, elias_fano, make_book, ranked_marks, to_bits


@given(st.dictionaries(st.integers(0, 2**64 - 1), st.integers(1, 10**9), max_size=200))
def test_a_code_is_optimal_canonical_and_free_of_prefixes(counts: dict[int, int]) -> None:
    book = make_book(list(counts), list(counts.values()))
    lengths = book.lengths.tolist()
    assert sorted(book.symbols.tolist()) == sorted(counts)
    assert sorted(zip(lengths, book.symbols.tolist(), strict=True)) == list(
        zip(lengths, book.symbols.tolist(), strict=True)
    )
    cost = sum(counts[symbol] * length for symbol, length in zip(book.symbols.tolist(), lengths, strict=True))
    assert cost == optimal_cost(list(counts.values()))
    codes = canonical_codes(lengths)
    pairs = zip(book.codes.tolist(), lengths, strict=True)
    assert [f"{code:0{length}b}" if length else "" for code, length in pairs] == codes
    assert not any(later.startswith(code) for code, later in itertools.pairwise(codes))


def test_codes_stay_within_what_the_core_decodes() -> None:
    fibonacci = [1, 1]
    while len(fibonacci) < 80:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    assert make_book(list(range(80)), fibonacci).lengths.max() <= MAX_LENGTH


@given(st.lists(st.integers(0, 2**40), max_size=400).map(sorted))
def test_pointers_say_their_values(values: list[int]) -> None:
    low_bits, lows, highs, samples = elias_fano(np.array(values, np.uint64))
    high_bits = "".join(f"{byte:08b}" for byte in highs)
    low_text = "".join(f"{byte:08b}" for byte in lows)
    places = [place for place, bit in enumerate(high_bits) if bit == "1"]
    found = [
        place - nth << low_bits | int(low_text[nth * low_bits : (nth + 1) * low_bits] or "0", 2)
        for nth, place in enumerate(places)
    ]
    assert found == values
    marked = np.frombuffer(samples, ">u4").tolist()
    assert marked == [place - nth for nth, place in enumerate(places)][::128]


@given(st.lists(st.booleans(), max_size=2000))
def test_ranks_count_the_marks_before(marks: list[bool]) -> None:
    bits, ranks = ranked_marks(np.array(marks, bool))
    assert np.unpackbits(np.frombuffer(bits, np.uint8))[: len(marks)].tolist() == marks
    assert np.frombuffer(ranks, ">u4").tolist() == [sum(marks[:end]) for end in range(0, len(marks), 512)]


@given(
    st.lists(st.integers(0, 60).flatmap(lambda width: st.tuples(st.integers(0, 2**width), st.just(width))))
)
def test_bits_are_written_highest_first(fields: list[tuple[int, int]]) -> None:
    wanted = "".join(f"{number % 2**width:0{width}b}" if width else "" for number, width in fields)
    numbers = np.array([number for number, _ in fields], np.uint64)
    found = to_bits(numbers, np.array([width for _, width in fields], np.uint8))
    assert "".join(map(str, found.tolist())) == wanted
