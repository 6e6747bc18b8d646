"""Shards become parts, whatever memory there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.store.links import LINKS, Links
from webstrata.store.parquet.merging import merge_links

if TYPE_CHECKING:
    from pathlib import Path

keys = st.sampled_from(["com,b)/", "org,a)/", "org,a)/é", "org,a)/x", "org,b)/"])


@settings(max_examples=30)
@given(shards=st.lists(st.lists(keys, max_size=6), max_size=5), memory=st.sampled_from([1, 1 << 20]))
def test_links_of_shards_lead_where_they_led(tmp_path: Path, shards: list[list[str]], memory: int) -> None:
    folders = []
    for number, led_to in enumerate(shards):
        folders.append(tmp_path / str(number))
        folders[-1].mkdir(exist_ok=True)
        names = sorted(set(led_to))
        size = len(led_to)
        columns = [
            pa.array([number] * size, pa.uint32()),
            pa.array([names.index(key) for key in led_to], pa.uint32()),
            pa.array(["anchor"] * size, pa.string()),
            pa.array([0] * size, pa.uint8()),
            pa.array([f"{number} {place}" for place in range(size)], pa.string()),
        ]
        pq.write_table(pa.table(columns, schema=LINKS), folders[-1] / "links.parquet")
        pq.write_table(
            pa.table({"row_key": pa.array(names, pa.large_string())}), folders[-1] / "targets.parquet"
        )
    part = tmp_path / "part"
    part.mkdir(exist_ok=True)
    merged = merge_links(part, folders, tmp_path, memory=memory)
    links = Links(part)
    assert links.targets.to_pylist() == sorted({key for led_to in shards for key in led_to})
    assert merged == (sum(map(len, shards)), len(links.targets))
    assert links.target_keys(links.rows.table()) == [key for led_to in shards for key in led_to]
    assert not list(tmp_path.glob("keys-*")) + list(tmp_path.glob("places-*"))
