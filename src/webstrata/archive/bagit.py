r"""BagIt 1.0 (RFC 8493): a folder with files and their checksums, for handing over to an archive.

===========================  ================================================================================
``bagit.txt``                version and character encoding
``bag-info.txt``             what the bag is, ``Label: value`` lines; ``Payload-Oxum`` is ``BYTES.FILES``
``data/…``                   the payload
``manifest-sha256.txt``      ``SHA-256  data/NAME`` for each file of the payload, for ``sha256sum --check``
``tagmanifest-sha256.txt``   the same for the files above
===========================  ================================================================================

In manifests ``%``, CR and LF in names are written as ``%25``, ``%0D`` and ``%0A`` (section 2.1.3).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from webstrata.collection.files import explained, make_directory, open_writer, sync_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

_PIECE = 1 << 20
_DECLARATION = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"


class BagWriter:
    r"""Writes a bag into a folder that is made here; `close` adds what describes it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp(), "bag")
    >>> bag = BagWriter(folder)
    >>> bag.add("notes/fish.txt", [b"Tropical", b" fish"])
    >>> bag.close([("Bagging-Date", "2026-06-30")])
    >>> (folder / "manifest-sha256.txt").read_text()
    'a2f3aa3dc2149466...  data/notes/fish.txt\n'
    >>> (folder / "bag-info.txt").read_text().splitlines()
    ['Bagging-Date: 2026-06-30', 'Payload-Oxum: 13.1']
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_directory(folder / "data")
        self._payload: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        self._size = 0

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a file to the payload; `name` is a relative path with ``/``."""
        self._write(f"data/{name}", pieces, self._payload)

    def add_file(self, path: Path, name: str, advance: Callable[[int], None] = lambda _: None) -> None:
        """Add a copy of a file to the payload."""
        with explained(path, "read"), path.open("rb") as stream:

            def pieces() -> Iterable[bytes]:
                while piece := stream.read(_PIECE):
                    yield piece
                    advance(len(piece))

            self.add(name, pieces())

    def close(self, info: Sequence[tuple[str, str]]) -> None:
        """Write the tag files; `info` are labels and values for ``bag-info.txt``."""
        lines = [*info, ("Payload-Oxum", f"{self._size}.{len(self._payload)}")]
        # a line break in a value would begin another label
        text = "".join(f"{label}: {' '.join(value.split())}\n" for label, value in lines)
        for name, data in (
            ("bagit.txt", _DECLARATION),
            ("bag-info.txt", text.encode()),
            ("manifest-sha256.txt", _format(self._payload)),
        ):
            self._write(name, [data], self._tags)
        self._write("tagmanifest-sha256.txt", [_format(self._tags)], {})
        for folder in [*(path for path in self.folder.rglob("*") if path.is_dir()), self.folder]:
            sync_path(folder)

    def _write(self, name: str, pieces: Iterable[bytes], manifest: dict[str, str]) -> None:
        path = self.folder / name
        make_directory(path.parent)
        digest = hashlib.sha256()
        with open_writer(path) as out:
            for piece in pieces:
                out.write(piece)
                digest.update(piece)
                self._size += len(piece) if manifest is self._payload else 0
        manifest[name] = digest.hexdigest()


def _format(manifest: dict[str, str]) -> bytes:
    return "".join(f"{digest}  {_escape(name)}\n" for name, digest in sorted(manifest.items())).encode()


def _escape(name: str) -> str:
    return name.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
