"""Verification of parts: what a build reads is what was written, and damage gives one sentence.

Next to ``SHA256SUMS`` a part has ``XXH3SUMS``, the XXH3 (64 bits) of each block of 1 MiB of each file::

    webstrata block sums 1, xxh3-64 of blocks of 1048576 bytes, of sha256:…
    3145733 5c0d…41aa 09be…77f2 …  targets.arrow
    ad81…0c17

The first line names the checksum of the part (that of its ``SHA256SUMS``), so that the file cannot be taken
for that of another part. A line per file has its size, the sums of its blocks, two spaces, its name. The last
line is the XXH3 of everything before it.

=============  ============================================================  =================================
level          what is compared                                              who does it
=============  ============================================================  =================================
``OPENED``     size of every file; content of the smallest files, up to      everyone who opens a part
               4 MiB of a part in total
``ALL``        size and content of every file                                builds, of each of their inputs
=============  ============================================================  =================================

Both cost a ``stat`` per file once content was compared: a process remembers inode, size, time of modification
and time of change of the files that it compared, and compares again what has other ones. A part of a
webstrata that wrote no ``XXH3SUMS`` is verified by SHA-256.

A reader of a file larger than that limit may meet damage, and fail in any way. `diagnose` then compares the
parts that this process opened, and gives the sentence that names the damaged file.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata._core.collection import BLOCK_SIZE, block_sum, digest_blocks, digest_files, verify_files
from webstrata.collection.action import Action, Recorded, Steps, locate
from webstrata.collection.declarations import is_built
from webstrata.collection.files import explained, replace_file
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.collection.manifest import PartRecord
    from webstrata.collection.progress import Progress
    from webstrata.errors import Fix

    Row = tuple[str, int, list[int]]

SHA_SUMS = "SHA256SUMS"
BLOCK_SUMS = "XXH3SUMS"
SMALL = 4 << 20
"""Bytes of a part that are compared when it is opened, its smallest files first."""
_SMALL_SHA = 1 << 20
_FORMAT = "webstrata block sums 1, xxh3-64 of blocks of {} bytes, of {}\n"

_compared: dict[tuple[str, str], int] = {}
"""Stamps of the files of parts that this process compared, by folder and level."""
_opened: dict[Path, PartRecord] = {}
"""Parts that this process opened, by folder: where `diagnose` looks."""


def write_block_sums(folder: Path, checksum: str, rows: Iterable[Row]) -> None:
    """Write the sums of the blocks of a part's files; `read_block_sums` gives them back.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as name:
    ...     write_block_sums(Path(name), "sha256:ab", [("a.txt", 3, [7])])
    ...     [(path.name, size, sums) for path, size, sums in read_block_sums(Path(name), "sha256:ab")]
    [('a.txt', 3, [7])]
    """
    lines = [_FORMAT.format(BLOCK_SIZE, checksum)]
    lines += [f"{size}{''.join(f' {s:016x}' for s in sums)}  {name}\n" for name, size, sums in rows]
    text = "".join(lines).encode()
    replace_file(folder / BLOCK_SUMS, text + f"{block_sum(text):016x}\n".encode())


def read_block_sums(folder: Path, checksum: str) -> list[tuple[Path, int, list[int]]] | None:
    """Path, size and sums of the blocks of each file of a part; None where an older webstrata built it.

    Raises ``ValueError`` where the file is damaged, or does not belong to the part with this checksum.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as name:
    ...     read_block_sums(Path(name), "sha256:ab") is None
    True
    """
    path = folder / BLOCK_SUMS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror})") from error
    text, last = data[:-17], data[-17:]
    if last != f"{block_sum(text):016x}\n".encode():
        raise ValueError("is damaged (it does not match the sum in its last line)")
    head, *lines = text.decode().split("\n")
    if f"{head}\n" != _FORMAT.format(BLOCK_SIZE, checksum):
        raise ValueError("belongs to another part or generation")
    rows = []
    for line in lines[:-1]:
        numbers, _, name = line.partition("  ")
        size, *sums = numbers.split(" ")
        rows.append((folder / name, int(size), [int(each, 16) for each in sums]))
    return rows


def verify_part(
    folder: Path, record: PartRecord, *, whole: bool = False, progress: Progress | None = None
) -> None:
    """Raise `FormatError`, with the file and what to do, where the files of a part are not what was written.

    Parameters
    ----------
    folder
        Where the files are.
    record
        The record of the part in the manifest.
    whole
        Compare the content of every file, as builds do with their inputs; otherwise as readers do.
    progress
        Where a comparison of everything reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> part = testing.snapshot().open_part("graph")
    >>> verify_part(part.path, part.record)
    >>> _ = (part.path / "forward.graph").write_bytes(b"damaged")
    >>> verify_part(part.path, part.record)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...forward.graph: this file of the part graph ...
    """
    _opened[folder] = record
    try:
        problems = _compare(folder, record, whole=whole, progress=progress)
    except UnicodeDecodeError:  # every byte of this file is covered by a sum, but for its last line
        problems = [(BLOCK_SUMS, "is damaged")]
    if problems:
        name, problem = problems[0]
        raise damage_error(folder, record, name, problem)


def damage_error(folder: Path, record: PartRecord, name: str, problem: str) -> FormatError:
    """The error about a damaged file of a part: place, problem and how to rebuild it.

    Examples
    --------
    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from webstrata.collection.manifest import PartRecord
    >>> record = PartRecord(
    ...     name="graph", generation=1, built=dt.datetime(2026, 6, 30, tzinfo=dt.UTC), seconds=3.5,
    ...     version="0.1.0", files=5, bytes=123456, checksum="sha256:…")
    >>> folder = Path("uk/snapshots/2026-06/.parts/graph.1")
    >>> print(damage_error(folder, record, "graph.graph", "has 7 bytes, not 9"))
    uk/snapshots/2026-06/.parts/graph.1/graph.graph: this file of the part graph has 7 bytes, not 9; call
    `collection.check(repair=True); snapshot.build('graph')`
    """
    what = f"this file of the part {record.name}" if name else f"the folder of the part {record.name}"
    sentence = f"{folder / name}: {what} {problem}"
    again = _rebuild(folder, record)
    if record.name == "warc":  # nothing else has these bytes
        sentence += "; restore it from a copy" + (", or {fix}" if again else "")
        return FormatError(sentence, fix=again)
    collection, _, _ = locate(folder)
    repair = Action("check", collection, options={"repair": True})
    return FormatError(sentence, fix=Steps((repair, again)) if again else repair)


def _rebuild(folder: Path, record: PartRecord) -> Fix | None:
    """What builds a part again, by its declaration or as its record says."""
    from webstrata.collection.makers import is_brought, suggest_part

    holder = folder.parent.parent
    collection, snapshot, _ = locate(folder)
    if record.renew and (is_brought(record) or not is_built(record.name)):
        return Recorded(record.renew.format(collection=shlex.quote(collection), snapshot=snapshot))
    return suggest_part(holder, record.name)


def diagnose(error: BaseException) -> FormatError | None:
    """Find the damaged file that explains an error of a reader: the sentence about it, or None.

    Compares the content of every part that this process opened. A `FormatError` about a file that is in none
    of them is left as it is, without comparing anything.

    Examples
    --------
    >>> diagnose(FormatError("/etc/passwd, line 3: expected two columns, got 1")) is None
    True
    """
    opened = dict(_opened)
    if isinstance(error, FormatError) and _is_elsewhere(str(error), opened):
        return None
    for folder, record in opened.items():
        if not folder.is_dir():
            continue  # replaced meanwhile by another generation
        # what was compared before the error may have been damaged since, without another time of change
        _compared.pop((str(folder), "all"), None)
        try:
            verify_part(folder, record, whole=True)
        except FormatError as found:
            return found
    return None


def _is_elsewhere(sentence: str, folders: Iterable[Path]) -> bool:
    """Whether a sentence begins with the path of a file that is in none of these parts."""
    place = Path(re.split(r": |, ", sentence, maxsplit=1)[0])
    try:
        return place.exists() and not any(place.resolve().is_relative_to(each.resolve()) for each in folders)
    except OSError:  # too long for a path
        return False


def note_written(folder: Path, record: PartRecord) -> None:
    """Remember that the files of a part were compared with their sums: they were read to make these.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> with snapshot.write_part("notes") as build:
    ...     _ = (build.path / "a.txt").write_text("kept")
    >>> with snapshot.open_part("notes") as part:
    ...     note_written(part.path, part.record)
    ...     verify_part(part.path, part.record)  # its files are not read again
    ...     part.record.files
    1
    """
    try:
        rows = read_block_sums(folder, record.checksum)
    except ValueError:
        return
    if rows is not None:
        stamp, problems = verify_files(rows, limit=0)
        if not problems:
            _compared[str(folder), "opened"] = _compared[str(folder), "all"] = stamp


def _compare(
    folder: Path, record: PartRecord, *, whole: bool, progress: Progress | None
) -> list[tuple[str, str]]:
    """Names of files and what is wrong with them."""
    try:
        rows = read_block_sums(folder, record.checksum)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        return [(BLOCK_SUMS, str(error))]
    if rows is None:
        return _compare_digests(folder, record, whole=whole)
    level = "all" if whole else "opened"
    known = _compared.get((str(folder), level)) or 0
    if whole and progress is not None:
        with progress.task(f"verifying {record.name}", total=record.bytes, unit="bytes") as task:
            stamp, found = verify_files(rows, known=known, progress=task.advance)
    else:
        stamp, found = verify_files(rows, limit=None if whole else SMALL, known=known)
    if not found:
        _compared[str(folder), level] = stamp
    return [(rows[number][0].relative_to(folder).as_posix(), problem) for number, problem in found]


def _compare_digests(folder: Path, record: PartRecord, *, whole: bool) -> list[tuple[str, str]]:
    """The same by SHA-256, for a part without sums of blocks."""
    path = folder / SHA_SUMS
    try:
        sums = path.read_bytes()
    except FileNotFoundError:
        return [(SHA_SUMS, "is missing")]
    except OSError as error:
        return [(SHA_SUMS, f"cannot be read ({error.strerror})")]
    if f"sha256:{hashlib.sha256(sums).hexdigest()}" != record.checksum:
        return [(SHA_SUMS, "is damaged (the manifest has another checksum of it)")]
    wanted = [line.split("  ", 1) for line in sums.decode().split("\n")[:-1]]
    for _, name in wanted:
        if not (folder / name).is_file():
            return [(name, "is missing" if not (folder / name).exists() else "is not a regular file")]
    sizes = {name: (folder / name).stat().st_size for _, name in wanted}
    if sum(sizes.values()) != record.bytes:
        short = f"and its files have {sum(sizes.values())} bytes together instead of {record.bytes}"
        small = wanted
    else:
        short, small = "", wanted if whole else [row for row in wanted if sizes[row[1]] <= _SMALL_SHA]
    with explained(folder, "read"):
        digests = digest_files([folder / name for _, name in small], workers=0 if whole else 1)
    for (digest, name), found in zip(small, digests, strict=True):
        if digest != found:
            return [(name, f"is damaged (its content has another SHA-256{short and ', '}{short})")]
    return []


def make_block_sums(folder: Path, checksum: str, paths: list[Path]) -> None:
    """Write ``XXH3SUMS`` for the files of a part that are known to be sound.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as name:
    ...     path = Path(name) / "a.txt"
    ...     _ = path.write_text("kept")
    ...     make_block_sums(Path(name), "sha256:ab", [path])
    ...     read_block_sums(Path(name), "sha256:ab")[0][1]
    4
    """
    digests = digest_blocks(paths)
    names = [path.relative_to(folder).as_posix() for path in paths]
    rows = [(name, size, sums) for name, (_, size, sums) in zip(names, digests, strict=True)]
    write_block_sums(folder, checksum, rows)
