"""Parts: what a manifest names, there whole or not at all.

A part is a folder of files below its holder (a collection or a snapshot)::

    manifest.toml                 names the generation that counts
    graph -> .parts/graph.2       a link, for people and for other programs
    .parts/graph.2/               the files, part.toml (the record), SHA256SUMS, XXH3SUMS (see `verify`)
    .parts/.graph.1/              an older generation on its way out
    .building/graph/              a build under way: files/ to become the part, shards/ that are done
    .damaged/graph.3/             a generation that no record describes any more, set aside by a repair

Publishing, in this order: every file is synced; `SHA256SUMS` and `part.toml` are written; `files/` is renamed
to `.parts/graph.N`; the manifest is replaced, and from this moment the part is there; the link is turned;
generations that no reader has open are removed. A build that dies at any moment leaves the old part, or none,
and what it left behind is swept by the next writer. A reader keeps a shared ``flock`` on the folder it
opened, so what it reads stays.

A part knows the checksums of the parts it was made from: it is *stale* when one of them has another checksum
now, or is stale itself.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webstrata.collection.build import Build
from webstrata.collection.files import (
    crash_point,
    explained,
    remove_tree,
    rename,
    sync_path,
)
from webstrata.collection.former_names import FORMER, current_name
from webstrata.collection.lock import WriteLock
from webstrata.collection.manifest import (
    NAME,
    Manifest,
    PartRecord,
    read_manifest,
    repair_error,
    write_manifest,
)
from webstrata.collection.progress import Progress
from webstrata.collection.verify import damage_error, verify_part
from webstrata.errors import ExistsError, FormatError, MissingError, WebstrataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from webstrata.collection.settings import Settings

_log = logging.getLogger(__name__)


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
        self.building: set[str] = set()
        self._manifest = Manifest()
        self._stamp: tuple[int, int, int] | None = None

    def __repr__(self) -> str:
        names = ", ".join(record.name for record in self)
        return f"<Parts of {self.folder}: {names or 'none'}>"

    # ---- reading

    @property
    def manifest(self) -> Manifest:
        """The manifest as it is now; read again only when the file changed."""
        path = self.folder / NAME
        with explained(path, "read"):
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
        return isinstance(name, str) and current_name(name) in self.manifest.parts

    def __iter__(self) -> Iterator[PartRecord]:
        return iter(list(self.manifest.parts.values()))

    def __len__(self) -> int:
        return len(self.manifest.parts)

    @property
    def names(self) -> list[str]:
        """The names of all parts."""
        return list(self.manifest.parts)

    def record(self, name: str) -> PartRecord:
        """What the manifest says of a part, or `MissingError`."""
        manifest = self.manifest
        if name in FORMER:
            warnings.warn(
                f"the part {name} is called {FORMER[name]} now; the former name goes with the next release",
                DeprecationWarning,
                stacklevel=3,
            )
            name = FORMER[name]
        try:
            return manifest.parts[name]
        except KeyError:
            if manifest.damage:
                raise repair_error(manifest) from None
            known = ", ".join(manifest.parts) or "none yet"
            from webstrata.collection.makers import suggest_part

            message = f"{self.folder}: no part {name} (parts: {known})"
            if reason := next((r.lacks[name] for r in manifest.parts.values() if name in r.lacks), ""):
                raise MissingError(f"{message}; {reason}") from None
            raise MissingError(message, fix=suggest_part(self.folder, name)) from None

    def path(self, record: PartRecord) -> Path:
        """Where the files of a part lie."""
        return self.folder / ".parts" / f"{record.stored or record.name}.{record.generation}"

    def open(
        self, name: str, *, whole: bool = False, verify: bool = True, progress: Progress | None = None
    ) -> Part:
        """The part called `name`, held against removal until it is closed.

        Parameters
        ----------
        name
            In the manifest.
        whole
            Compare the content of every file with its sum, as builds do; otherwise sizes and small files
            (see `webstrata.collection.verify`).
        verify
            Whether anything is compared.
        progress
            Where a comparison of everything reports.
        """
        while True:
            record = self.record(name)
            path = self.path(record)
            with explained(path, "read"):
                descriptor = _hold(path, fcntl.LOCK_SH)
            # between reading the manifest and holding the folder a writer may have published the next
            # generation, or removed the part and begun again with the same number
            now = self.manifest.parts.get(record.name)
            if descriptor is not None and now == record:
                part = Part(path, record, descriptor)
                try:
                    if verify:
                        verify_part(path, record, whole=whole, progress=progress)
                except BaseException:
                    part.close()
                    raise
                return part
            if descriptor is not None:
                os.close(descriptor)
            elif now == record:
                raise damage_error(path, record, "", "is missing, though the manifest names it")

    def open_made(
        self,
        name: str,
        settings: Mapping[str, object],
        inputs: Mapping[str, str],
        *,
        heeded: Iterable[str] | None = None,
    ) -> Part | None:
        """The part called `name` if it was made with these settings, from these inputs; else None.

        Parameters
        ----------
        name
            In the manifest.
        settings
            As `Settings.to_dict` has them.
        inputs
            Names and checksums that must be among those of the part.
        heeded
            The settings that matter; all where not given.
        """
        if name not in self:
            return None
        try:
            part = self.open(name)
        except (MissingError, FormatError):
            return None  # the caller builds it again
        made = part.record.settings
        same = (
            made == settings
            if heeded is None
            else all(made.get(each) == settings.get(each) for each in heeded)
        )
        if same and inputs.items() <= part.record.inputs.items():
            return part
        part.close()
        return None

    # ---- writing

    def build(
        self,
        name: str,
        *,
        settings: Settings | None = None,
        inputs: Mapping[str, str] | None = None,
        renew: str = "",
        progress: Progress | None = None,
        holders: Mapping[str, Parts] | None = None,
    ) -> Build:
        """A build of the part `name`, to be used as a context manager.

        Parameters
        ----------
        name
            Lower-case letters, digits, ``-`` and ``_``.
        settings
            What it is made with; recorded, and part of what a resumed build must agree with.
        inputs
            Names and checksums of the parts it is made from.
        renew
            The command that builds it again, with ``{collection}`` and ``{snapshot}`` to be filled in.
        progress
            Where the build reports.
        holders
            Who holds each of `inputs`; their files are verified when the build begins.
        """
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
            raise ValueError(f"name: expected lower-case letters, digits, '-' and '_', got {name!r}")
        return Build(self, name, settings, dict(inputs or {}), renew, progress or Progress(), holders or {})

    @contextmanager
    def writing(self, progress: Progress | None = None) -> Iterator[None]:
        """Hold the lock inside the block; a lock taken over from a dead process is said."""
        with self.lock:
            if self.lock.taken_over:
                (progress or Progress()).note(self.lock.taken_over)
                self.lock.taken_over = ""
            yield

    def remove(self, name: str) -> None:
        """Take a part out of the manifest, then its files."""
        with self.writing():
            self.record(name)
            self.replace_manifest(self.manifest.without_part(name))
            self.sweep()

    def publish(self, record: PartRecord) -> None:
        """Name a part whose files are in place: the one moment at which it comes to be."""
        self.replace_manifest(self.manifest.with_part(record))
        crash_point("build.named")
        self._turn_link(record)
        crash_point("build.linked")
        self.sweep()
        crash_point("build.swept")

    def replace_manifest(self, manifest: Manifest) -> None:
        """Write the manifest; the caller holds the lock."""
        try:
            write_manifest(self.folder / NAME, manifest)
        finally:
            self._stamp = None  # two writes within one tick of the clock may look alike

    def refuse_stranger(self, name: str) -> None:
        """Raise `ExistsError` where something of the user's has the name that a part is to appear under."""
        place = self.folder / name
        with explained(place, "read"):
            if place.exists() and not _is_ours(place):
                raise ExistsError(
                    f"{place}: something that is no part stands where the part is to appear; move it away"
                )

    def next_generation(self, name: str) -> int:
        """A number that no folder of this part has, or had while the manifest remembers it."""
        taken = [generation for other, generation, _ in self.generations() if other == name]
        record = self.manifest.parts.get(name)
        return 1 + max([*taken, record.generation if record else 0])

    def sweep(self) -> None:
        """Remove generations that the manifest does not name and no reader holds; mend links that lag.

        What cannot be removed stays for the next time: it is in nobody's way.
        """
        parts = self.manifest.parts
        if self.manifest.damage:
            return
        outdated = [
            path
            for name, generation, path in self.generations()
            # where the files that the manifest names are gone, the others may be all that is left
            if name not in parts or (parts[name].generation != generation and self.path(parts[name]).is_dir())
        ]
        if outdated:
            # a writer may have died, or its sync failed, between naming a generation and making that
            # durable: what it replaced must not go first
            sync_path(self.folder)
        for path in outdated:
            _discard(path)
        for path in self.folder.glob(".parts/.*/"):
            _discard(path)
        for record in parts.values():
            self._turn_link(record)
        for link in self.folder.iterdir():
            if link.name not in parts and _is_ours(link):
                with explained(link, "remove"):
                    link.unlink(missing_ok=True)

    def generations(self) -> Iterator[tuple[str, int, Path]]:
        """Name, number and folder of every generation on the disk, whether the manifest names it or not."""
        store = self.folder / ".parts"
        with explained(store, "list"):
            paths = sorted(store.iterdir()) if store.is_dir() else []
        for path in paths:
            name, _, number = path.name.rpartition(".")
            if number.isdecimal() and not name.startswith("."):
                yield current_name(name), int(number), path

    def _turn_link(self, record: PartRecord) -> None:
        link, wanted = self.folder / record.name, self.path(record).relative_to(self.folder)
        with explained(link, "write"):
            if (link.is_symlink() and link.readlink() == wanted) or (link.exists() and not _is_ours(link)):
                return  # what the user put there is the user's; a build refuses to begin beside it
            beside = self.folder / f".{record.name}.link"
            beside.unlink(missing_ok=True)
            beside.symlink_to(wanted)
        rename(beside, link)


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
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _discard(path: Path) -> None:
    """Remove a generation unless a reader holds it; first its name, so that what has one is whole."""
    try:
        with explained(path, "remove"):
            descriptor = _hold(path, fcntl.LOCK_EX)
        if descriptor is None:
            return
        try:
            if not path.name.startswith("."):
                beside = path.with_name(f".{path.name}")
                remove_tree(beside)
                rename(path, beside)
                path = beside
            remove_tree(path)
        finally:
            os.close(descriptor)
    except WebstrataError as error:
        _log.warning("%s", error)


def _is_ours(link: Path) -> bool:
    """Whether this is a link to a generation of a part."""
    return link.is_symlink() and link.readlink().parts[:1] == (".parts",)


def stale_inputs(inputs: Mapping[str, str], checksums: Mapping[str, str]) -> Sequence[str]:
    """Names of inputs whose checksum is another one now, or that are gone.

    Examples
    --------
    >>> stale_inputs({"links": "sha256:1", "urls": "sha256:2"}, {"links": "sha256:1", "urls": "sha256:3"})
    ['urls']
    """
    return [name for name, checksum in inputs.items() if checksums.get(name) != checksum]
