"""The files of an index, and how segments that were written apart become one index.

An index of tantivy is a folder of files that are never changed, and ``meta.json``, which lists its segments:
so segments are put together by moving or linking files and writing that list. Beside the files of tantivy a
segment has ``SEGMENT.versions``, the documents of its entries (``rust/src/search/versions.rs``).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from webstrata._core.collection import rename
from webstrata.collection import shards
from webstrata.collection.action import rebuild
from webstrata.collection.files import explained, link_file, make_directory, replace_file
from webstrata.errors import FormatError, MissingError, NewerFormatError
from webstrata.search.fields import FIELDS
from webstrata.search.part import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy.typing as npt

PART = "text_index"
FACTS = "index.json"
SEGMENTS = "segments"
META = "meta.json"


@dataclass
class IndexFacts:
    """What an index was made of."""

    snapshots: list[str]
    stemmer: str
    num_documents: int = 0
    segments: list[str] = field(default_factory=list)
    """Names of the segments."""
    generations: list[int] = field(default_factory=list)
    """How many of them were written at a time, in their order."""
    fields: list[list[str]] = field(default_factory=lambda: [list(pair) for pair in FIELDS])
    format: int = FORMAT


def read_facts(path: Path, collection: str = "COLLECTION") -> IndexFacts:
    """What an index says of itself; `FormatError` where it says nothing, `MissingError` where it is too old.

    Examples
    --------
    >>> from webstrata import testing
    >>> with testing.collection().open_part("text_index") as part:
    ...     facts = read_facts(part.path / "index.json")
    >>> facts.snapshots, facts.num_documents
    (['2026-04', '2026-05', '2026-06'], 25)
    """
    with explained(path, "read"):
        content = path.read_bytes()
    try:
        found: dict[str, Any] = json.loads(content)
        if int(found["format"]) > FORMAT:
            raise NewerFormatError(
                f"{path}: the index has format {found['format']}, and this version reads {FORMAT}; upgrade "
                "webstrata, or {fix}",
                fix=rebuild(path, PART),
            )
        if int(found["format"]) < FORMAT:
            raise MissingError(
                f"{path}: the text index was built by an earlier version, with other terms and scores "
                f"(format {found['format']}, now {FORMAT})",
                fix=rebuild(path, PART),
            )
        return IndexFacts(**found)
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(
            f"{path}: this does not describe an index ({error})", fix=rebuild(path, PART)
        ) from error


def read_documents(folder: Path) -> pa.Table:
    """The table of documents of an index, mapped.

    Examples
    --------
    >>> from webstrata import testing
    >>> with testing.collection().open_part("text_index") as part:
    ...     documents = read_documents(part.path)
    >>> documents["row_key"][1].as_py(), documents["words"][1].as_py(), len(documents)
    ('example,garden)/tomatoes', 20, 25)
    """
    path = folder / "documents.arrow"
    with explained(path, "read"):
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def read_map(folder: Path, label: str) -> npt.NDArray[np.uint32]:
    """The document of each node of a snapshot, mapped.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "maps").mkdir()
    >>> _ = (folder / "maps" / "2026-06.documents").write_bytes(bytes([2, 0, 0, 0]))
    >>> read_map(folder, "2026-06").tolist()
    [2]
    """
    path = folder / "maps" / f"{label}.documents"
    with explained(path, "read"):
        return np.memmap(path, "<u4", "r") if path.stat().st_size else np.zeros(0, np.uint32)


class Segments(NamedTuple):
    """Segments of an index in a folder."""

    folder: Path
    names: tuple[str, ...]
    is_ours: bool = True
    """Whether files may be moved away from there."""


def find_segments(folder: Path, *, is_ours: bool = True) -> Segments:
    """The segments of an index of tantivy.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata._core.search import Analyzer, Writer
    >>> from webstrata.web.words import load_core
    >>> folder = testing.scratch()
    >>> Writer(folder, [("title", "positions")], Analyzer(load_core(), None)).finish()
    >>> len(find_segments(folder).names)
    1
    """
    told = _read_meta(folder)["segments"]
    names = tuple(str(segment["segment_id"]).replace("-", "") for segment in told)
    return Segments(folder, names, is_ours)


def _read_meta(folder: Path) -> dict[str, Any]:
    with explained(folder / META, "read"):
        content = (folder / META).read_bytes()
    try:
        found: dict[str, Any] = json.loads(content)
        return found
    except ValueError as error:
        raise FormatError(
            f"{folder / META}: this does not list segments ({error})", fix=rebuild(folder / META, PART)
        ) from error


def put_together(folder: Path, given: Iterable[Segments]) -> list[str]:
    """Make one index of segments of others, moved or linked; their names in their order.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata._core.search import Analyzer, Writer
    >>> from webstrata.web.words import load_core
    >>> folder = testing.scratch()
    >>> for name in ("one", "two"):
    ...     (folder / name).mkdir()
    ...     Writer(folder / name, [("title", "positions")], Analyzer(load_core(), None)).finish()
    >>> given = [find_segments(folder / "one"), find_segments(folder / "two", is_ours=False)]
    >>> len(put_together(folder / "both", given))
    2
    """
    make_directory(folder)
    meta: dict[str, Any] = {}
    listed: list[dict[str, Any]] = []
    for segments in given:
        path = segments.folder
        meta = _read_meta(path)
        if segments.is_ours:
            # without its seal it is no shard that is done any more
            for seal in (path / shards.SEAL, path.parent / shards.SEAL):
                with explained(seal, "remove"):
                    seal.unlink(missing_ok=True)
        for name in sorted(each.name for each in path.iterdir()):
            if name.partition(".")[0] not in segments.names:
                continue
            with explained(path / name, "move" if segments.is_ours else "link"):
                if segments.is_ours:
                    rename(path / name, folder / name)
                else:
                    link_file(path / name, folder / name)
        told = {str(segment["segment_id"]).replace("-", ""): segment for segment in meta["segments"]}
        listed += [told[name] for name in segments.names]
    replace_file(folder / META, json.dumps(meta | {"segments": listed}, indent=1).encode())
    return [str(segment["segment_id"]).replace("-", "") for segment in listed]
