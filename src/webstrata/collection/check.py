"""The check of a collection: every promise of the manifest compared with the disk.

A part is sound when the digest of its `SHA256SUMS` is the manifest's checksum, and its files are those listed
there with those digests: no more, no fewer. What an interrupted build left behind, and parts that are stale,
are no damage; they are noted. `repair` mends what can be mended without loss: a damaged manifest is made
again from its records that can be read and from those that the parts carry, and the damaged one is kept; a
part's own record is made again from the manifest, and its sums of blocks from its files. A generation that
nothing describes any more is set aside, and so is a part that is damaged and can be built again: without it,
the command that builds it finds it missing. A damaged `warc` stays in its place: nothing else has its bytes.
"""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from webstrata._core.collection import digest_files, verify_files
from webstrata.collection.action import Action
from webstrata.collection.build import RECORD, SUMS, list_files, read_record, write_record
from webstrata.collection.cells import show_bytes
from webstrata.collection.files import explained, make_directory, remove_tree, rename, replace_file
from webstrata.collection.manifest import NAME, Manifest, keep_copy
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.settings import ResourcesSettings, load_tables
from webstrata.collection.tables import Table
from webstrata.collection.verify import BLOCK_SUMS, make_block_sums, read_block_sums
from webstrata.errors import FormatError, MissingError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webstrata.collection.collection import Collection, Snapshot
    from webstrata.collection.parts import Part, Parts


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be: where, what, and what to do."""

    where: str
    problem: str
    remedy: str


@dataclass(repr=False)
class CheckResult(Table):
    """What a check saw."""

    parts: int = 0
    files: int = 0
    bytes: int = 0
    damage: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    empty_columns = ("kind", "where", "problem", "remedy")

    def to_rows(self) -> list[dict[str, str]]:
        """One row per finding."""
        return [
            {"kind": kind} | asdict(finding)
            for kind, findings in (("damage", self.damage), ("note", self.notes))
            for finding in findings
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain data: what was verified, then the findings."""
        return asdict(self)

    @property
    def lines(self) -> list[str]:
        """A sentence per finding, notes first."""
        return [
            f"{kind}: {finding.where}: {finding.problem}; {finding.remedy}"
            for kind, findings in (("note", self.notes), ("damaged", self.damage))
            for finding in findings
        ]

    @property
    def summary(self) -> str:
        """What was verified, and where it is damaged."""
        places = sorted({finding.where for finding in self.damage})
        if places:
            return f"{len(places)} damaged ({', '.join(places)})"
        parts, files = tell_count(self.parts, "part"), tell_count(self.files, "file")
        return f"is sound: {parts}, {files}, {show_bytes(self.bytes)}"


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
    >>> from webstrata import testing
    >>> collection = testing.empty()
    >>> with collection.add("2026-06").write_part("notes") as build:
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
    total = 0
    for holder in holders:
        _check_settings(collection, holder, result)
        _check_manifest(collection, holder.parts, result, repair=repair, progress=progress)
        total += sum(record.bytes for record in holder.parts)
    states = collection.states()
    gone: list[tuple[Parts, str]] = []
    with progress.task("checking", total=total, unit="bytes") as task:
        for holder in holders:
            for record in holder.parts:
                where = collection.qualify(holder, record.name)
                command = states[where].renew if where in states else ""
                remedy = f"run `{command}`" if command else "build it again, or restore it from a copy"
                result.parts += 1
                try:
                    part = holder.parts.open(
                        record.name, verify=False
                    )  # held, so that no writer takes it away meanwhile
                except (MissingError, FormatError):
                    # gone with its record since the list was made, it was removed in order
                    if record.name in holder.parts:
                        if repair:
                            problem, aside = "its files are gone", f"taken out of the manifest; {remedy}"
                            result.notes.append(Finding(where, problem, aside))
                            gone.append((holder.parts, record.name))
                        else:
                            result.damage.append(Finding(where, "its files are gone", remedy))
                    continue
                with part:
                    problems = _check_files(part, settings.num_workers, task.advance, result)
                    if (
                        repair
                        and problems
                        and problems[0].startswith(SUMS)
                        and restore_sums(holder.parts, part)
                    ):
                        result.notes.append(Finding(where, problems[0], "made again from the files"))
                        problems = _check_files(part, settings.num_workers, task.advance, result)
                    if problems and repair and record.name != "warc" and command:
                        aside = f"set aside in .damaged; {remedy}"
                        result.notes += [Finding(where, problem, aside) for problem in problems]
                        gone.append((holder.parts, record.name))
                        continue
                    for problem in problems:
                        result.damage.append(Finding(where, problem, remedy))
                    if not problems:
                        _check_blocks(collection, holder.parts, part, where, result, repair=repair)
                    _check_record(collection, holder.parts, part, where, result, repair=repair)
    for parts, name in gone:
        set_aside(parts, name, progress)
    for holder in holders:
        _note_leftovers(collection, holder, result)
    for name, state in collection.states().items():
        if state.stale:
            remedy = f"run `{state.renew}`" if state.renew else "build it again"
            result.notes.append(Finding(name, f"stale: {state.why}", remedy))
    return result


def _check_settings(collection: Collection, holder: Collection | Snapshot, result: CheckResult) -> None:
    """Read every table of a settings file with its class, as the stages will."""
    snapshot = None if holder is collection else cast("Snapshot", holder)
    file = str(holder.path / ("snapshot.toml" if snapshot else "collection.toml"))
    for table, cls in load_tables().items():
        try:
            own = [(name, data) for name, data in collection.settings_files(table, snapshot) if name == file]
            cls.read(files=own, environment={})
        except (SettingError, FormatError) as error:
            finding = Finding(file, str(error).removeprefix(file).lstrip(":, "), "mend the line")
            if finding not in result.damage:
                result.damage.append(finding)


def _check_manifest(
    collection: Collection, parts: Parts, result: CheckResult, *, repair: bool, progress: Progress
) -> None:
    damage = parts.manifest.damage
    if not damage:
        return
    path = parts.folder / NAME
    problem = damage.removeprefix(f"{path}: ")
    if repair:
        copy = repair_manifest(parts, progress)
        kept = f", and kept the damaged one as {copy.name}" if copy else ""
        remedy = f"made again with {len(parts)} parts{kept}"
        result.notes.append(Finding(str(path), f"it was damaged ({problem})", remedy))
    else:
        result.damage.append(Finding(str(path), problem, f"run `{_repair_command(collection)}`"))


def _repair_command(collection: Collection) -> str:
    return Action("check", str(collection.path), options={"repair": True}).command


def repair_manifest(parts: Parts, progress: Progress | None = None) -> Path | None:
    """Make a damaged manifest again from its readable records and the parts; return the copy kept of it.

    A record that the manifest still has counts. Otherwise the newest generation does: it is whole, and the
    one that was published last, or was about to be.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.empty()
    >>> with collection.write_part("notes") as build:
    ...     _ = (build.path / "a.txt").write_text("kept")
    >>> _ = (collection.path / "manifest.toml").write_text("spoilt")
    >>> repair_manifest(collection.parts).name
    'manifest.toml.damaged1'
    >>> "notes" in collection.parts
    True
    """
    path = parts.folder / NAME
    with parts.writing(progress):
        damaged = parts.manifest
        if not damaged.damage:
            return None  # somebody was faster
        records = dict(damaged.parts)
        for name, generation, folder in sorted(parts.generations(), reverse=True):
            try:
                record = read_record(folder)
                described = record.name == name and record.generation == generation
            except ValueError:
                described = False
            if name not in records and described:
                records[name] = record
            elif not described and not (name in records and records[name].generation == generation):
                rename(folder, _free_name(make_directory(parts.folder / ".damaged") / folder.name))
        copy = None
        if path.exists():
            copy = _free_name(path.with_name(f"{NAME}.damaged"), first=1)
            keep_copy(path, copy)
        parts.replace_manifest(Manifest(dict(sorted(records.items()))))
        parts.sweep()
    return copy


def _free_name(path: Path, *, first: int = 0) -> Path:
    """`path` with the first number behind it that is free; 0 stands for none."""
    names = (path.with_name(f"{path.name}{number or ''}") for number in itertools.count(first))
    return next(name for name in names if not name.exists())


def _check_record(
    collection: Collection, parts: Parts, part: Part, where: str, result: CheckResult, *, repair: bool
) -> None:
    """Compare the record in the part with the manifest's; the manifest's is the one that counts."""
    try:
        if read_record(part.path) == part.record:
            return
    except ValueError:
        pass
    finding = Finding(where, f"{RECORD} is damaged", "made again from the manifest")
    make_again = partial(write_record, part.path, part.record)
    _repair_or_report(collection, parts, finding, result, make_again if repair else None)


def _check_blocks(
    collection: Collection, parts: Parts, part: Part, where: str, result: CheckResult, *, repair: bool
) -> None:
    """Compare the sums of blocks with the files, whose SHA-256 was found to be right."""
    try:
        rows = read_block_sums(part.path, part.record.checksum)
        if rows is None:
            return
        problem = f"{BLOCK_SUMS} does not describe its files" if verify_files(rows)[1] else ""
    except (ValueError, UnicodeDecodeError) as error:
        problem = f"{BLOCK_SUMS} {error}"
    if not problem:
        return
    finding = Finding(where, problem, "made again from the files, whose SHA-256 is right")

    def make_again() -> None:
        _clear_name(part.path / BLOCK_SUMS)
        make_block_sums(part.path, part.record.checksum, list_files(part.path))

    _repair_or_report(collection, parts, finding, result, make_again if repair else None)


def _repair_or_report(
    collection: Collection,
    parts: Parts,
    finding: Finding,
    result: CheckResult,
    make_again: Callable[[], None] | None,
) -> None:
    """Make a damaged file again and note that; without `make_again`, report the damage."""
    if make_again is None:
        result.damage.append(replace(finding, remedy=f"run `{_repair_command(collection)}`"))
        return
    with parts.writing():
        make_again()
    result.notes.append(finding)


def _clear_name(path: Path) -> None:
    """Remove a directory that has the name of a file that is to be written."""
    if path.is_dir():
        remove_tree(path)


def restore_sums(parts: Parts, part: Part) -> bool:
    """Write ``SHA256SUMS`` of a part again if its files are those that the manifest knows; whether they are.

    Examples
    --------
    >>> import tempfile
    >>> from webstrata.collection import Collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     collection = Collection.create(f"{folder}/uk")
    ...     with collection.write_part("notes") as build:
    ...         _ = (build.path / "a.txt").write_text("kept")
    ...     with collection.open_part("notes") as part:
    ...         (part.path / "SHA256SUMS").unlink()
    ...         restore_sums(collection.parts, part)
    True
    """
    paths = list_files(part.path)
    with explained(part.path, "read"):
        digests = digest_files(paths)
    names = (path.relative_to(part.path).as_posix() for path in paths)
    sums = "".join(f"{digest}  {name}\n" for digest, name in zip(digests, names, strict=True)).encode()
    if f"sha256:{hashlib.sha256(sums).hexdigest()}" != part.record.checksum:
        return False
    with parts.writing():
        _clear_name(part.path / SUMS)
        replace_file(part.path / SUMS, sums)
    return True


def set_aside(parts: Parts, name: str, progress: Progress | None = None) -> None:
    """Take a damaged or deleted part out of the manifest; what is left of it goes to ``.damaged``.

    The command that builds the part then finds it missing, and builds it.

    Examples
    --------
    >>> import tempfile
    >>> from webstrata.collection import Collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     collection = Collection.create(f"{folder}/uk")
    ...     with collection.write_part("notes") as build:
    ...         _ = (build.path / "a.txt").write_text("kept")
    ...     set_aside(collection.parts, "notes")
    ...     "notes" in collection.parts, [path.name for path in collection.path.glob(".damaged/*")]
    (False, ['notes.1'])
    """
    with parts.writing(progress):
        folder = parts.path(parts.record(name))
        with explained(folder, "read"):
            there = folder.exists()
        if there:
            rename(folder, _free_name(make_directory(parts.folder / ".damaged") / folder.name))
        parts.replace_manifest(parts.manifest.without_part(name))
        parts.sweep()


def _check_files(
    part: Part, workers: int, advance: Callable[[int], object], result: CheckResult
) -> list[str]:
    folder = part.path
    try:
        sums = (folder / SUMS).read_bytes()
    except FileNotFoundError:
        return [f"{SUMS} is gone"]
    except OSError as error:
        return [f"{SUMS} cannot be read ({error.strerror})"]
    if f"sha256:{hashlib.sha256(sums).hexdigest()}" != part.record.checksum:
        return [f"{SUMS} is damaged"]
    lines = sums.decode().split("\n")[:-1]
    wanted = {path: digest for digest, path in (line.split("  ", 1) for line in lines)}
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
    writer = parts.lock.holder()
    for folder in sorted(parts.folder.glob(".building/*/")):
        shards = [path for path in folder.glob("shards/*") if not path.name.startswith(".")]
        done = f", {tell_count(len(shards), 'shard')} of it done" if shards else ""
        where = collection.qualify(holder, folder.name)
        if writer:
            result.notes.append(Finding(where, f"{writer} is building it{done}", "wait until it is done"))
        else:
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
    for folder in sorted(parts.folder.glob(".damaged/*/")):
        where = collection.qualify(holder, folder.name)
        result.notes.append(
            Finding(where, f"{folder} was set aside by a repair", "remove it when it is of no more use")
        )
