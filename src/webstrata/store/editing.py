"""Edits the captures of a snapshot: leaves records out, and gives payloads to revisit records.

An edit is prepared in a folder, and published when it is complete, so that a killed command can resume:

1. `prepare_edit` fills the folder ``edit`` of the snapshot (or of another one, which gets a copy): WARC
   files, ``captures.cdxj``, provenance and fixity, as an ingest leaves them. ``edit.json`` is written last.
2. `publish_edit` builds `warc`, `captures`, `pages`, `urls` and the parsed parts from it, and removes it.

A WARC file without any change is linked. Otherwise the bytes of the records that stay are copied, record by
record. Records that change are written into new files, ``moved-NNNNN.warc.gz``. A record is left out with
everything about the same URL: request, metadata, revisit. In what stays, fields that name a URL that was left
out (``via`` and others in metadata, ``Referer`` of requests, ``duplicate-of`` in the index) are left out too.
Payloads that stay are never changed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from webstrata.archive.codings import parse_headers
from webstrata.archive.fixity import FIXITY
from webstrata.archive.warc import WarcWriter, read_records
from webstrata.collection.files import (
    explained,
    link_file,
    make_directory,
    open_writer,
    remove_tree,
    replace_file,
    sync_tree,
)
from webstrata.collection.progress import Progress
from webstrata.store.build import CAPTURES, build_parsed, build_unparsed
from webstrata.store.ingest.provenance import PROVENANCE
from webstrata.store.moves import Move, Place, StoredRecords, place_of
from webstrata.web.dust import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from webstrata.archive.cdxj import Entry
    from webstrata.archive.record import Record
    from webstrata.archive.warc import Problem
    from webstrata.collection import Snapshot

FOLDER = "edit"
"""The working folder of an edit, in the snapshot."""
COMPLETE = "edit.json"
"""The file that makes the folder count."""
PREFIX = "moved"
_CODING = ("content-encoding", "transfer-encoding", "content-length")
_REPLACED = (
    "content-length", "warc-block-digest", "warc-payload-digest", "warc-type", "content-type",
    "warc-profile", "warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date",
)  # fmt: skip
_FROM_SOURCE = ("mime", "status", "digest", "truncated", "fingerprint-2", "fingerprint", "robots")


def prepare_edit(
    source: Snapshot,
    moves: Mapping[Place, Move] | None = None,
    *,
    drop: Callable[[str], bool] | None = None,
    target: Snapshot | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Write what a snapshot has after an edit; nothing of it counts until `publish_edit`.

    Parameters
    ----------
    source
        The snapshot with the captures.
    moves
        What becomes of revisit records (`webstrata.store.moves.plan_moves`).
    drop
        ``drop(url)``: whether records about a URL are left out.
    target
        The snapshot that gets the captures; the same one where not given.
    progress
        Where the work reports.

    Returns
    -------
    How many captures there are, how many were left out, how many payloads were moved, and how many WARC files
    were rewritten.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> prepare_edit(june, drop=lambda url: url == "http://news.example/storm")
    {'captures': 15, 'dropped': 1, 'moved': 0, 'files': 1}
    >>> publish_edit(june)
    >>> "http://news.example/storm" in list(june.urls)
    False
    """
    target = target or source
    progress = progress or Progress()
    folder = target.working_folder(FOLDER)
    remove_tree(folder, first=COMPLETE)
    make_directory(folder)
    with StoredRecords(source) as stored:
        work = _Edit(source, stored, folder, dict(moves or {}), drop)
        counts = work.run(progress)
        renew = source.parts.record("warc").renew
    with explained(folder, "sync"):
        sync_tree(folder)
    replace_file(folder / COMPLETE, json.dumps({"renew": renew, "counts": counts}).encode())
    return counts


def is_prepared(snapshot: Snapshot) -> bool:
    """Whether a complete edit of a snapshot waits to be published.

    Examples
    --------
    >>> from webstrata import testing
    >>> is_prepared(testing.snapshot())
    False
    """
    return (snapshot.working_folder(FOLDER) / COMPLETE).is_file()


def publish_edit(snapshot: Snapshot, *, progress: Progress | None = None) -> None:
    """Build the parts of a snapshot from a prepared edit; the same call resumes after a crash.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> _ = prepare_edit(june, drop=lambda url: "pills" in url)
    >>> publish_edit(june)
    >>> len(june.urls), is_prepared(june)
    (12, False)
    """
    folder = snapshot.working_folder(FOLDER)
    with explained(folder, "read"):
        told = json.loads((folder / COMPLETE).read_bytes())
    with snapshot.parts.writing(progress):
        build_unparsed(snapshot, folder, renew=told["renew"], progress=progress)
        refused = {name for record in snapshot.parts for name in record.lacks}
        wanted = [name for name in ("text", "links", "anchors") if name not in refused]
        build_parsed(snapshot, wanted, progress=progress)
        remove_tree(folder, first=COMPLETE)


class _Edit:
    """One edit under way."""

    def __init__(
        self,
        source: Snapshot,
        stored: StoredRecords,
        folder: Path,
        moves: dict[Place, Move],
        drop: Callable[[str], bool] | None,
    ) -> None:
        self._source, self._stored, self._folder = source, stored, folder
        self._moves, self._drop = moves, drop
        self._places: dict[str, dict[int, int]] = {}
        """For each rewritten file, the new offsets of its records by the old ones."""
        self._changed: dict[str, list[Record]] = {}
        """For each rewritten file, the records that go into new files."""
        self._new: dict[Place, dict[str, str]] = {}
        """Fields of the index for records that were written into new files."""
        self._dropped_ids: set[str] = set()

    def run(self, progress: Progress) -> dict[str, int]:
        changed = {name for name, _ in self._moves}
        files = sorted(path for path in self._stored.folder.iterdir() if ".warc" in path.name)
        total = sum(path.stat().st_size for path in files)
        with progress.task("editing WARC files", total=total, unit="bytes") as task:
            for path in files:
                if self._drop is not None or path.name in changed:
                    self._rewrite(path)
                else:
                    link_file(path, self._folder / path.name)
                task.advance(path.stat().st_size)
        # after all others, or a new file could have the name of one that an earlier edit wrote
        for name, records in self._changed.items():
            self._write_changed(name, records)
        counts = self._write_lines()
        self._write_notes()
        moved = sum(move.source is not None for move in self._moves.values())
        return counts | {"moved": moved, "files": len(self._places)}

    # ---- WARC files

    def _rewrite(self, path: Path) -> None:
        """Copy the records that stay; a file in which all do is linked."""
        target = self._folder / path.name
        places: dict[int, int] = {}
        changed: list[Record] = []
        with open_writer(target) as out, path.open("rb") as data:
            position = is_changed = 0
            for record, start, end in _cut_records(path):
                if record is not None and not self._stays(path.name, record, changed):
                    is_changed = 1
                    continue
                if record is None and start > 0 and self._drop is not None:
                    is_changed = 1  # bytes that cannot be read may be of a record that has to go
                    continue
                data.seek(start)
                out.write(data.read(end - start))
                if record is not None:
                    places[record.offset] = position
                position += end - start
        if is_changed:
            self._places[path.name] = places
            self._changed[path.name] = changed
        else:
            target.unlink()
            link_file(path, target)

    def _stays(self, name: str, record: Record, changed: list[Record]) -> bool:
        """Whether the bytes of a record stay; one that is written again is added to `changed`."""
        identity = record.get("WARC-Record-ID") or ""
        if self._drop is not None and (
            (record.url and self._drop(record.url)) or record.get("WARC-Concurrent-To") in self._dropped_ids
        ):
            self._dropped_ids.add(identity)
            return False
        if (name, record.offset) in self._moves or self._clean(record) is not None:
            changed.append(record)
            return False
        return True

    def _clean(self, record: Record) -> bytes | None:
        """The block of a request or metadata record without URLs that are left out; None if it has none."""
        if self._drop is None or record.kind not in ("request", "metadata"):
            return None
        lines = record.block.split(b"\r\n")
        kept = [line for line in lines if not self._names_dropped(line, record.kind)]
        return b"\r\n".join(kept) if len(kept) < len(lines) else None

    def _names_dropped(self, line: bytes, kind: str) -> bool:
        name, colon, value = line.partition(b":")
        if not colon or (kind == "request" and name.lower() != b"referer"):
            return False
        words = value.decode("utf-8", "replace").split()
        assert self._drop is not None
        return any(self._drop(word) for word in words if re.match(r"https?://", word))

    def _write_changed(self, name: str, records: list[Record]) -> None:
        if not records:
            return
        with ExitStack() as stack:
            others: dict[str, StoredRecords] = {}
            writer = stack.enter_context(WarcWriter(self._folder, PREFIX))
            for record in records:
                move = self._moves.get((name, record.offset))
                if move is None:
                    headers = [pair for pair in record.headers if pair[0].lower() not in _REPLACED[:2]]
                    writer.write_record(headers, self._clean(record) or b"")
                    continue
                fields: dict[str, str] = {}
                if move.source is None:
                    headers, block = _refer(record, *move.refers_to)
                    fields["duplicate-of"] = move.refers_to[0]
                else:
                    label, entry = move.source
                    if label not in others:
                        others[label] = stack.enter_context(StoredRecords(self._source.collection[label]))
                    headers, block = _fill(record, others[label].read(entry))
                    fields |= {each: entry.fields[each] for each in _FROM_SOURCE if each in entry.fields}
                place = writer.write_record(headers, block)
                numbers = {"offset": str(place.offset), "length": str(place.length)}
                self._new[name, record.offset] = fields | numbers | {"filename": place.filename}

    # ---- index and notes

    def _write_lines(self) -> dict[str, int]:
        captures = dropped = 0
        with open_writer(self._folder / CAPTURES) as out:
            for entry in self._stored.scan():
                if self._drop is not None and self._drop(entry.url):
                    dropped += 1
                    continue
                fields = self._change_fields(entry)
                out.write(f"{entry.key} {entry.timestamp} {json.dumps(fields)}\n".encode())
                captures += 1
        return {"captures": captures, "dropped": dropped}

    def _change_fields(self, entry: Entry) -> dict[str, str]:
        fields = dict(entry.fields)
        name, offset = place_of(entry)
        new = self._new.get((name, offset))
        if new is not None:
            if "duplicate-of" not in new:
                fields.pop("duplicate-of", None)
            fields.pop("span", None)  # the request is in another file
            return fields | new
        original = fields.get("duplicate-of")
        if original and self._drop is not None and self._drop(original):
            del fields["duplicate-of"]
        if name in self._places:
            fields.pop("span", None)
            fields["offset"] = str(self._places[name][offset])
        return fields

    def _write_notes(self) -> None:
        """Carry over provenance, fixity and rules about parameters, as far as they hold."""
        for line_file, change in ((PROVENANCE, self._change_origin), (FIXITY, self._change_mismatch)):
            path = self._stored.folder / line_file
            if not path.is_file():
                continue
            with explained(path, "read"):
                facts = [change(json.loads(line)) for line in path.read_bytes().splitlines()]
            kept = [json.dumps(each).encode() + b"\n" for each in facts if each is not None]
            replace_file(self._folder / line_file, b"".join(kept))
        with self._source.open_part("urls") as urls:
            if (urls.path / RULES).is_file():
                rules = json.loads((urls.path / RULES).read_bytes())
                kept_rules = {
                    origin: names
                    for origin, names in rules.items()
                    if not (self._drop and self._drop(origin))
                }
                replace_file(self._folder / RULES, json.dumps(kept_rules).encode())

    def _change_origin(self, facts: dict[str, Any]) -> dict[str, Any]:
        if facts.get("file") not in self._places:
            return facts
        kept = {name: value for name, value in facts.items() if name not in ("file", "sha256", "size")}
        return kept | {"copy": "rewrite", "reason": "records were removed or rewritten after the ingest"}

    def _change_mismatch(self, facts: dict[str, Any]) -> dict[str, Any] | None:
        places = self._places.get(facts["file"])
        if places is None:
            return facts
        if facts["offset"] not in places:
            return None
        return facts | {"offset": places[facts["offset"]]}


def _cut_records(path: Path) -> Iterator[tuple[Record | None, int, int]]:
    """The records of a file with the bytes each takes; None for bytes that are no record."""
    problems: list[Problem] = []
    pending: Record | None = None
    start = 0
    for record in read_records(path, report=problems.append):
        yield from _cut(pending, start, record.offset, problems)
        pending, start = record, record.offset
    yield from _cut(pending, start, path.stat().st_size, problems)


def _cut(
    record: Record | None, start: int, end: int, problems: list[Problem]
) -> Iterator[tuple[Record | None, int, int]]:
    """One record, and after it what could not be read."""
    damaged = min((each.offset for each in problems if start < each.offset < end), default=end)
    problems.clear()
    if start < damaged:
        yield record, start, damaged
    if damaged < end:
        yield None, damaged, end


def _refer(record: Record, url: str, date: str) -> tuple[list[tuple[str, str]], bytes]:
    """A revisit record that refers to another original."""
    dropped = ("content-length", "warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date")
    headers = [pair for pair in record.headers if pair[0].lower() not in dropped]
    headers.append(("WARC-Refers-To-Target-URI", url))
    if date:
        headers.append(("WARC-Refers-To-Date", date))
    return headers, record.block


def _fill(record: Record, source: Record) -> tuple[list[tuple[str, str]], bytes]:
    """A revisit record as a full one, with the payload of `source`.

    It keeps its identifier, date, URL and HTTP head; the head is that of the source where it describes the
    payload differently, or is of a 304.
    """
    head = record.head if source.is_http and _describes(record.head, source.head) else source.head
    block = head + source.payload if source.is_http else source.block
    headers = [("WARC-Type", source.kind)]
    headers += [pair for pair in record.headers if pair[0].lower() not in _REPLACED]
    headers.append(("Content-Type", source.get("Content-Type") or "application/octet-stream"))
    digest = hashlib.sha1(block, usedforsecurity=False).digest()
    headers.append(("WARC-Block-Digest", f"sha1:{base64.b32encode(digest).decode()}"))
    if payload_digest := source.get("WARC-Payload-Digest"):
        headers.append(("WARC-Payload-Digest", payload_digest))
    if not record.get("WARC-Truncated") and (truncated := source.get("WARC-Truncated")):
        headers.append(("WARC-Truncated", truncated))
    return headers, block


def _describes(head: bytes, other: bytes) -> bool:
    """Whether a head has the status of another, and describes a payload in the same way."""
    if head.split(b" ", 2)[1:2] != other.split(b" ", 2)[1:2]:
        return False
    first, second = (dict(parse_headers(each)) for each in (head, other))
    return all(first.get(name) == second.get(name) for name in _CODING)
