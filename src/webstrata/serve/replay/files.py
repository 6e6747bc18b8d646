"""WARC files of a collection, and its snapshots as WACZ files, whole or by range requests.

``/{collection}/files/`` lists them, ``/{collection}/files/{snapshot}/{name}`` is a WARC file, and
``/{collection}/files/{snapshot}.wacz`` a WACZ (see `packages`). Only names that the
index or the folder of the part has are served; no path of a request is ever opened. While a URL is taken
down, no file is served, since files have all captures.
"""

from __future__ import annotations

import json
import mimetypes
from typing import TYPE_CHECKING
from urllib.parse import quote

from webstrata.errors import MissingError
from webstrata.serve.replay.packages import ENDING
from webstrata.serve.replay.replies import Reply, cut_span
from webstrata.store.takedowns import find_takedowns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.serve.replay.holdings import Holdings

PIECE = 1 << 18
"""Bytes that are read at a time."""
_TYPES = {".gz": "application/gzip", ".zst": "application/zstd", ".warc": "application/warc"}


def list_files(holdings: Holdings) -> dict[str, Path]:
    """The WARC files of all snapshots by their names, ``2026-06/a.warc.gz``.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.replay.holdings import Holdings
    >>> [name.partition("/")[0] for name in list_files(Holdings("uk", testing.collection()))]
    ['2026-04', '2026-05', '2026-06']
    """
    return {
        f"{captures.date}/{path.name}": path
        for captures in holdings.now().captures
        for path in captures.list_files()
    }


def answer_file(holdings: Holdings, name: str, wanted: str = "") -> Reply:
    """The response for a file, or for the list of files where no name is given.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.replay.holdings import Holdings
    >>> uk = Holdings("uk", testing.collection())
    >>> answer_file(uk, next(iter(list_files(uk))), "bytes=0-1").status
    206
    """
    if find_takedowns(holdings.collection):
        reply = Reply(451, [("content-type", "application/json")])
        sentence = f"{holdings.name}: files are not served while a URL of them is taken down"
        reply.body = json.dumps({"error": {"status": 451, "message": sentence}}).encode()
        return reply
    files = list_files(holdings)
    date = name.removesuffix(ENDING)
    if date != name and date in [captures.date for captures in holdings.now().captures]:
        state = next(id(captures) for captures in holdings.now().captures if captures.date == date)
        return holdings.packages.answer(holdings.collection[date], state, wanted)
    if not name:
        rows = [
            {
                "name": each,
                "path": f"/{quote(holdings.name)}/files/{quote(each)}",
                "bytes": path.stat().st_size,
            }
            for each, path in sorted(files.items())
        ]
        wacz = [
            {
                "name": f"{captures.date}{ENDING}",
                "path": f"/{quote(holdings.name)}/files/{captures.date}{ENDING}",
            }
            for captures in holdings.now().captures
        ]
        document = {"rows": rows, "wacz": wacz}
        return Reply(200, [("content-type", "application/json")], json.dumps(document).encode())
    path = files.get(name)
    if path is None:
        raise MissingError(f"{holdings.name}: no file {name[:200]}; /{holdings.name}/files/ lists them")
    size = path.stat().st_size
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    reply = Reply(200, [("content-type", kind), ("accept-ranges", "bytes")])
    start, end = cut_span(reply, wanted, size)
    if start < end:
        reply.body = _read(path, start, end)
    return reply


def _read(path: Path, start: int, end: int) -> Iterator[bytes]:
    with path.open("rb") as stream:
        stream.seek(start)
        left = end - start
        while left > 0 and (piece := stream.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
