"""Content codings of the pages."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.serve.page.served import ask
from webstrata.serve.http_api.coding import choose_coding, compress


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_any_header_gives_a_coding_or_none(text: str) -> None:
    assert choose_coding(text) in ("", "gzip", "zstd")


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_page_is_the_same_in_each_coding(url: str, coding: str) -> None:
    plain = ask(f"{url}/parts.json", accept_encoding="identity")
    assert "content-encoding" not in plain.headers
    packed = ask(f"{url}/parts.json", accept_encoding=f"br, {coding}")
    assert packed.headers["vary"] == "accept-encoding"
    if coding == "zstd":
        assert packed.headers["content-encoding"] == "zstd"
        body = pa.CompressedInputStream(pa.BufferReader(packed.body), "zstd").read()
    else:
        body = packed.body  # `ask` unpacks gzip
    assert body == plain.body
    assert packed.headers["etag"] == plain.headers["etag"]
    assert plain.headers["etag"].startswith('W/"')


def test_short_bodies_and_pictures_are_not_compressed(url: str) -> None:
    assert "content-encoding" not in ask(f"{url}/healthz", accept_encoding="gzip").headers
    assert gzip.decompress(compress(b"x" * 2000, "gzip")) == b"x" * 2000
