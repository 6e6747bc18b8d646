"""Spellings of SHA-1 digests: Base32, as WARC records and indexes have them, and bytes."""

from __future__ import annotations

import base64
import hashlib


def plain(digest: str) -> str:
    """A digest without the name of its function, in upper case.

    Examples
    --------
    >>> plain("sha1:abc")
    'ABC'
    """
    return digest.rpartition(":")[2].strip().upper()


def to_base32(digest: bytes) -> str:
    """A digest as index lines spell it.

    Examples
    --------
    >>> to_base32(bytes(5))
    'AAAAAAAA'
    """
    return base64.b32encode(digest).decode().rstrip("=")


def from_base32(text: str) -> bytes:
    """The SHA-1 that a text spells, or that of the text where it spells something else.

    Examples
    --------
    >>> from_base32("A" * 32) == bytes(20), len(from_base32("md5?"))
    (True, 20)
    """
    try:
        digest = base64.b32decode(text)
    except ValueError:
        digest = b""
    return digest if len(digest) == 20 else hashlib.sha1(text.encode(), usedforsecurity=False).digest()
