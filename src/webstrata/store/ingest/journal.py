"""How far an ingest has come: the folder ``ingest`` of a snapshot, from which the same command goes on.

==================  =====================================================================================
``*.warc.gz``       the captures that were stored
``captures.cdxj``   a line for each of them
``notes.jsonl``     what lines do not tell and later files may need: a line each, see `Journal`
``*.jsonl``         provenance and fixity of the sources (`webstrata.store.ingest.provenance`, `.fixity`)
``base/``           the index of the captures that were there before, where they are kept
``journal.json``    which files were read to their end, what was counted, and how long the others were then
==================  =====================================================================================

``journal.json`` is replaced when a file has been read and everything of it is durable. Whoever finds one
cuts the others to the lengths that it tells, so that a file of which half was read is read again, and none
twice. A file counts as read if its path, size and time are still the same. When all are read the WARC files
are closed, and never written to again: from then on parts of the snapshot may share them.

Digests and places of all payloads are held in memory, some 200 bytes for each.
"""

from __future__ import annotations

import calendar
import hashlib
import json
import os
import re
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata._core import __version__
from webstrata.archive.cdxj import Entry, Index
from webstrata.archive.digests import from_base32, plain, to_base32
from webstrata.archive.fixity import FIXITY, Mismatch
from webstrata.archive.request_body import URN
from webstrata.archive.tally import Damage, Tally
from webstrata.collection.files import (
    crash_point,
    explained,
    link_file,
    make_directory,
    remove_tree,
    replace_file,
    sync_path,
)
from webstrata.store.build import BASE, CAPTURES
from webstrata.store.ingest.provenance import PROVENANCE, read_provenance
from webstrata.web.fingerprint import FIELD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from webstrata.archive.warc import WarcWriter
    from webstrata.collection import Snapshot
    from webstrata.store.ingest.readers import Source

FORMAT = 2
NAME = "journal.json"
NOTES = "notes.jsonl"
STREAMS = (CAPTURES, NOTES, PROVENANCE, FIXITY)
"""Files that grow while sources are read."""
COUNTS = (
    "captures", "duplicates", "revisits", "unresolved", "repeated", "undated", "other_time", "cut", "copied",
    "digests", "unknown_digests", "mismatched",
)  # fmt: skip
_SPARSE = 1 << 18
"""Bytes of files that are read again at worst: after smaller ones nothing is made durable."""
_EMPTY = hashlib.sha1(b"", usedforsecurity=False).digest()


class Payload(NamedTuple):
    """Where a payload is stored, and what is to be said of another capture that has it too."""

    url: str
    date: int
    fingerprint: int | None
    robots: str | None


class Later(NamedTuple):
    """A capture whose line is written when all sources are read."""

    path: str
    offsets: list[int]
    """Of its records."""
    origin: str = ""
    """What the source is called."""
    filename: str = ""
    """The copy that holds the record, and its length there; nothing where it is to be rewritten."""
    length: int = 0
    fixity: str | None = None


class Journal:
    """What an ingest knows of the captures it has stored, and how it remembers that when it is broken off.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> journal = Journal.begin(snapshot, "new")
    >>> identity = identify("http://a.uk/", 10**18, bytes(20))
    >>> journal.is_new(identity), journal.is_new(identity)
    (True, False)
    >>> Journal.find(snapshot, "new", []) is None
    True
    """

    def __init__(self, folder: Path, mode: str, base: str, prefix: str = "") -> None:
        self.folder, self.mode = folder, mode
        self.prefix = prefix
        """How the names of WARC files begin that are written here."""
        self.base = base
        """The checksum of the part `warc` when the work began; empty where there was none."""
        self.tally = Tally()
        self.counts = dict.fromkeys(COUNTS, 0)
        self.stored: dict[bytes, Payload] = {}
        """By the digest of the payload, where it was first."""
        self.told: dict[str, bytes] = {}
        """From the digest that a writer told to ours, where they differ."""
        self.later: list[Later] = []
        """Where the records of captures without payload are."""
        self.copies: dict[str, str] = {}
        """By the SHA-256 of sources that were copied as they are, the names of the copies."""
        self.rewritten: set[str] = set()
        """The SHA-256 of sources that were rewritten."""
        self.again: list[tuple[str, int]] = []
        """Files that must be read again for such, and from where on."""
        self.mismatches: list[Mismatch] = []
        """Digests that do not hold, the first `MAX_SHOWN` of them."""
        self.is_closed = False
        self._seen: set[bytes] = set()
        self._done: list[list[Any]] = []
        self._kept: list[str] = []
        """WARC files that are not written to any more."""
        self._position: tuple[str, int] | None = None
        self._lengths = dict.fromkeys(STREAMS, 0)
        self._parts: dict[str, str] = {}
        self._waiting = 0
        self._notes: list[dict[str, Any]] = []

    # ---- beginning and going on

    @classmethod
    def begin(cls, snapshot: Snapshot, mode: str) -> Journal:
        """A new one, in place of what an earlier one left; with ``add`` it knows what the snapshot has."""
        folder = snapshot.working_folder("ingest")
        remove_tree(folder, first=NAME)
        make_directory(folder)
        journal = cls(folder, mode, _checksum(snapshot, "warc"), find_prefix(snapshot))
        if mode.startswith("add") and journal.base:
            journal._take_over(snapshot)
        return journal

    def _take_over(self, snapshot: Snapshot) -> None:
        """Begin with the captures that the snapshot has; their files get second names."""
        make_directory(self.folder / BASE)
        with snapshot.open_part("warc") as warc, snapshot.open_part("captures") as index:
            for path in sorted(warc.path.glob("*.warc*")):
                link_file(path, self.folder / path.name)
                self._kept.append(path.name)
            for path in sorted(index.path.glob("index.*")):
                link_file(path, self.folder / BASE / path.name)
            for name in (PROVENANCE, FIXITY):
                if (warc.path / name).is_file():
                    with explained(warc.path / name, "read"):
                        replace_file(self.folder / name, (warc.path / name).read_bytes())
                    self._lengths[name] = (self.folder / name).stat().st_size
        self._recall_origins()
        self._recall_base()

    @classmethod
    def find(cls, snapshot: Snapshot, mode: str, sources: Sequence[Source]) -> Journal | None:
        """The one that work of this kind on these files has left, or None."""
        folder = snapshot.working_folder("ingest")
        try:
            told = dict(json.loads((folder / NAME).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        if (told.get("format"), told.get("version"), told.get("mode")) != (FORMAT, __version__, mode):
            return None
        if Counter(map(tuple, told["done"])) - Counter(map(tuple, map(_identify, sources))):
            return None  # a file that was read is another one now, or is not asked for
        base = _checksum(snapshot, "warc")
        if base != told["base"] and not (told["closed"] and _is_ours(snapshot, folder)):
            return None
        journal = cls(folder, mode, base, find_prefix(snapshot))
        journal._load(told)
        return journal

    def _load(self, told: dict[str, Any]) -> None:
        self.counts, self.is_closed = told["counts"], told["closed"]
        self.mismatches = [Mismatch(*each) for each in told["mismatches"]]
        tally = told["tally"]
        damage = [Damage(*place) for place in tally["damage"]]
        self.tally = Tally(
            tally["records"], damage, tally["damaged"], Counter(tally["left_out"]), Counter(tally["kept"])
        )
        self._done, self._kept, self._parts = told["done"], told["kept"], told["parts"]
        self._position = tuple(told["position"]) if told["position"] else None
        self._lengths = told["lengths"]
        for name, length in self._lengths.items():
            path = self.folder / name
            with explained(path, "write"):
                path.touch()
                os.truncate(path, length)
        self._recall_origins()
        own = re.compile(rf"{re.escape(self.prefix)}-\d+\.warc") if self._position else None
        known = {*self._kept, *self.copies.values()}
        for path in self.folder.glob("*.warc*"):  # of files that were begun since then nothing counts
            if path.name not in known and not (own and own.match(path.name)):
                remove_tree(path)
        self._recall_base()
        with explained(self.folder / NOTES, "read"), (self.folder / NOTES).open("rb") as notes:
            said = self._recall_notes(notes)
        with explained(self.folder / CAPTURES, "read"), (self.folder / CAPTURES).open("rb") as lines:
            for line in lines:
                self._recall(Entry.parse(line), said)

    def _recall_base(self) -> None:
        if (self.folder / BASE).is_dir():
            with Index(self.folder / BASE) as index:
                for entry in index:
                    self._recall(entry, {})

    def _recall_origins(self) -> None:
        for origin in read_provenance(self.folder):
            if origin.sha256 and origin.file:
                self.copies[origin.sha256] = origin.file
            elif origin.sha256:
                self.rewritten.add(origin.sha256)

    def _recall_notes(self, notes: Iterable[bytes]) -> dict[str, tuple[int, str | None]]:
        """What was noted; of payloads the exact time and what their pages ask of robots."""
        said: dict[str, tuple[int, str | None]] = {}
        for line in notes:
            note = json.loads(line)
            if "payload" in note:
                said[note["payload"]] = note["date"], note["robots"]
            elif "told" in note:
                self.told[note["told"]] = bytes.fromhex(note["digest"])
            elif "later" in note:
                self.later.append(Later(*note["later"]))
            elif "again" in note:
                self.again.append((note["again"], note["start"]))
            else:  # all of them were looked at, and stored
                self.later, self.again = [], []
        return said

    def _recall(self, entry: Entry, said: dict[str, tuple[int, str | None]]) -> None:
        """Know a capture by its line."""
        is_known = entry.fields["digest"] != "-"
        digest = from_base32(entry.fields["digest"]) if is_known else b""
        date = _read_time(entry.timestamp)
        full_url = entry.request.append_to(entry.url) if entry.request else entry.url
        self._seen.add(identify(full_url, date, digest))
        if entry.request is not None or entry.url.startswith(URN):
            return
        if entry.fields["mime"] == "warc/revisit" or entry.fields["status"] != "200" or digest == _EMPTY:
            return
        if digest not in self.stored:
            mark = entry.fields.get(FIELD)
            date, robots = said.get(digest.hex(), (date, None))
            self.stored[digest] = Payload(entry.url, date, int(mark, 16) if mark else None, robots)

    # ---- while files are read

    def left(self, sources: Iterable[Source]) -> list[Source]:
        """Those that were not read to their end."""
        done = Counter(map(tuple, self._done))
        found = []
        for source in sources:
            identity = tuple(_identify(source))
            if done[identity]:
                done[identity] -= 1
            else:
                found.append(source)
        return found

    @property
    def num_done(self) -> int:
        """Files that were read to their end."""
        return len(self._done)

    def reopen(self, writer: WarcWriter) -> None:
        """Let a writer go on where the last one was."""
        if self._position is not None:
            writer.resume(*self._position)

    def is_new(self, identity: bytes) -> bool:
        """Whether no such capture was stored; from now on it counts as such."""
        if identity in self._seen:
            self.counts["repeated"] += 1
            return False
        self._seen.add(identity)
        return True

    def keep(self, digest: bytes, payload: Payload) -> Payload:
        """Know where a payload is, unless it is known; where it is, then."""
        known = self.stored.setdefault(digest, payload)
        if known is payload and (payload.robots or payload.date % 10**9):
            self._note(payload=digest.hex(), date=payload.date, robots=payload.robots)
        return known

    def remember(self, told: str, digest: bytes) -> None:
        """Know the digest of a payload by the one that its writer told."""
        told = plain(told)
        if told and told != to_base32(digest) and told not in self.told:
            self.told[told] = digest
            self._note(told=told, digest=digest.hex())

    def put_off(self, later: Later) -> None:
        """Look at records when all files are read."""
        self.later.append(later)
        self._note(later=list(later))

    def put_off_rest(self, path: Path, start: int) -> None:
        """Look at a file from some place on when all files are read."""
        self.again.append((str(path), start))
        self._note(again=str(path), start=start)

    def _note(self, **note: object) -> None:
        self._notes.append(note)

    def end_file(self, source: Source, writer: WarcWriter, streams: Mapping[str, BinaryIO]) -> None:
        """A file was read to its end: from here on it need not be read again."""
        identity = _identify(source)
        self._done.append(identity)
        self._waiting += identity[2]
        if self._waiting < _SPARSE:
            return
        self._position = writer.position
        writer.sync()
        self._save(streams)
        crash_point("ingest.file-read")

    def end_all(self, writer: WarcWriter, streams: Mapping[str, BinaryIO]) -> None:
        """All files were read: what is stored now is what the snapshot will have."""
        writer.close()
        self.later, self.again = [], []
        self._note(done=True)
        self._position, self.is_closed = None, True
        self._kept = sorted(path.name for path in self.folder.glob("*.warc*"))
        self._save(streams)
        crash_point("ingest.all-read")

    def _save(self, streams: Mapping[str, BinaryIO]) -> None:
        streams[NOTES].writelines(json.dumps(note).encode() + b"\n" for note in self._notes)
        self._notes.clear()
        for name, stream in streams.items():
            stream.flush()
            sync_path(self.folder / name)
            self._lengths[name] = (self.folder / name).stat().st_size
        self._waiting = 0
        self._replace()

    def _replace(self) -> None:
        told = {
            "format": FORMAT,
            "version": __version__,
            "mode": self.mode,
            "base": self.base,
            "done": self._done,
            "closed": self.is_closed,
            "kept": self._kept,
            "position": self._position,
            "lengths": self._lengths,
            "parts": self._parts,
            "counts": self.counts,
            "tally": {
                "records": self.tally.records,
                "damaged": self.tally.num_damaged,
                "damage": self.tally.damage,
                "left_out": self.tally.left_out,
                "kept": self.tally.kept,
            },
            "mismatches": self.mismatches,
        }
        replace_file(self.folder / NAME, json.dumps(told).encode())

    # ---- behind the reading

    @property
    def can_go_on(self) -> bool:
        """Whether there is anything that another run would not do again."""
        return (self.folder / NAME).is_file()

    def end_parts(self, snapshot: Snapshot, names: Iterable[str]) -> None:
        """Parts were built: they need not be built again, as long as they are what they are."""
        self._parts = {name: _checksum(snapshot, name) for name in names}
        self._replace()

    def has_parts(self, snapshot: Snapshot) -> bool:
        """Whether what `end_parts` named is there, as it was."""
        return bool(self._parts) and all(
            _checksum(snapshot, name) == checksum for name, checksum in self._parts.items()
        )

    def remove(self) -> None:
        """End it: nothing of it is needed any more."""
        remove_tree(self.folder, first=NAME)


def find_prefix(snapshot: Snapshot) -> str:
    """How the names of WARC files begin that an ingest into a snapshot writes.

    Examples
    --------
    >>> import tempfile
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     find_prefix(ws.create(f"{folder}/uk").add("2026-06"))
    'uk-2026-06'
    """
    return f"{snapshot.collection.path.name}-{snapshot.date}"


def _identify(source: Source) -> list[Any]:
    """What makes a file the same that was read: path, what was said of it, size, time."""
    path = source.path
    if source.git is not None:  # a commit never changes, whatever happens to the files of its repository
        return [str(path.resolve()), f"{source.base_url} {' '.join(map(str, source.git))}", 0, 0]
    with explained(path, "read"):
        files = [path]
        if path.is_dir():
            files = [file for file in path.rglob("*") if file.is_file()]
        found = [file.stat() for file in files]
    size = sum(status.st_size for status in found)
    said = source.base_url if source.wiki is None else f"{source.base_url} {source.wiki}"
    return [str(path.resolve()), said, size, max((s.st_mtime_ns for s in found), default=0)]


def _checksum(snapshot: Snapshot, name: str) -> str:
    return snapshot.parts.record(name).checksum if name in snapshot.parts else ""


def _is_ours(snapshot: Snapshot, folder: Path) -> bool:
    """Whether the part `warc` has the files of this folder: it was built before the work was broken off."""
    if "warc" not in snapshot.parts:
        return False
    with ExitStack() as stack:
        part = stack.enter_context(snapshot.open_part("warc"))
        sizes = [
            {path.name: path.stat().st_size for path in place.glob("*.warc*")}
            for place in (part.path, folder)
        ]
    return sizes[0] == sizes[1]


def identify(url: str, date: int, digest: bytes) -> bytes:
    """What makes a capture the same as another, as the core finds it too: the index tells whole seconds.

    Examples
    --------
    >>> identify("http://a.uk/", 10**18, bytes(20)) == identify("http://a.uk/", 10**18 + 1, bytes(20))
    True
    """
    text = b"%b %d %b" % (url.encode(), date // 10**9, digest)
    return hashlib.sha1(text, usedforsecurity=False).digest()[:12]


def _read_time(stamp: str) -> int:
    """Fourteen digits as nanoseconds since 1970."""
    numbers = (int(stamp[:4]), *(int(stamp[place : place + 2]) for place in range(4, 14, 2)))
    return calendar.timegm((*numbers, 0, 0, 0)) * 10**9


def is_ingesting(snapshot: Snapshot) -> bool:
    """Whether an ingest into `snapshot` is under way, or was interrupted and can be resumed.

    Examples
    --------
    >>> import tempfile
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as name:
    ...     is_ingesting(ws.create(f"{name}/uk").add("2026-06"))
    False
    """
    return (snapshot.working_folder("ingest") / NAME).exists()
