"""Provenance: which files the captures of a snapshot come from, and how these were stored.

``provenance.jsonl`` in the part `warc` has one object per source: the fields of `Origin`. A source that was
copied as it is has ``file``, the name of the copy, and ``sha256``, which is that of both. A source that was
rewritten has ``reason``, where that was not the user's choice.

The copy has the name of the source, with an ending that tells its compression. A name that another source
has already, or that the writer of rewritten captures would choose, gets a number.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained, open_writer, rename

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

PROVENANCE = "provenance.jsonl"
_PIECE = 1 << 20
_ENDINGS = {b"\x1f\x8b": ".warc.gz", b"\x28\xb5": ".warc.zst", b"\x5d\x2a": ".warc.zst"}
_NAME = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """A source of captures, and how it was stored."""

    origin: str
    """The path as the user gave it; of a WARC file in a WACZ ``PATH!MEMBER``."""
    copy: str
    """``as-is`` or ``rewrite``."""
    file: str | None = None
    """The copy in the part `warc`."""
    size: int | None = None
    """Bytes of the source."""
    sha256: str | None = None
    """Of the source; None for a folder or a git repository."""
    reason: str | None = None
    """Why the source was not copied as it is."""

    def to_line(self) -> bytes:
        r"""The line of ``provenance.jsonl``.

        Examples
        --------
        >>> Origin(origin="a.warc.gz", copy="as-is", file="a.warc.gz", size=9, sha256="0f").to_line()
        b'{"origin": "a.warc.gz", "copy": "as-is", "file": "a.warc.gz", "size": 9, "sha256": "0f"}\n'
        """
        facts = {name: value for name, value in asdict(self).items() if value is not None}
        return json.dumps(facts).encode() + b"\n"


def read_provenance(folder: Path) -> Iterator[Origin]:
    """The sources of a part `warc`, given its folder; none where nothing tells of them.

    Examples
    --------
    >>> from pathlib import Path
    >>> list(read_provenance(Path("no-such-folder")))
    []
    """
    path = folder / PROVENANCE
    if not path.is_file():
        return
    with explained(path, "read"), path.open("rb") as lines:
        for line in lines:
            facts: dict[str, Any] = json.loads(line)
            yield Origin(**facts)


def find_ending(path: Path) -> str | None:
    """The ending of the name of a WARC file, by its first bytes; None for a compression that is not kept.

    Examples
    --------
    >>> import gzip, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a")
    ...     _ = path.write_bytes(gzip.compress(b"WARC/1.0"))
    ...     find_ending(path)
    '.warc.gz'
    """
    with explained(path, "read"), path.open("rb") as stream:
        start = stream.read(5)
    if start.upper() == b"WARC/":
        return ".warc"
    return _ENDINGS.get(start[:2])


def choose_name(origin: str, ending: str, taken: Collection[str], prefix: str) -> str:
    """The name of the copy of a file: that of the file, as far as it is free and harmless.

    Parameters
    ----------
    origin
        The path of the file.
    ending
        What the name ends in.
    taken
        Names that others have.
    prefix
        How names begin that the writer of rewritten captures chooses.

    Examples
    --------
    >>> choose_name("crawl/a.warc.gz", ".warc.gz", (), "uk-2026-06")
    'a.warc.gz'
    >>> choose_name("other/a.warc.gz", ".warc.gz", {"a.warc.gz"}, "uk-2026-06")
    'a-2.warc.gz'
    >>> choose_name("uk-2026-06-00000.warc.gz", ".warc.gz", (), "uk-2026-06")
    'source-uk-2026-06-00000.warc.gz'
    """
    name = re.split(r"[/\\]", origin)[-1]
    stem = re.sub(r"(\.(warc|gz|zst|zstd|open))+$", "", name, flags=re.IGNORECASE)
    stem = _NAME.sub("_", stem).lstrip(".-")[:150] or "source"
    if stem.startswith(prefix + "-"):
        stem = f"source-{stem}"
    names, number = {name.lower() for name in taken}, 1
    found = stem + ending
    while found.lower() in names:
        number += 1
        found = f"{stem}-{number}{ending}"
    return found


def digest_file(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a").write_bytes(b"abc")
    ...     digest_file(Path(folder, "a"))[:16]
    'ba7816bf8f01cfea'
    """
    with explained(path, "read"), path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def copy_file(source: Path, target: Path) -> str:
    """Copy a file byte for byte, durable when this returns; the SHA-256 of what was copied.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a").write_bytes(b"abc")
    ...     copy_file(Path(folder, "a"), Path(folder, "b")) == digest_file(Path(folder, "b"))
    True
    """
    digest, beside = hashlib.sha256(), target.with_name(f".{target.name}.new")
    with explained(source, "read"), source.open("rb") as stream, open_writer(beside) as out:
        while piece := stream.read(_PIECE):
            digest.update(piece)
            out.write(piece)
    rename(beside, target)
    return digest.hexdigest()
