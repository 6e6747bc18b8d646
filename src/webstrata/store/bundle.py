"""A bundle: what SUM hands out in place of pages: graph, summaries and URLs, no text.

================  ======================================================================================
``urls.txt.gz``   the URL of each node, a line each in the order of nodes
``urls/ …``       the files of every part in `PARTS` that the snapshot has, as they are
``bundle.json``   what it is of, the parts with their counts and their files with size and SHA-256, and
                  the parts of `PARTS` that the snapshot does not have
``SHA256SUMS``    a line a file, as ``sha256sum --check`` reads it
================  ======================================================================================

None of the parts holds text of pages. Whoever takes the bundle checks it with `check_bundle`, or without us.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from webstrata.collection.build import list_files
from webstrata.collection.files import explained, make_directory, open_writer
from webstrata.errors import FormatError, MissingError
from webstrata.store.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from webstrata.collection.parts import Part

FORMAT = 1
PARTS = ("urls", "graph", "hosts", "summaries")
"""What belongs into a bundle; `urls` must be there, and what else is missing is named in it."""
_PIECE = 1 << 20


def write_bundle(
    folder: Path,
    parts: Mapping[str, Part],
    about: Mapping[str, Any],
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[str, ...]:
    """Write the parts that there are, with URLs, description and checksums; the names of those missing.

    Parameters
    ----------
    folder
        Where it goes; made here.
    parts
        The parts, by their names.
    about
        What the description begins with: title, snapshot, software.
    advance
        Told how many bytes of parts were copied.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.store.ingest import ingest
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "a.html").write_text("<title>A</title>Hello")
    >>> snapshot = ws.create(folder / "uk").add("2026-06")
    >>> _ = ingest(snapshot, [folder / "a.html"], base_url="http://example.org/")
    >>> with snapshot.open_part("urls") as part:
    ...     write_bundle(folder / "bundle", {"urls": part}, {"snapshot": "2026-06"})
    ('graph', 'hosts', 'summaries')
    >>> sorted(check_bundle(folder / "bundle"))
    ['urls.txt.gz', 'urls/nodes.arrow', 'urls/others.arrow']
    """
    make_directory(folder)
    files = {"urls.txt.gz": _write_urls(folder / "urls.txt.gz", Urls(parts["urls"].path))}
    told: dict[str, Any] = {}
    for name in PARTS:
        if name not in parts:
            continue
        make_directory(folder / name)
        copied = []
        # without its own record, which may tell names of folders of whoever made it
        for path in list_files(parts[name].path):
            inside = f"{name}/{path.relative_to(parts[name].path).as_posix()}"
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            files[inside] = _copy(path, folder / inside, advance)
            copied.append(inside)
        record = parts[name].record
        told[name] = {"built": record.built.isoformat(), "counts": dict(record.counts), "files": copied}
    missing = tuple(name for name in PARTS if name not in parts)
    described = {
        "format": FORMAT,
        **about,
        "nodes": len(Urls(parts["urls"].path)),
        "parts": told,
        "missing": list(missing),
        "files": {name: {"bytes": size, "sha256": digest} for name, (size, digest) in files.items()},
    }
    text = json.dumps(described, indent=2, ensure_ascii=False).encode() + b"\n"
    with open_writer(folder / "bundle.json") as out:
        out.write(text)
    digests = {name: digest for name, (_, digest) in files.items()}
    digests["bundle.json"] = hashlib.sha256(text).hexdigest()
    with open_writer(folder / "SHA256SUMS") as out:
        out.write("".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode())
    return missing


def check_bundle(folder: str | PathLike[str]) -> dict[str, int]:
    """The files of a bundle with their sizes, if all are there and as they were written, else `FormatError`.

    Examples
    --------
    >>> check_bundle(getfixture("tmp_path"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...: there is no bundle.json here; name a folder that `webstrata export
    --bundle` wrote
    """
    root = Path(folder)
    if not (root / "bundle.json").is_file():
        raise MissingError(
            f"{root}: there is no bundle.json here; name a folder that `webstrata export --bundle` wrote"
        )
    with explained(root / "bundle.json", "read"):
        try:
            files = dict(json.loads((root / "bundle.json").read_bytes())["files"])
            wanted = {str(name): (int(file["bytes"]), str(file["sha256"])) for name, file in files.items()}
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(
                f"{root / 'bundle.json'}: this is no description of a bundle ({error}); fetch it again"
            ) from error
    for name, (size, digest) in wanted.items():
        inside = PurePosixPath(name)
        if inside.is_absolute() or ".." in inside.parts:
            raise FormatError(
                f"{root}: bundle.json names {name!r}, which is not in the bundle; do not use it"
            )
        path = root / name
        if not path.is_file():
            raise FormatError(f"{path}: this file of the bundle is not there; fetch it again")
        with explained(path, "read"), path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if (path.stat().st_size, found) != (size, digest):
            raise FormatError(f"{path}: this is not what bundle.json says of it; fetch it again")
    return {name: size for name, (size, _) in wanted.items()}


def _write_urls(path: Path, urls: Urls) -> tuple[int, str]:
    with open_writer(path) as out, gzip.GzipFile("", "wb", 6, out, mtime=0) as packed:
        for url in urls:
            packed.write(url.encode() + b"\n")
    return _measure(path)


def _copy(source: Path, target: Path, advance: Callable[[int], None]) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    with explained(source, "read"), source.open("rb") as stream, open_writer(target) as out:
        while piece := stream.read(_PIECE):
            out.write(piece)
            digest.update(piece)
            size += len(piece)
            advance(len(piece))
    return size, digest.hexdigest()


def _measure(path: Path) -> tuple[int, str]:
    with path.open("rb") as stream:
        return path.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest()
