"""What the kernels of the collection room compute, in plain Python."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def digest_files(paths: Sequence[Path]) -> list[str]:
    """Hexadecimal SHA-256 of each file, in the order given."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


def matches_glob(glob: str, text: str) -> bool:
    """Whether `text` is `glob` with each ``*`` replaced by some text."""
    if not glob:
        return not text
    if glob[0] == "*":
        return matches_glob(glob[1:], text) or (bool(text) and matches_glob(glob, text[1:]))
    return bool(text) and glob[0] == text[0] and matches_glob(glob[1:], text[1:])
