"""Parts: what a manifest names, there whole or not at all.

A part is a folder of files below its holder (a collection or a snapshot)::

    manifest.toml                 names the generation that counts
    graph -> .parts/graph.2       a link, for people and for other programs
    .parts/graph.2/               the files, with part.toml (the record) and SHA256SUMS (as sha256sum writes
    it) .building/graph/              a build under way: files/ to become the part, shards/ that are done

Publishing, in this order: every file is synced; `SHA256SUMS` and `part.toml` are written; `files/` is renamed
to `.parts/graph.N`; the manifest is replaced, and from this moment the part is there; the link is turned;
generations that no reader has open are removed. A build that dies at any moment leaves the old part, or none,
and what it left behind is swept by the next writer. A reader keeps a shared ``flock`` on the folder it
opened, so what it reads stays.

A part knows the checksums of the parts it was made from: it is *stale* when one of them has another checksum
now, or is stale itself.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import hashlib
import json
import os
import re
import time
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import tomli_w

from webstrata._core import __version__
from webstrata._core.collection import digest_files
from webstrata.collection.files import (
    crash_point,
    explained,
    make_directory,
    remove_tree,
    rename,
    replace_file,
    sync_tree,
)
from webstrata.collection.lock import WriteLock
from webstrata.collection.manifest import (
    NAME,
    Manifest,
    PartRecord,
    read_manifest,
    repair_sentence,
    write_manifest,
)
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from webstrata.collection.settings import Settings

SUMS = "SHA256SUMS"
RECORD = "part.toml"


class Part:
    """One part as a reader holds it: its files stay until it is closed, whatever a writer does meanwhile."""

    def __init__(self, path: Path, record: PartRecord, descriptor: int) -> None:
        self.path = path
        self.record = record
        self._descriptor = descriptor

    @property
    def name(self) -> str:
        """The name in the manifest."""
        return self.record.name

    @property
    def counts(self) -> Mapping[str, int]:
        """What was counted when it was built."""
        return self.record.counts

    def close(self) -> None:
        """Let the files go; a second time does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Part:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Part {self.name} of {self.path.parent.parent}>"


class Parts:
    """The parts of one holder, a mapping from names to records; `open` and `build` give access."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = WriteLock(folder)
        self._manifest = Manifest()
        self._stamp: tuple[int, int, int] | None = None

    # ---- reading

    @property
    def manifest(self) -> Manifest:
        """The manifest as it is now; read again only when the file changed."""
        path = self.folder / NAME
        try:
            status = path.stat()
            stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        except FileNotFoundError:
            stamp = (0, 0, 0)
        if stamp != self._stamp:
            self._manifest = read_manifest(path)
            self._stamp = stamp
        return self._manifest

    def __contains__(self, name: object) -> bool:
        return name in self.manifest.parts

    def __iter__(self) -> Iterator[PartRecord]:
        return iter(list(self.manifest.parts.values()))

    def __len__(self) -> int:
        return len(self.manifest.parts)

    def record(self, name: str) -> PartRecord:
        """What the manifest says of a part, or `MissingError`."""
        manifest = self.manifest
        try:
            return manifest.parts[name]
        except KeyError:
            if manifest.damage:
                raise FormatError(repair_sentence(manifest)) from None
            known = ", ".join(manifest.parts) or "none yet"
            raise MissingError(
                f"{self.folder}: there is no part {name} (parts: {known}); build it first"
            ) from None

    def path(self, record: PartRecord) -> Path:
        """Where the files of a part lie."""
        return self.folder / ".parts" / f"{record.name}.{record.generation}"

    def open(self, name: str) -> Part:
        """The part called `name`, held against removal until it is closed."""
        while True:
            record = self.record(name)
            path = self.path(record)
            descriptor = _hold(path, fcntl.LOCK_SH)
            if descriptor is not None:
                return Part(path, record, descriptor)
            # between reading the manifest and opening the folder a writer may have published the next
            # generation
            if self.record(name).generation == record.generation:
                raise MissingError(
                    f"{path}: the manifest names {name}, and its files are gone; "
                    f"`webstrata check {self.folder}` tells what is damaged"
                )

    # ---- writing

    def build(
        self,
        name: str,
        *,
        settings: Settings | None = None,
        inputs: Mapping[str, str] | None = None,
        renew: str = "",
        progress: Progress | None = None,
    ) -> Build:
        """A build of the part `name`, to be used as a context manager.

        Parameters
        ----------
        name
            Lower-case letters, digits and ``-``.
        settings
            What it is made with; recorded, and part of what a resumed build must agree with.
        inputs
            Names and checksums of the parts it is made from.
        renew
            The command that builds it again, with ``{collection}`` and ``{snapshot}`` to be filled in.
        progress
            Where the build reports.
        """
        if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            raise ValueError(f"name: expected lower-case letters, digits and '-', got {name!r}")
        return Build(self, name, settings, dict(inputs or {}), renew, progress or Progress())

    def remove(self, name: str) -> None:
        """Take a part out of the manifest, then its files."""
        with self.lock:
            self.record(name)
            write_manifest(self.folder / NAME, self.manifest.without_part(name))
            self._turn_link(name, None)
            self.sweep()

    def publish(self, record: PartRecord) -> None:
        """Name a part whose files are in place: the one moment at which it comes to be."""
        with explained(self.folder, "write"):
            write_manifest(self.folder / NAME, self.manifest.with_part(record))
        crash_point("build.named")
        self._turn_link(record.name, self.path(record))
        crash_point("build.linked")
        self.sweep()
        crash_point("build.swept")

    def next_generation(self, name: str) -> int:
        """A number that no folder of this part has, or had while the manifest remembers it."""
        taken = [generation for other, generation, _ in self.generations() if other == name]
        record = self.manifest.parts.get(name)
        return 1 + max([*taken, record.generation if record else 0])

    def sweep(self) -> None:
        """Remove generations that the manifest does not name and no reader holds; turn links that lag."""
        parts = self.manifest.parts
        if self.manifest.damage:
            return
        for name, generation, path in self.generations():
            # where the files that the manifest names are gone, the others may be all that is left
            if name in parts and (
                parts[name].generation == generation or not self.path(parts[name]).is_dir()
            ):
                continue
            descriptor = _hold(path, fcntl.LOCK_EX)
            if descriptor is not None:
                try:
                    remove_tree(path)
                finally:
                    os.close(descriptor)
        for record in parts.values():
            self._turn_link(record.name, self.path(record))

    def generations(self) -> Iterator[tuple[str, int, Path]]:
        """Name, number and folder of every generation on the disk, whether the manifest names it or not."""
        store = self.folder / ".parts"
        for path in sorted(store.iterdir()) if store.is_dir() else ():
            name, _, number = path.name.rpartition(".")
            if number.isdigit():
                yield name, int(number), path

    def _turn_link(self, name: str, target: Path | None) -> None:
        link = self.folder / name
        if target is None:
            link.unlink(missing_ok=True)
            return
        wanted = target.relative_to(self.folder)
        if link.is_symlink() and link.readlink() == wanted:
            return
        beside = self.folder / f".{name}.link"
        with explained(link, "write"):
            beside.unlink(missing_ok=True)
            beside.symlink_to(wanted)
        rename(beside, link)


class Build:
    """A part being made: write into `path`, `count`; leaving the block without an exception publishes it."""

    def __init__(
        self,
        parts: Parts,
        name: str,
        settings: Settings | None,
        inputs: dict[str, str],
        renew: str,
        progress: Progress,
    ) -> None:
        self.name = name
        self.progress = progress
        self.counts: dict[str, int] = {}
        self.record: PartRecord | None = None
        self._parts = parts
        self._settings = settings.to_dict() if settings else {}
        self._inputs = inputs
        self._renew = renew
        self._started = 0.0

    @property
    def folder(self) -> Path:
        """Where the build works: `path`, and shards that are done."""
        return self._parts.folder / ".building" / self.name

    @property
    def path(self) -> Path:
        """The folder that becomes the part."""
        return self.folder / "files"

    @property
    def identity(self) -> str:
        """A digest of everything the result depends on; shards of another identity are not reused."""
        facts = {"settings": self._settings, "inputs": self._inputs, "version": __version__}
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

    def count(self, **counts: int) -> None:
        """Record numbers that `show` displays (nodes, arcs, pages)."""
        self.counts |= {name: int(number) for name, number in counts.items()}

    def __enter__(self) -> Build:
        parts = self._parts
        parts.lock.acquire()
        try:
            if parts.lock.taken_over:
                self.progress.note(parts.lock.taken_over)
                parts.lock.taken_over = ""
            if parts.manifest.damage:
                raise FormatError(repair_sentence(parts.manifest))
            if not (parts.folder / NAME).exists():
                write_manifest(parts.folder / NAME, Manifest())
            parts.sweep()
            marker = self.folder / "identity"
            if not (marker.is_file() and marker.read_text() == self.identity):
                remove_tree(self.folder)
                make_directory(self.folder)
                replace_file(marker, self.identity.encode())
            remove_tree(self.path)
            make_directory(self.path)
            self._started = time.monotonic()
            crash_point("build.begun")
        except BaseException:
            parts.lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._publish()
            else:
                self._give_up()
        finally:
            self._parts.lock.release()

    def _give_up(self) -> None:
        """Keep shards that are done, for the next try; nothing else."""
        shards = self.folder / "shards"
        remove_tree(self.path if shards.is_dir() and any(shards.iterdir()) else self.folder)

    def _publish(self) -> None:
        parts = self._parts
        crash_point("build.filled")
        try:
            with explained(self.path, "sync"):
                sync_tree(self.path)
            self.record = self._describe()
            crash_point("build.described")
            target = make_directory(parts.folder / ".parts") / f"{self.name}.{self.record.generation}"
            rename(self.path, target)
            crash_point("build.placed")
            parts.publish(self.record)
        except BaseException:
            self._give_up()
            raise
        remove_tree(self.folder)

    def _describe(self) -> PartRecord:
        """Write SHA256SUMS and part.toml, and return the record."""
        paths = list_files(self.path)
        sizes = [path.stat().st_size for path in paths]
        with self.progress.task(f"checksums of {self.name}", total=sum(sizes), unit="bytes") as task:
            digests = digest_files(paths, progress=task.advance)
        sums = "".join(
            f"{digest}  {path.relative_to(self.path)}\n" for digest, path in zip(digests, paths, strict=True)
        ).encode()
        replace_file(self.path / SUMS, sums)
        record = PartRecord(
            name=self.name,
            generation=self._parts.next_generation(self.name),
            built=dt.datetime.now(dt.UTC).replace(microsecond=0),
            seconds=round(time.monotonic() - self._started, 3),
            version=__version__,
            files=len(paths),
            bytes=sum(sizes),
            checksum=f"sha256:{hashlib.sha256(sums).hexdigest()}",
            renew=self._renew,
            settings=self._settings,
            inputs=self._inputs,
            counts=self.counts,
        )
        replace_file(self.path / RECORD, tomli_w.dumps({"name": self.name, **record.to_table()}).encode())
        return record


def list_files(folder: Path) -> list[Path]:
    """The files of a part in the order of SHA256SUMS, its own two left out."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).as_posix() not in (SUMS, RECORD)
    )


def read_record(folder: Path) -> PartRecord:
    """The record that a part carries in itself; a ``ValueError`` where it cannot be read."""
    try:
        table: dict[str, Any] = tomllib.loads((folder / RECORD).read_text())
        record = PartRecord.from_table(table.pop("name"), table)
    except (OSError, KeyError, TypeError, AttributeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{folder / RECORD}: {error}") from error
    return replace(record, generation=int(folder.name.rpartition(".")[2]))


def _hold(path: Path, mode: int) -> int | None:
    """An open, locked descriptor of the folder at `path`, or None if it is gone or held otherwise."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
        # a folder removed between the two calls can still be locked, and holds nothing
        if path.stat().st_ino == os.fstat(descriptor).st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None


def stale_inputs(inputs: Mapping[str, str], checksums: Mapping[str, str]) -> Sequence[str]:
    """Names of inputs whose checksum is another one now, or that are gone.

    Examples
    --------
    >>> stale_inputs({"links": "sha256:1", "urls": "sha256:2"}, {"links": "sha256:1", "urls": "sha256:3"})
    ['urls']
    """
    return [name for name, checksum in inputs.items() if checksums.get(name) != checksum]
