"""Numbers and charts as templates write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata.serve.page.drawing import (
    choose_labels,
    drop_prefix,
    place_ring,
    scale_bars,
    shorten,
    show_number,
    trace_ranks,
)


@given(st.lists(st.integers(0, 10**9)))
def test_bars_stay_within_their_height_and_show_what_is_there(counts: list[int]) -> None:
    heights = scale_bars(counts)
    assert all(
        0 <= height <= 40 and bool(height) == bool(count)
        for height, count in zip(heights, counts, strict=True)
    )


@given(st.lists(st.none() | st.integers(1, 10**9), min_size=1, max_size=40))
def test_ranks_are_drawn_inside_the_picture_better_ones_higher(ranks: list[int | None]) -> None:
    found = trace_ranks(ranks, 96, 24)
    known = [rank for rank in ranks if rank]
    assert [dot["rank"] for dot in found["dots"]] == known
    assert all(0 <= dot["x"] <= 96 and 0 <= dot["y"] <= 24 for dot in found["dots"])
    for one in found["dots"]:
        for other in found["dots"]:
            assert one["rank"] >= other["rank"] or one["y"] <= other["y"]


@given(st.integers(1, 500), st.integers(2, 20))
def test_the_first_and_the_last_mark_have_labels(number: int, most: int) -> None:
    labels = choose_labels(number, most)
    assert {0, number - 1} <= labels <= set(range(number))
    assert len(labels) <= max(most, 1)


@given(st.lists(st.text("ab/", max_size=8), min_size=2))
def test_a_prefix_begins_every_name_and_ends_with_a_slash(names: list[str]) -> None:
    prefix = drop_prefix(names)
    assert all(name.startswith(prefix) for name in names)
    assert not prefix or prefix.endswith("/")


@given(st.integers(0, 30))
def test_nodes_of_a_ring_stay_inside(number: int) -> None:
    places = place_ring(number, 520, 440)
    assert len(places) == number
    assert all(160 <= x <= 360 and 32 <= y <= 408 for x, y in places)


@given(st.text(max_size=60), st.integers(4, 40))
def test_a_shortened_text_keeps_its_ends(text: str, most: int) -> None:
    found = shorten(text, most)
    assert len(found) <= most or found == text
    assert found[:1] == text[:1]
    assert found[-1:] == text[-1:]


def test_no_number_is_a_dash() -> None:
    assert (show_number(None), show_number(float("nan"))) == ("–", "–")
