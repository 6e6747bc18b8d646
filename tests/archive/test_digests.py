"""Spellings of digests."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from webstrata.archive.digests import from_base32, plain, to_base32


@given(st.binary(min_size=20, max_size=20))
def test_base32_is_read_as_it_was_written(digest: bytes) -> None:
    assert to_base32(digest) == base64.b32encode(digest).decode()
    assert from_base32(to_base32(digest)) == digest
    assert from_base32(plain(f"sha1:{to_base32(digest)}")) == digest
