"""SUM: "Compressed Collections for Simulated Crawling", section by section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.summaries import reference
from tests.summaries.written import drawn_rows
from webstrata._core import summaries as core
from webstrata.summaries import SummariesSettings, make_rows, write_archive
from webstrata.summaries.code_names import to_core
from webstrata.summaries.codes import nu
from webstrata.summaries.statistics import describe_archive

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.summaries.rows import SummaryRows

SUM = SummariesSettings(coding="codes")


def test_nu_maps_integers_to_natural_numbers_as_section_2_defines_it() -> None:
    numbers = np.arange(-1000, 1000)
    found = nu(numbers)
    assert found.tolist() == [reference.nu(number) for number in numbers.tolist()]
    assert sorted(found.tolist()) == list(range(2000))


def test_the_codes_are_those_that_section_2_suggests() -> None:
    assert SUM.codes == ("delta", "zeta3", "zeta2", "gamma")
    assert SUM.count_differences
    assert (SUM.stemmer, SUM.stop_words, SUM.min_df) == ("porter", "en", 20)  # section 3


@settings(max_examples=40)
@given(rows=drawn_rows(max_pages=12))
def test_summaries_are_coded_bit_by_bit_as_section_2_says(rows: SummaryRows) -> None:
    codes = core.Codes([to_core(name) for name in SUM.codes], True, 60)
    words, ends = codes.encode(rows)
    expected, ends_expected = "", []
    for row in range(rows.num_rows):
        page = rows.cut(row, row + 1)
        pairs = list(zip(page.terms.tolist(), page.counts.tolist(), strict=True))
        expected += reference.encode(int(page.lengths[0]), pairs)
        ends_expected.append(len(expected))
    bits = "".join(reference.low_bits(word, 64) for word in words.tolist())
    assert ends.tolist() == ends_expected
    assert bits[: len(expected)] == expected


def test_terms_are_renumbered_by_frequency_and_read_by_their_own_numbers(tmp_path: Path) -> None:
    # term 5 is in every page, 0 in half of them, 9 in one
    rows = make_rows(
        [(9, {5: 1} | ({0: 2} if page % 2 else {}) | ({9: 4} if not page else {})) for page in range(8)]
    )
    archive = write_archive(tmp_path, rows, settings=SUM)
    assert archive.terms.order[:3].tolist() == [5, 0, 9]
    assert archive.ranked_batch([0]).terms.tolist() == [0, 2]
    assert archive[0].terms.tolist() == [5, 9]
    assert archive[1].counts.tolist() == [1, 2]


def test_a_document_is_found_by_subtracting_the_missing_ones_before_it(tmp_path: Path) -> None:
    present = [page % 5 != 3 for page in range(200)]
    rows = make_rows([(page + 1, {page % 7: 1}) if there else (0, {}) for page, there in enumerate(present)])
    missing = [page for page, there in enumerate(present) if not there]
    archive = write_archive(tmp_path, rows, settings=SUM, missing=missing)
    assert archive.num_summaries == sum(present)
    for page in np.flatnonzero(present).tolist():
        assert archive[page].length == page + 1


def test_figures_1_and_2_are_close_to_power_laws_where_words_are(tmp_path: Path) -> None:
    # words drawn by Zipf's law, as in a text
    random = np.random.default_rng(1)
    pages = [np.unique(random.zipf(1.5, 60) % 20_000, return_counts=True) for _ in range(3000)]
    rows = make_rows([(60, dict(zip(*(part.tolist() for part in page), strict=True))) for page in pages])
    found = describe_archive(write_archive(tmp_path, rows, settings=SUM))
    for points in (found.term_ranks, found.gaps):
        ranks, counts = (np.log([point[axis] for point in points if 3 < point[0] < 1000]) for axis in (0, 1))
        slope, constant = np.polyfit(ranks, counts, 1)
        assert -3 < slope < -0.7
        assert np.abs(slope * ranks + constant - counts).mean() < 0.5


@given(number=st.integers(0, 10**6))
def test_the_codes_of_the_reference_are_the_crates_in_length(number: int) -> None:
    costs = dict(core.code_costs(np.array([number], np.uint64), np.ones(1, np.uint64)))
    assert len(reference.gamma(number)) == costs["Gamma"]
    assert len(reference.delta(number)) == costs["Delta"]
    assert len(reference.zeta(number, 2)) == costs["Zeta(2)"]
    assert len(reference.zeta(number, 3)) == costs["Zeta(3)"]


def test_the_preset_has_the_words_and_codes_of_sections_2_and_3() -> None:
    from webstrata.pipeline.presets import preset_settings

    chosen = preset_settings("paper:sum", SummariesSettings)
    assert chosen.codes == SUM.codes
    assert (chosen.coding, chosen.min_df, chosen.stemmer) == ("codes", 20, "porter")


def test_the_coding_of_the_paper_and_ours_are_measured_on_the_same_summaries(tmp_path: Path) -> None:
    from webstrata.summaries.statistics import measure_codings

    rows = make_rows([(9 + page % 5, {0: 3, 1 + page % 7: 1, 9 + page % 3: 2}) for page in range(300)])
    ours, paper = (
        write_archive(tmp_path / coding, rows, settings=SummariesSettings(coding=coding))
        for coding in ("contexts", "codes")
    )
    for archive in (ours, paper):  # whichever of the two is stored
        found = {row["coding"]: row["stream_bytes"] for row in measure_codings(archive)}
        assert found == {
            "codes": paper.sizes()["summaries.stream"],
            "contexts": ours.sizes()["summaries.stream"],
        }
