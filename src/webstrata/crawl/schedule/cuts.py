"""Snapshots out of a stream of visits.

At a cut the snapshot has, for each known page, the last capture at or before the cut. What its own
captures lack is added before it is built like any other:

- a page that was not visited since the cut before, or whose visits gave no answer, is *carried*: a
  ``revisit`` record refers to its last capture in the snapshot before, and has the date of that capture.
  Its ``fetch_time`` is therefore before the snapshot begins, which is how `carried` finds it. A page is
  gone only where a visit said so;
- a page that was not modified (304) has no payload; its index line gets the digest of the capture that it
  confirms.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.archive.cdxj import Line
from webstrata.archive.warc import Capture, Revisit, WarcWriter
from webstrata.collection.files import (
    explained,
    link_file,
    make_directory,
    open_writer,
    remove_tree,
    replace_file,
)
from webstrata.collection.snapshot_dates import parse_snapshot_date
from webstrata.store.pages import REVISIT, Pages, scan_captures
from webstrata.store.settings import StoreSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot

FOLDER = "cut"
CAPTURES = "captures.cdxj"
_SETTINGS = """# A continuous crawl visits pages several times: its last capture is the page.
[store]
last_capture = true
"""
_EMPTY = base64.b32encode(bytes.fromhex("da39a3ee5e6b4b0d3255bfef95601890afd80709")).decode()


def mark_snapshot(snapshot: Snapshot) -> None:
    """Let the last capture of a URL be its page in a snapshot, unless its settings file says something.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.settings import StoreSettings
    >>> snapshot = testing.empty().add("2026-06")
    >>> mark_snapshot(snapshot)
    >>> snapshot.settings(StoreSettings).last_capture
    True
    """
    path = snapshot.path / "snapshot.toml"
    if not path.exists():
        replace_file(path, _SETTINGS.encode())


def is_marked(snapshot: Snapshot) -> bool:
    """Whether a snapshot was cut from a continuous crawl.

    Examples
    --------
    >>> from webstrata import testing
    >>> is_marked(testing.snapshot())
    False
    """
    return snapshot.settings(StoreSettings).last_capture


def carried(snapshot: Snapshot) -> npt.NDArray[np.bool_]:
    """Whether each page of a snapshot is represented by a capture of an earlier one.

    Examples
    --------
    >>> from webstrata import testing
    >>> int(carried(testing.snapshot()).sum())
    0
    """
    begin = parse_snapshot_date(snapshot.date)
    with snapshot.open_part("pages") as part:
        column = Pages(part.path).table("fetch_time")["fetch_time"]
    found: npt.NDArray[np.bool_] = pc.less(column, pa.scalar(begin, column.type)).to_numpy()
    return found


def prepare_cut(
    snapshot: Snapshot, crawl: Path, is_gone: Callable[[list[str]], npt.NDArray[np.bool_]]
) -> Path:
    """The folder to build a snapshot from: the files of a crawl, and what is carried.

    Parameters
    ----------
    snapshot
        The snapshot that is cut.
    crawl
        Its WARC files and ``captures.cdxj``.
    is_gone
        Which of some URLs are known to be gone, though no capture says so.

    Examples
    --------
    >>> from webstrata import testing
    >>> july, folder = testing.collection().add("2026-07"), testing.scratch()
    >>> _ = (folder / CAPTURES).write_bytes(b"")
    >>> place = prepare_cut(july, folder, lambda urls: np.zeros(len(urls), bool))
    >>> sum(len(table) for table in scan_captures(place / CAPTURES))  # all of June is carried
    15
    """
    place = snapshot.working_folder("crawl") / FOLDER
    remove_tree(place)
    make_directory(place)
    for path in crawl.iterdir():
        if path.is_file() and path.name != CAPTURES:
            link_file(path, place / path.name)
    before = _read_before(snapshot)
    digests = dict(zip(before["url"].to_pylist(), before["digest"].to_pylist(), strict=True))
    complete: set[str] = set()
    source = crawl / CAPTURES
    with explained(source, "read"), source.open("rb") as lines, open_writer(place / CAPTURES) as out:
        for table in scan_captures(crawl / CAPTURES):
            rows = zip(
                *(table[name].to_pylist() for name in ("url", "mime", "status", "digest")), strict=True
            )
            for (url, mime, status, digest), line in zip(rows, lines, strict=False):
                if mime == REVISIT and status == 304 and digest == _EMPTY and url in digests:
                    out.write(_with_digest(line, digests[url]))
                else:
                    out.write(line)
                    if digest != _EMPTY:
                        digests[url] = digest
                if status < 500 and status != 429:
                    complete.add(url)
        _carry(snapshot, place, before, complete, is_gone, out)
    return place


def _read_before(snapshot: Snapshot) -> pa.Table:
    """URL, digest and time of the pages of the snapshot before."""
    empty = pa.table({"url": pa.array([], pa.string()), "digest": pa.array([], pa.string()),
                      "time": pa.array([], pa.int64())})  # fmt: skip
    for label in reversed(snapshot.collection.dates):
        other = snapshot.collection[label]
        if label < snapshot.date and {"pages", "captures"} <= set(other.parts.names):
            with other.open_part("pages") as part:
                table = Pages(part.path).table("url", "content_digest", "fetch_time")
            milliseconds = table["fetch_time"].cast(pa.int64())
            return pa.table([table["url"].cast(pa.string()), table["content_digest"].cast(pa.string()),
                             milliseconds], names=["url", "digest", "time"])  # fmt: skip
    return empty


def _carry(
    snapshot: Snapshot,
    place: Path,
    before: pa.Table,
    complete: set[str],
    is_gone: Callable[[list[str]], npt.NDArray[np.bool_]],
    out: object,
) -> None:
    """Write what stands for pages without a complete capture since the cut before."""
    missing = np.array([url not in complete for url in before["url"].to_pylist()], bool)
    rows = before.filter(pa.array(missing, pa.bool_()))
    urls = rows["url"].to_pylist()
    kept = rows.filter(pa.array(~is_gone(urls))) if urls else rows
    if not len(kept):
        return
    prefix = f"{snapshot.collection.path.name}-{snapshot.date}-carried"
    with WarcWriter(place, prefix) as writer:
        for url, digest, time in zip(
            *(kept[name].to_pylist() for name in ("url", "digest", "time")), strict=True
        ):
            date = time * 1_000_000
            raw = base64.b32decode(digest)
            record = Capture(
                url=url, date=date, head=b"HTTP/1.1 200 OK\r\n\r\n", body=b"", digest=raw,
                metadata=[("carried", "not visited since the snapshot before")],
                revisit=Revisit("identical-digest", url, date),
            )  # fmt: skip
            found = writer.write(record)
            line = Line(url=url, date=date, mime=REVISIT, status=200, digest=raw, **found._asdict())
            out.write(line.to_bytes())  # type: ignore[attr-defined]


def _with_digest(line: bytes, digest: str) -> bytes:
    """An index line with another digest."""
    head, brace, rest = line.partition(b"{")
    fields = json.loads(brace + rest)
    fields["digest"] = digest
    return head + json.dumps(fields, ensure_ascii=False).encode() + b"\n"
