"""Where summaries end: what is written is read, takes what is promised, and is refused where damaged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webstrata import errors
from webstrata._core import summaries as core
from webstrata.summaries.places import INVENTORY, write_places

if TYPE_CHECKING:
    from pathlib import Path

SIZES = st.one_of(st.integers(0, 40), st.integers(0, 1 << 20), st.just(1 << 40))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(SIZES, max_size=50), more=st.sampled_from([0, INVENTORY - 10, 3 * INVENTORY]))
def test_ends_that_are_written_are_read(tmp_path: Path, sizes: list[int], more: int) -> None:
    ends = np.cumsum([*sizes, *[3] * more], dtype=np.uint64)
    path = tmp_path / "summaries.places"
    write_places(path, ends)
    places = core.Places(path, len(ends))
    assert len(places) == len(ends)
    pairs = list(zip([0, *ends.tolist()], ends.tolist(), strict=False))
    near = [place for place in range(len(pairs)) if place < 60 or abs(place % INVENTORY) < 2]
    assert [places.get(place) for place in near] == [pairs[place] for place in near]
    assert places.get(len(ends)) is None


def test_a_pointer_takes_what_is_promised_whatever_the_mean_size_is(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    for mean in np.geomspace(8, 8000, 23):
        ends = np.cumsum(random.integers(0, round(2 * mean), 1000), dtype=np.uint64)
        write_places(tmp_path / "summaries.places", ends)
        bits = 8 * (tmp_path / "summaries.places").stat().st_size / len(ends)
        assert bits <= 2.2 + math.log2(int(ends[-1]) / len(ends))


def test_places_that_are_damaged_or_of_another_archive_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "summaries.places"
    write_places(path, np.cumsum(np.arange(5000), dtype=np.uint64))
    whole = path.read_bytes()
    for data, count in ((whole[:-1], 5000), (whole, 4999), (b"", 0), (b"\xff" * 8 + whole[8:], 5000)):
        path.write_bytes(data)
        with pytest.raises(errors.FormatError, match=r"does not say where \d+ summaries end"):
            core.Places(path, count)
    random = np.random.default_rng(1)
    for _ in range(200):
        # whatever the other bytes say, there is an answer or none
        hurt = bytearray(whole)
        hurt[random.integers(8, len(hurt))] ^= 1 << int(random.integers(8))
        path.write_bytes(bytes(hurt))
        try:
            places = core.Places(path, 5000)
        except errors.FormatError:
            continue
        assert len([places.get(place) for place in range(0, 5000, 500)]) == 10
