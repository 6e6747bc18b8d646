"""Keys are found in sorted columns, and written as URLs."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.key_columns import SortedKeys, find_keys, from_row_keys, match_keys
from webstrata.web.row_key import from_row_key, row_key

some_urls = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.org", "b.a.org", "x.org:81", "[::1]:8080", "127.0.0.1"]),
    st.sampled_from(["", "a", "a/b?c=d", "(x)"]),
)
some_keys = st.builds(row_key, some_urls)


@given(column=st.sets(some_keys), asked=st.lists(some_keys), cut=st.integers(0, 9))
def test_every_way_of_finding_keys_gives_the_same_places(
    column: set[str], asked: list[str], cut: int
) -> None:
    order = sorted(column)
    chunks = pa.chunked_array([order[:cut], order[cut:]], pa.large_string())
    keys = pa.array(asked, pa.large_string())
    expected = [order.index(key) if key in column else None for key in asked]
    assert [SortedKeys(chunks).find(key) for key in asked] == expected
    assert match_keys(keys, chunks).to_pylist() == expected
    assert find_keys(chunks, keys).tolist() == [-1 if place is None else place for place in expected]
    assert list(SortedKeys(chunks)[1:]) == order[1:]


@given(keys=st.lists(some_keys))
def test_urls_of_many_keys_are_those_of_each_key(keys: list[str]) -> None:
    assert from_row_keys(pa.array(keys, pa.large_string())).to_pylist() == [from_row_key(key) for key in keys]
