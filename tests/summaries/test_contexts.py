"""The coding by contexts: models, their files, and that it is smaller where pages are alike."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from tests.summaries.reference import ContextsReader
from tests.summaries.written import drawn_rows
from webstrata._core import summaries as core
from webstrata.errors import FormatError
from webstrata.summaries import SummariesSettings, make_rows, write_archive
from webstrata.summaries.contexts import (
    NUM_SYMBOLS,
    TOTAL,
    Model,
    classify_terms,
    make_model,
    measure,
    no_tally,
)

if TYPE_CHECKING:
    from webstrata.summaries import SummaryRows


def test_frequencies_add_up_and_none_that_came_is_lost() -> None:
    tally = no_tally()
    random = np.random.default_rng(2)
    tally.symbols[:] = random.zipf(1.2, len(tally.symbols)) * (random.random(len(tally.symbols)) < 0.5)
    tally.flags[:8] = 0, 10**9, 10**9, 0, 0, 0, 3, 1
    model = make_model(tally, np.zeros(4, np.uint8))
    sizes = model.sizes.reshape(-1, NUM_SYMBOLS)
    assert np.all(sizes.sum(1) == TOTAL)
    assert np.all((sizes > 0)[tally.symbols.reshape(-1, NUM_SYMBOLS) > 0])
    assert model.flags[:4].tolist() == [TOTAL - 1, 1, TOTAL // 2, round(TOTAL * 1.5 / 5)]


def test_a_model_comes_back_from_its_file_and_others_are_refused(tmp_path: Path) -> None:
    model = make_model(no_tally(), np.arange(5, dtype=np.uint8))
    path = tmp_path / "model.zst"
    model.write(path)
    found = Model.read(path, 5)
    for name in ("classes", "sizes", "flags"):
        assert np.array_equal(getattr(found, name), getattr(model, name))
    with pytest.raises(FormatError, match="no model of an archive of 9 terms"):
        Model.read(path, 9)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match="no model of an archive of 5 terms"):
        Model.read(path, 5)


def test_a_term_is_classed_by_how_rare_it_is_and_its_usual_count() -> None:
    df, cf = np.array([1, 1 << 20, 1 << 19]), np.array([1, 1 << 21, 1 << 40], np.uint64)
    assert classify_terms(df, cf, 1 << 20).tolist() == [15 << 4, 2, 1 << 4 | 15]


def test_references_stay_within_the_window_and_the_chain() -> None:
    rows = make_rows([(40, dict.fromkeys(range(30 + nth % 2), 2)) for nth in range(50)])
    for window, chain in ((0, 3), (3, 0), (1, 2), (15, 3)):
        distances, _ = measure(rows, np.full(31, 3 << 4, np.uint8), window=window, chain=chain)
        depths: list[int] = []
        for page, distance in enumerate(distances.tolist()):
            depths.append(depths[page - distance] + 1 if distance else 0)
        assert distances.max(initial=0) <= window
        assert max(depths) <= chain
        assert (window == 0 or chain == 0) == (not distances.any())


def test_pages_that_are_alike_take_less_than_in_the_coding_of_the_paper(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    menu = dict.fromkeys(range(60), 2)
    rows = make_rows(
        [(300, menu | dict.fromkeys(random.integers(60, 3000, 30).tolist(), 1)) for _ in range(2000)]
    )
    sizes = [
        write_archive(tmp_path / coding, rows, settings=SummariesSettings(coding=coding)).sizes()
        for coding in ("contexts", "codes")
    ]
    ours, theirs = (sum(size.values()) for size in sizes)
    assert ours < 0.7 * theirs


@settings(max_examples=30, deadline=None)
@given(rows=drawn_rows())
def test_a_plain_reader_that_follows_the_format_reads_the_same(rows: SummaryRows) -> None:
    with TemporaryDirectory() as folder:
        archive = write_archive(Path(folder) / "a", rows, settings=SummariesSettings(chain=3))
        model = Model.read(archive.folder / "model.zst", len(archive.terms))
        packed = b"".join(numbers.astype("<u2").tobytes() for numbers in (model.sizes, model.flags))
        packed += model.classes.tobytes()
        stream = (archive.folder / "summaries.stream").read_bytes()
        places = core.Places(archive.folder / "summaries.places", archive.num_summaries)
        ranked = next(archive.scan_ranks(), None)
        before: list[dict[int, int]] = []
        for page in range(archive.num_summaries):
            begin, end = places.get(page) or (0, 0)
            reader = ContextsReader(stream[begin:end], packed, len(archive.terms))
            length, counts = reader.read(before)
            before.append(counts)
            assert ranked is not None
            row = ranked.cut(page, page + 1)
            assert length == ranked.lengths[page]
            assert counts == dict(zip(row.terms.tolist(), row.counts.tolist(), strict=True))
