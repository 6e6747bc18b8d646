"""Reversed names and row keys."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import FormatError
from webstrata.graph.releases.names import to_hosts, to_row_keys
from webstrata.web.row_key import row_key
from webstrata.web.url import normalize

LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)


@given(st.lists(LABELS, min_size=2, max_size=4).filter(lambda labels: not labels[-1].isdigit()))
def test_a_name_has_the_row_key_of_its_home_page(labels: list[str]) -> None:
    host = ".".join(labels)
    try:
        expected = row_key(normalize(f"http://{host}/"))
    except ValueError:
        return  # labels that look like an international name and are none
    [key] = to_row_keys(pa.array([".".join(reversed(labels))]), Path("v"), 1).to_pylist()
    assert key == expected
    assert to_hosts(pa.array([key])) == [host]


@pytest.mark.parametrize(
    "name", ["", ".", "org..a", "org.a.", "org.a/b", "org,a", "Org.a", "org a", "org.a:80"]
)
def test_what_is_no_reversed_name_is_refused_with_its_line(name: str) -> None:
    with pytest.raises(FormatError, match=r"v\.txt, line 8: .* is not a reversed host name"):
        to_row_keys(pa.array(["org.a", name]), Path("v.txt"), 7)
