"""What `webstrata check` does: every promise of the manifest compared with the disk.

A part is sound when the digest of its `SHA256SUMS` is the manifest's checksum, and its files are those listed
there with those digests: no more, no fewer. What an interrupted build left behind, and parts that are stale,
are no damage; they are noted. `repair` mends what can be mended without loss: it makes a damaged manifest
again from the records that the parts carry, and keeps the damaged one.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata._core.collection import digest_files
from webstrata.collection.files import explained
from webstrata.collection.manifest import NAME, Manifest, keep_copy, read_manifest, write_manifest
from webstrata.collection.parts import SUMS, Parts, list_files, read_record
from webstrata.collection.progress import Progress
from webstrata.collection.settings import (
    TABLES,
    ResourcesSettings,
    Settings,
    load_settings_class,
    unknown_name,
)
from webstrata.errors import SettingError, WebstrataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webstrata.collection.collection import Collection, Snapshot
    from webstrata.collection.manifest import PartRecord


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be: where, what, and what to do."""

    where: str
    problem: str
    remedy: str


@dataclass
class CheckResult:
    """What a check saw."""

    parts: int = 0
    files: int = 0
    bytes: int = 0
    damage: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)


def check_collection(
    collection: Collection,
    settings: ResourcesSettings | None = None,
    *,
    repair: bool = False,
    progress: Progress | None = None,
) -> CheckResult:
    """Verify every file of every part of a collection.

    Examples
    --------
    >>> from webstrata.collection import Collection
    >>> collection = Collection.create(getfixture("tmp_path") / "uk")
    >>> with collection.add("2026-06").build("notes") as build:
    ...     _ = (build.path / "a.txt").write_text("kept")
    >>> _ = (collection.path / "snapshots/2026-06/notes/a.txt").write_text("spoilt")
    >>> for finding in check_collection(collection).damage:
    ...     print(finding.where, "|", finding.problem)
    2026-06/notes | a.txt is damaged (its content has another SHA-256)
    """
    settings = settings or ResourcesSettings()
    progress = progress or Progress()
    result = CheckResult()
    holders: list[Collection | Snapshot] = [collection, *collection]
    _check_settings(collection, result)
    total = 0
    for holder in holders:
        _check_manifest(holder.parts, result, repair=repair)
        total += sum(record.bytes for record in holder.parts)
    with progress.task("checking", total=total, unit="bytes") as task:
        for holder in holders:
            for record in holder.parts:
                where = collection.qualify(holder, record.name)
                remedy = _remedy(collection, where, record)
                for problem in _check_part(holder.parts, record, settings.num_workers, task.advance, result):
                    result.damage.append(Finding(where, problem, remedy))
            _note_leftovers(collection, holder, result)
    for name, state in collection.states().items():
        if state.stale:
            problem = f"stale: {', '.join(state.stale)} changed since it was built"
            result.notes.append(Finding(name, problem, state.renew or "build it again"))
    return result


def _remedy(collection: Collection, where: str, record: PartRecord) -> str:
    state = collection.states().get(where)
    command = state.renew if state else record.renew
    return f"run `{command}`" if command else "build it again, or restore it from a copy"


def _check_settings(collection: Collection, result: CheckResult) -> None:
    """Read every table of every settings file with its class, as the stages will."""
    file = collection.path / "collection.toml"
    for snapshot in [None, *collection]:
        place = file if snapshot is None else snapshot.path / "snapshot.toml"
        try:
            for table in _tables(place):
                cls: type[Settings] = load_settings_class(table)
                (snapshot or collection).settings(cls)
        except WebstrataError as error:
            result.damage.append(Finding(str(place), str(error), "mend the line"))


def _tables(file: Path) -> list[str]:
    if not file.is_file():
        return []
    try:
        data = tomllib.loads(file.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"this is not TOML ({error})") from error
    for name in data:
        if name not in TABLES and name not in ("format", "title"):
            raise SettingError(unknown_name(str(file), name, "table", TABLES))
    return [name for name in data if name in TABLES]


def _check_manifest(parts: Parts, result: CheckResult, *, repair: bool) -> None:
    damage = parts.manifest.damage
    if not damage:
        return
    path = parts.folder / NAME
    if repair:
        copy = repair_manifest(parts)
        kept = f", and kept the damaged one as {copy.name}" if copy else ""
        result.notes.append(
            Finding(str(path), f"repaired: {damage}", f"made again from {len(parts)} parts{kept}")
        )
    else:
        result.damage.append(
            Finding(str(path), damage, "run `webstrata check --repair`, which makes it again from the parts")
        )


def repair_manifest(parts: Parts) -> Path | None:
    """Make a damaged manifest again from what the parts say of themselves; return a copy of it."""
    path = parts.folder / NAME
    with parts.lock:
        believed = read_manifest(path.with_name(path.name + ".bak")).parts | parts.manifest.parts
        found: dict[str, PartRecord] = {}
        for name, generation, folder in parts.generations():
            try:
                record = read_record(folder)
            except ValueError:
                continue
            # generations come in no order of theirs: the one that a manifest named wins, else the newest
            named = name in believed and believed[name].generation == generation
            if (
                named
                or name not in found
                or (generation > found[name].generation and not _is(found[name], believed))
            ):
                found[name] = record
        copy = None
        if path.exists():
            number = 1 + len(list(path.parent.glob(f"{NAME}.damaged*")))
            copy = path.with_name(f"{NAME}.damaged{number}")
            keep_copy(path, copy)
        write_manifest(path, Manifest(dict(sorted(found.items()))))
        parts.sweep()
    return copy


def _is(record: PartRecord, believed: dict[str, PartRecord]) -> bool:
    return record.name in believed and believed[record.name].generation == record.generation


def _check_part(
    parts: Parts, record: PartRecord, workers: int, advance: Callable[[int], object], result: CheckResult
) -> list[str]:
    folder = parts.path(record)
    result.parts += 1
    if not folder.is_dir():
        return ["its files are gone"]
    try:
        sums = (folder / SUMS).read_bytes()
    except OSError:
        return [f"{SUMS} is gone"]
    if f"sha256:{hashlib.sha256(sums).hexdigest()}" != record.checksum:
        return [f"{SUMS} is damaged"]
    wanted = {path: digest for digest, path in (line.split("  ", 1) for line in sums.decode().splitlines())}
    present = [path.relative_to(folder).as_posix() for path in list_files(folder)]
    problems = [f"{path} is gone" for path in wanted if path not in set(present)]
    problems += [f"{path} does not belong to it" for path in present if path not in wanted]
    both = [path for path in present if path in wanted]
    with explained(folder, "read"):
        digests = digest_files([folder / path for path in both], workers=workers, progress=advance)
        result.files += len(both)
        result.bytes += sum((folder / path).stat().st_size for path in both)
    problems += [
        f"{path} is damaged (its content has another SHA-256)"
        for path, digest in zip(both, digests, strict=True)
        if digest != wanted[path]
    ]
    return problems


def _note_leftovers(collection: Collection, holder: Collection | Snapshot, result: CheckResult) -> None:
    parts = holder.parts
    for folder in sorted(parts.folder.glob(".building/*/")):
        shards = [path for path in folder.glob("shards/*") if not path.name.startswith(".")]
        done = f", {len(shards)} shards of it done" if shards else ""
        where = collection.qualify(holder, folder.name)
        result.notes.append(
            Finding(where, f"a build was interrupted{done}", "start it again: it goes on from there")
        )
    for name, generation, folder in parts.generations():
        record = parts.manifest.parts.get(name)
        if record is None or record.generation != generation:
            where = collection.qualify(holder, name)
            result.notes.append(
                Finding(where, f"{folder} is not in the manifest", "the next build removes it")
            )
