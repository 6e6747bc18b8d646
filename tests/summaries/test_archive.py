"""Archives: what is written comes back, in every coding; what is damaged is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.summaries.written import drawn_rows
from webstrata.errors import FormatError, MissingError, WebstrataError
from webstrata.summaries import Archive, SummariesSettings, make_rows, write_archive

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.summaries.rows import SummaryRows

SUM = SummariesSettings(coding="codes")
CODINGS = [
    SummariesSettings(),
    SummariesSettings(window=15, chain=3),
    SUM,
    SummariesSettings(coding="codes", count_differences=False, gap_code="pi2", count_code="unary"),
    SummariesSettings(coding="codes", length_code="vbyte", size_code="rice4", gap_code="exp-golomb2"),
    SummariesSettings(coding="codes", length_code="omega", size_code="golomb7", gap_code="zeta5"),
]


def to_plain(rows: SummaryRows) -> list[tuple[int, dict[int, int]]]:
    pages = [rows.cut(row, row + 1) for row in range(rows.num_rows)]
    return [
        (int(page.lengths[0]), dict(zip(page.terms.tolist(), page.counts.tolist(), strict=True)))
        for page in pages
    ]


@settings(max_examples=25)
@given(rows=drawn_rows(), coding=st.sampled_from(CODINGS[:3]), seed=st.integers(0, 99))
def test_what_is_written_comes_back_in_any_order(
    rows: SummaryRows, coding: SummariesSettings, seed: int, tmp_path: Path
) -> None:
    archive = write_archive(tmp_path, rows, settings=coding)
    assert to_plain(archive.batch(np.arange(rows.num_rows))) == to_plain(rows)
    random = np.random.default_rng(seed)
    nodes = random.integers(0, rows.num_rows, 20).tolist() if rows.num_rows else []
    plain = to_plain(rows)
    assert to_plain(archive.batch(nodes)) == [plain[node] for node in nodes]


@pytest.mark.parametrize("coding", CODINGS, ids=lambda coding: f"{coding.coding}-{coding.gap_code}")
def test_every_code_can_be_replaced(coding: SummariesSettings, tmp_path: Path) -> None:
    rows = make_rows(
        [(nth * 7, {term: 1 + (nth * term) % 5 for term in range(nth % 40)}) for nth in range(300)]
    )
    archive = write_archive(tmp_path, rows, settings=coding)
    assert to_plain(archive.batch(np.arange(300))) == to_plain(rows)
    assert archive.facts["coding"] == coding.coding
    assert [summary.size for summary in archive] == rows.sizes.tolist()


def test_nodes_without_a_summary_are_found_by_rank(tmp_path: Path) -> None:
    rows = make_rows([(3, {0: 1}), (0, {}), (0, {}), (5, {1: 2}), (0, {})])
    archive = write_archive(tmp_path, rows, missing=[1, 4])
    assert archive.has(range(5)).tolist() == [True, False, True, True, False]
    assert archive[3].length == 5
    assert archive[2].size == 0
    assert 1 not in archive
    with pytest.raises(MissingError, match="node 1 has no summary"):
        archive[1]
    with pytest.raises(IndexError, match="expected 0 to 4, got 5"):
        archive[5]
    found = archive.batch([4, 3, 1, 0])
    assert found.lengths.tolist() == [0, 5, 0, 3]
    assert found.offsets.tolist() == [0, 0, 1, 1, 2]


def test_an_archive_of_another_snapshot_is_refused(tmp_path: Path) -> None:
    write_archive(tmp_path, make_rows([(3, {0: 1})]))
    with pytest.raises(FormatError, match="the archive has 1 nodes, and the snapshot 2"):
        Archive(tmp_path, num_nodes=2)


@pytest.mark.parametrize("coding", [SummariesSettings(), SUM], ids=["contexts", "codes"])
def test_a_file_that_is_cut_off_is_refused(coding: SummariesSettings, tmp_path: Path) -> None:
    rows = make_rows([(nth, {term: 1 + term % 7 for term in range(nth % 50)}) for nth in range(200)])
    for name in ("summaries.stream", "terms.order", "terms.parquet", "archive.toml", "summaries.places"):
        write_archive(tmp_path, rows, settings=coding)
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[: len(data) // 2])
        with pytest.raises(WebstrataError, match=r"archive|summaries|terms"):
            read_all(tmp_path)


def read_all(folder: Path) -> None:
    archive = Archive(folder)
    assert len(archive.terms.df)
    archive.batch(np.arange(len(archive)))


@settings(max_examples=30)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), coding=st.sampled_from(CODINGS[:3]))
def test_a_bit_that_is_turned_gives_an_error_or_other_rows_and_nothing_worse(
    place: float, bit: int, coding: SummariesSettings, tmp_path: Path
) -> None:
    rows = make_rows([(nth, {term: 1 + term % 7 for term in range(nth % 50)}) for nth in range(60)])
    write_archive(tmp_path, rows, settings=coding)
    stream = tmp_path / "summaries.stream"
    data = bytearray(stream.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    stream.write_bytes(data)
    archive = Archive(tmp_path)
    for node in range(60):
        try:
            summary = archive[node]
        except FormatError:
            continue
        else:
            assert np.all(summary.terms < len(archive.terms))
            assert np.all(summary.counts > 0)


@pytest.mark.parametrize("name", ["summaries.places", "missing.set"])
def test_words_of_strangers_in_sequences_are_refused_or_read_and_nothing_worse(
    name: str, tmp_path: Path
) -> None:
    rows = make_rows([(0, {}) if node in (2, 9) else (3, {node: 3}) for node in range(30)])
    write_archive(tmp_path, rows, missing=[2, 9])
    data = (tmp_path / name).read_bytes()
    refused = read = 0
    for place in range(len(data) % 8, len(data), 8):
        for word in (0, 1, 1 << 20, (1 << 63) + 7, (1 << 64) - 1):
            (tmp_path / name).write_bytes(data[:place] + word.to_bytes(8, "little") + data[place + 8 :])
            try:
                Archive(tmp_path).batch(np.arange(30))
            except FormatError as error:
                refused += "\n" not in str(error)
            else:
                read += 1
    assert refused >= 10
    assert refused + read == 5 * (len(data) // 8)


@pytest.mark.parametrize(
    ("fact", "match"),
    [
        ("chain = 1000000", "chain is 1000000, expected 0 to 100"),
        ("num_terms = -1", "num_terms is -1"),
        ("num_terms = 4294967295", "this is no order of 4294967295 terms"),
        ("num_postings = true", "num_postings is not there, or no int"),
        ('coding = "codes"\ncodes = ["gamma"]\ncount_differences = true', "not the names of four codes"),
        (
            'coding = "codes"\ncodes = ["delta", "zeta3", 7, "zeta99"]\ncount_differences = true',
            "not the names of four codes",
        ),
    ],
)
def test_facts_that_cannot_be_are_refused(fact: str, match: str, tmp_path: Path) -> None:
    write_archive(tmp_path, make_rows([(3, {0: 3}), (4, {1: 2})]))
    path, name = tmp_path / "archive.toml", fact.partition(" ")[0]
    lines = [line for line in path.read_text().splitlines() if not line.startswith(f"{name} =")]
    path.write_text("\n".join([*lines, fact]))
    with pytest.raises(FormatError, match=re.escape(match)):
        Archive(tmp_path).batch([0])


def test_nodes_that_are_not_there_cannot_be_missing(tmp_path: Path) -> None:
    write_archive(tmp_path / "a", make_rows([(3, {0: 3}), (0, {})]), missing=[1])
    write_archive(tmp_path / "b", make_rows([(3, {0: 3})] * 9 + [(0, {})]), missing=[9])
    (tmp_path / "a/missing.set").write_bytes((tmp_path / "b/missing.set").read_bytes())
    with pytest.raises(FormatError, match="its files belong to different archives"):
        Archive(tmp_path / "a")


def test_a_stream_that_is_no_words_is_refused(tmp_path: Path) -> None:
    write_archive(tmp_path, make_rows([(3, {0: 3})]), settings=SUM)
    path = tmp_path / "summaries.stream"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(FormatError, match="which are no words of 8"):
        Archive(tmp_path).batch([0])


def test_places_take_little_more_than_two_bits_and_a_logarithm(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    rows = make_rows([(9, dict.fromkeys(random.integers(0, 5000, 20).tolist(), 1)) for _ in range(8_000)])
    for coding in (SummariesSettings(), SUM):
        archive = write_archive(tmp_path, rows, settings=coding)
        sizes = archive.sizes()
        mean_bits = 8 * sizes["summaries.stream"] / 8_000
        # what the file says of itself takes less than 1 KB, however many there are
        assert 8 * (sizes["summaries.places"] - 1000) / 8_000 <= 2.2 + np.log2(mean_bits)
