"""A part being made: its inputs verified, its files written apart, described, put in its place.

A build compares every file of its inputs with the sums taken when they were built (see `verify`), so the
checksums of inputs in its record are those of what it read. It writes into ``.building/<part>/files`` (see
`parts` for the layout and the order of publishing). When its block ends well, it adds three files of its own:
`SHA256SUMS`, a line per file in the order of their names as ``sha256sum`` writes it, `XXH3SUMS`, the sums of
their blocks, and `part.toml`, the sealed record that the manifest has too.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import logging
import time
import tomllib
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import tomli_w

from webstrata._core import __version__
from webstrata._core.collection import digest_blocks
from webstrata.collection.files import (
    crash_point,
    explained,
    make_directory,
    remove_tree,
    rename,
    replace_file,
    sync_tree,
)
from webstrata.collection.manifest import NAME, Manifest, PartRecord, repair_error
from webstrata.collection.verify import BLOCK_SUMS, SHA_SUMS, note_written, write_block_sums
from webstrata.errors import SettingError, WebstrataError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from webstrata.collection.parts import Parts
    from webstrata.collection.progress import Progress
    from webstrata.collection.settings import Settings

_log = logging.getLogger(__name__)

SUMS = SHA_SUMS
RECORD = "part.toml"


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
        holders: Mapping[str, Parts],
    ) -> None:
        self.name = name
        self.progress = progress
        self.counts: dict[str, int] = {}
        self.lacks: dict[str, str] = {}
        """Parts that cannot be built beside this one, and why."""
        self.shard_keys: set[str] = set()
        self.record: PartRecord | None = None
        self._parts = parts
        self._settings = settings.to_dict() if settings else {}
        self._inputs = inputs
        self._holders = holders
        self._renew = renew
        self._started = 0.0
        self._used = False
        self._held = ExitStack()

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

    def share_lock(self) -> int:
        """A descriptor of the lock for a process that writes on behalf of this build."""
        return self._parts.lock.share_descriptor()

    def __enter__(self) -> Build:
        if self._used:
            raise ValueError(f"{self.name}: a build is used once; ask for another one")
        with ExitStack() as stack:
            stack.enter_context(self._parts.writing(self.progress))
            if self.name in self._parts.building:
                raise ValueError(
                    f"{self.name}: this part is being built already, further out in this program"
                )
            self._parts.building.add(self.name)
            stack.callback(self._parts.building.discard, self.name)
            self._used = True
            self._verify_inputs(stack)
            self._begin()
            self._held = stack.pop_all()
        return self

    def _verify_inputs(self, stack: ExitStack) -> None:
        """Compare every file of the inputs; they are kept from removal until the build ends."""
        for name, parts in self._holders.items():
            # if it was built again since this build was asked for, the result is stale from the beginning
            stack.enter_context(parts.open(name.partition("/")[2], whole=True, progress=self.progress))

    def _begin(self) -> None:
        parts = self._parts
        if parts.manifest.damage:
            raise repair_error(parts.manifest)
        parts.refuse_stranger(self.name)
        if not (parts.folder / NAME).exists():
            parts.replace_manifest(Manifest())
        parts.sweep()
        marker = self.folder / "identity"
        if not (marker.is_file() and marker.read_bytes() == self.identity.encode()):
            remove_tree(self.folder)
            make_directory(self.folder)
            replace_file(marker, self.identity.encode())
        remove_tree(self.path)
        make_directory(self.path)
        self._started = time.monotonic()
        crash_point("build.begun")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._held:
            try:
                if kind is None:
                    self._publish()
            finally:
                # what these settings made is of no use to others, and they are refused again
                self._clean(keep_shards=not isinstance(error, SettingError))

    def _clean(self, *, keep_shards: bool) -> None:
        """Remove what is of no more use; of a part that did not come to be, shards that are done may stay."""
        shards = self.folder / "shards"
        try:
            published = self.record is not None and self._parts.manifest.parts.get(self.name) == self.record
            if keep_shards and not published and shards.is_dir() and any(shards.iterdir()):
                remove_tree(self.path)
            else:
                remove_tree(self.folder, first="identity")
        except WebstrataError as error:
            # the next build removes it, and what went wrong before this matters more
            _log.warning("%s", error)

    def _publish(self) -> None:
        parts = self._parts
        crash_point("build.filled")
        with explained(self.path, "sync"):
            sync_tree(self.path)
        self.record = self._describe()
        crash_point("build.described")
        target = make_directory(parts.folder / ".parts") / f"{self.name}.{self.record.generation}"
        rename(self.path, target)
        crash_point("build.placed")
        note_written(target, self.record)
        parts.publish(self.record)

    def _describe(self) -> PartRecord:
        """Write SHA256SUMS, XXH3SUMS and part.toml, and return the record."""
        paths = list_files(self.path)
        names = [path.relative_to(self.path).as_posix() for path in paths]
        for name in names:
            if not name.isprintable():
                raise ValueError(f"{self.name}: expected printable file names, got {name!r}")
        sizes = [path.stat().st_size for path in paths]
        with self.progress.task(f"checksums of {self.name}", total=sum(sizes), unit="bytes") as task:
            digests = digest_blocks(paths, progress=task.advance)
        lines = [f"{digest}  {name}\n" for (digest, _, _), name in zip(digests, names, strict=True)]
        sums = "".join(lines).encode()
        checksum = f"sha256:{hashlib.sha256(sums).hexdigest()}"
        replace_file(self.path / SUMS, sums)
        blocks = [(name, size, each) for name, (_, size, each) in zip(names, digests, strict=True)]
        write_block_sums(self.path, checksum, blocks)
        record = PartRecord(
            name=self.name,
            generation=self._parts.next_generation(self.name),
            built=dt.datetime.now(dt.UTC).replace(microsecond=0),
            seconds=round(time.monotonic() - self._started, 3),
            version=__version__,
            files=len(paths),
            bytes=sum(sizes),
            checksum=checksum,
            renew=self._renew,
            settings=self._settings,
            inputs=self._inputs,
            counts=self.counts,
            lacks=self.lacks,
        )
        write_record(self.path, record)
        return record


def list_files(folder: Path) -> list[Path]:
    """The files of a part in the order of SHA256SUMS, without those that describe it.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> for name in ("b", "a", "part.toml"):
    ...     (folder / name).touch()
    >>> [path.name for path in list_files(folder)]
    ['a', 'b']
    """
    return sorted(
        path
        for path in folder.rglob("*")
        if not path.is_dir() and path.relative_to(folder).as_posix() not in (SUMS, BLOCK_SUMS, RECORD)
    )


def write_record(folder: Path, record: PartRecord) -> None:
    """Put the record of a part into the part itself; `read_record` gives it back.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> record = PartRecord(
    ...     name="graph", generation=1, built=dt.datetime(2026, 6, 30, tzinfo=dt.UTC), seconds=3.5,
    ...     version="0.1.0", files=5, bytes=123456, checksum="sha256:…")
    >>> write_record(folder, record)
    >>> read_record(folder) == record
    True
    """
    replace_file(folder / RECORD, tomli_w.dumps({"name": record.name, **record.to_sealed_table()}).encode())


def read_record(folder: Path) -> PartRecord:
    """The record that a part carries in itself; a ``ValueError`` where it cannot be read.

    Examples
    --------
    >>> from webstrata import testing
    >>> with testing.snapshot().open_part("graph") as part:
    ...     record = read_record(part.path)
    >>> record.name, record.counts["nodes"]
    ('graph', 15)
    >>> read_record(testing.scratch())
    Traceback (most recent call last):
    ValueError: ...part.toml: [Errno 2] No such file or directory: ...
    """
    try:
        table: dict[str, Any] = tomllib.loads((folder / RECORD).read_text())
        return PartRecord.from_table(table.pop("name"), table)
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"{folder / RECORD}: {error}") from error
