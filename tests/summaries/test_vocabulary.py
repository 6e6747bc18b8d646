"""Vocabularies merged a window at a time are what they are merged at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.collection.files import remove_tree
from webstrata.summaries.rows import DROPPED
from webstrata.summaries.vocabulary import merge_vocabularies, write_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

runs = st.lists(st.dictionaries(st.text("abé日", max_size=4), st.integers(1, 9), max_size=60), max_size=5)


@settings(max_examples=20)
@given(runs=runs, min_df=st.integers(1, 12), memory=st.sampled_from([1, 160 * 40, 1 << 24]))
def test_merged_vocabularies_have_the_sums_and_numbers_of_all_runs(
    runs: list[dict[str, int]], min_df: int, memory: int, tmp_path: Path
) -> None:
    folders = [tmp_path / f"run-{nth}" for nth in range(len(runs))]
    for folder, run in zip(folders, runs, strict=True):
        remove_tree(folder)
        folder.mkdir()
        texts = sorted(run, key=str.encode)
        data = [text.encode() for text in texts]
        df = np.array([run[text] for text in texts], np.uint32)
        ends = np.cumsum([0, *map(len, data)])
        write_vocabulary(folder, ends, np.frombuffer(b"".join(data), np.uint8), df, 2 * df.astype(np.uint64))
    seen = {text for run in runs for text in run}
    sums = {text: sum(run.get(text, 0) for run in runs) for text in seen}
    kept = sorted((text for text in seen if sums[text] >= min_df), key=str.encode)
    merged: list[int] = []
    counts = merge_vocabularies(folders, tmp_path, min_df=min_df, memory=memory, advance=merged.append)
    assert counts == (len(kept), len(seen))
    assert sum(merged) == sum(map(len, runs))
    table = pq.read_table(tmp_path / "terms.parquet")
    assert table["term"].to_pylist() == kept
    assert table["df"].to_pylist() == [sums[text] for text in kept]
    assert table["cf"].to_pylist() == [2 * sums[text] for text in kept]
    for nth, run in enumerate(runs):
        numbers = np.fromfile(tmp_path / f"numbers-{nth}.u32", "<u4").tolist()
        expected = [
            kept.index(text) if text in kept else int(DROPPED) for text in sorted(run, key=str.encode)
        ]
        assert numbers == expected
