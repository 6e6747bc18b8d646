"""A bundle: what SUM hands out in place of pages: graph, summaries and URLs, no text.

It is a collection in itself, with one snapshot that has those of `PARTS` that there were; so every command
opens it as it is. Beside the files of a collection it has

================  ======================================================================================
``urls.txt.gz``   the URL of each node, a line each in the order of nodes
``bundle.json``   what it is of, the parts with their counts and their files with size and SHA-256, and
                  the parts of `PARTS` that the snapshot does not have
``SHA256SUMS``    a line a file, as ``sha256sum --check`` reads it
================  ======================================================================================

None of the parts holds text of pages. Host and domain graphs are in the part `graph`. Whoever takes the
bundle checks it with `check_bundle`, or without us, uses it as it lies there, or makes its parts those of a
snapshot with `import_bundle`, so that bundles of several months come together.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from webstrata.collection import Collection
from webstrata.collection.build import list_files
from webstrata.collection.files import explained, make_directory, open_writer
from webstrata.collection.progress import Progress
from webstrata.errors import ExistsError, FormatError, MissingError
from webstrata.store.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

FORMAT = 2
PARTS = ("urls", "graph", "summaries")
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
    >>> from webstrata import testing
    >>> folder, snapshot = testing.scratch(), testing.snapshot()
    >>> with snapshot.open_part("urls") as part:
    ...     write_bundle(folder / "bundle", {"urls": part}, {"title": "Reef", "snapshot": "2026-06"})
    ('graph', 'summaries')
    >>> ws.open(folder / "bundle")["2026-06"].urls[0]
    'http://garden.example/'
    """
    label = str(about["snapshot"])
    snapshot = Collection.create(folder, title=str(about.get("title", ""))).add(label)
    told: dict[str, Any] = {}
    for name in PARTS:
        if name not in parts:
            continue
        record = parts[name].record
        copied = _copy_part(name, parts, label, snapshot, advance)
        told[name] = {
            "built": record.built.isoformat(),
            "settings": dict(record.settings),
            "counts": dict(record.counts),
            "files": copied,
        }
    urls = Urls(parts["urls"].path)
    _write_urls(folder / "urls.txt.gz", urls)
    missing = tuple(name for name in PARTS if name not in parts)
    files = {name: _measure(folder / name) for name in _list_all(folder)}
    described = {
        "format": FORMAT,
        **about,
        "nodes": len(urls),
        "parts": told,
        "missing": list(missing),
        "files": {name: {"bytes": size, "sha256": digest} for name, (size, digest) in files.items()},
    }
    text = json.dumps(described, indent=2, ensure_ascii=False, default=str).encode() + b"\n"
    with open_writer(folder / "bundle.json") as out:
        out.write(text)
    digests = {name: digest for name, (_, digest) in files.items()}
    digests["bundle.json"] = hashlib.sha256(text).hexdigest()
    with open_writer(folder / "SHA256SUMS") as out:
        out.write("".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode())
    return missing


def _copy_part(
    name: str, parts: Mapping[str, Part], label: str, snapshot: Snapshot, advance: Callable[[int], None]
) -> list[str]:
    """Make a part of a snapshot of this label one of another snapshot; the names of its files."""
    part = parts[name]
    # a part that is not handed out cannot be told to have changed, and folders of whoever made it are
    # nobody's business: the record is written anew
    inputs = {
        f"{snapshot.date}/{other}": parts[other].record.checksum
        for other in parts
        if part.record.inputs.get(f"{label}/{other}") == parts[other].record.checksum
    }
    with snapshot.parts.build(name, inputs=inputs) as build:
        copied = []
        for path in list_files(part.path):
            inside = path.relative_to(part.path)
            make_directory((build.path / inside).parent)
            _copy(path, build.path / inside, advance)
            copied.append(inside.as_posix())
        build.count(**part.record.counts)
    return copied


def is_bundle(path: str | PathLike[str]) -> bool:
    """Whether this is the folder of a bundle, whole or not.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with testing.snapshot().open_part("urls") as part:
    ...     _ = write_bundle(folder / "bundle", {"urls": part}, {"title": "Reef", "snapshot": "2026-06"})
    >>> is_bundle(folder / "bundle"), is_bundle(folder)
    (True, False)
    """
    return (Path(path) / "bundle.json").is_file()


def import_bundle(
    folder: str | PathLike[str], snapshot: Snapshot, *, progress: Progress | None = None
) -> tuple[str, ...]:
    """Make the parts of a bundle those of a snapshot that has no pages of its own; their names.

    Every file is compared with what the bundle says of it first. Parts that are there already, as they are in
    the bundle, stay; so after an interruption the same call goes on.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder, mine = testing.scratch(), testing.empty().add("2026-05")
    >>> with testing.snapshot().open_part("urls") as part:
    ...     _ = write_bundle(folder / "bundle", {"urls": part}, {"title": "Reef", "snapshot": "2026-06"})
    >>> import_bundle(folder / "bundle", mine), mine.urls[0]
    (('urls',), 'http://garden.example/')
    """
    check_bundle(folder, parts_alone=True)
    collection = Collection.open(folder)
    labels = collection.dates
    if len(labels) != 1:
        raise FormatError(f"{folder}: it has {len(labels)} snapshots, and a bundle has one; fetch it again")
    source = collection[labels[0]]
    with ExitStack() as stack:
        parts = {
            name: stack.enter_context(source.open_part(name, whole=True))
            for name in PARTS
            if name in source.parts
        }
        total = sum(part.record.bytes for part in parts.values())
        stack.enter_context(snapshot.parts.writing(progress))
        there = {record.name: record.checksum for record in snapshot.parts}
        others = [name for name in parts if there.get(name, "") not in ("", parts[name].record.checksum)]
        if "pages" in there or others:
            raise ExistsError(
                f"{snapshot.path}: this snapshot has pages already; choose another one for the bundle"
            )
        with (progress or Progress()).task("copying", total=total, unit="bytes") as task:
            for name in parts:
                if name not in there:
                    _copy_part(name, parts, source.date, snapshot, task.advance)
    return tuple(parts)


def _list_all(folder: Path) -> list[str]:
    """The files of the bundle that are no links, the lock left out: it tells who wrote."""
    found = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        paths = [Path(place, name) for name in sorted(names) if name != ".lock"]
        found += [path.relative_to(folder).as_posix() for path in paths if not path.is_symlink()]
    return found


def check_bundle(folder: str | PathLike[str], *, parts_alone: bool = False) -> dict[str, int]:
    """The files of a bundle with their sizes, if all are there and as they were written, else `FormatError`.

    With `parts_alone` those of its parts: a bundle that is used gets others, and they are in its manifest.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with testing.snapshot().open_part("urls") as part:
    ...     _ = write_bundle(folder / "bundle", {"urls": part}, {"title": "Reef", "snapshot": "2026-06"})
    >>> "urls.txt.gz" in check_bundle(folder / "bundle")
    True
    >>> check_bundle(folder)
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...: no bundle.json here; name the folder of an exported bundle
    """
    root = Path(folder)
    if not (root / "bundle.json").is_file():
        raise MissingError(f"{root}: no bundle.json here; name the folder of an exported bundle")
    with explained(root / "bundle.json", "read"):
        try:
            files = dict(json.loads((root / "bundle.json").read_bytes())["files"])
            wanted = {
                str(name): (int(file["bytes"]), str(file["sha256"]))
                for name, file in files.items()
                if not parts_alone or "/.parts/" in str(name)
            }
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


def _write_urls(path: Path, urls: Urls) -> None:
    with open_writer(path) as out, gzip.GzipFile("", "wb", 6, out, mtime=0) as packed:
        for url in urls:
            packed.write(url.encode() + b"\n")


def _copy(source: Path, target: Path, advance: Callable[[int], None]) -> None:
    with explained(source, "read"), source.open("rb") as stream, open_writer(target) as out:
        while piece := stream.read(_PIECE):
            out.write(piece)
            advance(len(piece))


def _measure(path: Path) -> tuple[int, str]:
    with path.open("rb") as stream:
        return path.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest()
