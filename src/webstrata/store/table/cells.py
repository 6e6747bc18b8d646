r"""Cells that can be written: a RocksDB with one column family per family of the table.

A cell is one entry. Its key is

========================  ===============================================================================
row key, UTF-8            without the byte 0
``00``                    so that a row comes before the rows that begin like it
column, UTF-8             without the byte 0
``00``
2⁶⁴ − 1 − time, 8 bytes   big-endian; time in microseconds since 1970, so the newest comes first
========================  ===============================================================================

and its value a letter and what it announces: ``b`` bytes, ``s`` UTF-8, ``i`` an integer of 64 bits, ``f`` a
float of 64 bits, both big-endian. The column family ``default`` has the key ``format`` with the number of the
format in decimal. A write is in the log, synced, before it returns; all its cells are there, or none.

One process writes at a time; a second one waits for it for some seconds. Any number of processes read, also
while one writes: then they open a *secondary instance* of RocksDB, which replays the log of the writer once.
Who has opened the table to read keeps what it saw.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import shutil
import struct
import tempfile
import time
import weakref
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, cast

from rocksdict import (
    AccessType,
    BlockBasedOptions,
    DBCompressionType,
    DBRecoveryMode,
    Options,
    Rdict,
    ReadOptions,
    WriteBatch,
    WriteOptions,
)

from webstrata.collection import dates
from webstrata.collection.files import explained, make_directory, remove_tree, rename
from webstrata.collection.lock import WriteLock
from webstrata.errors import FormatError, LockedError, NewerFormatError, UsageError
from webstrata.store.table.failures import RESTORE, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

FAMILIES = ("anchor", "meta", "scores")
"""The families that can be written."""

FORMAT = 1
MAX_TIME = (1 << 64) - 1

Value = bytes | str | int | float
"""What a cell may hold."""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


_COPIED = 10_000
"""Cells that are copied together."""
PATIENCE = 5.0
"""Seconds for which a writer waits for another one; most write a batch and close."""
_TRIES = 20
_PAUSE = 0.02
"""Times that a reader opens a table whose files a writer is changing, and seconds between two of them."""


class Cell(NamedTuple):
    """A value with its place and time."""

    column: str
    time: int
    """Microseconds since 1970."""
    value: Value

    @property
    def datetime(self) -> dt.datetime:
        """Its time as people have it."""
        return _EPOCH + self.time * _MICROSECOND


# ---- times, keys and values


def parse_period(at: dt.datetime | str | int) -> tuple[int, int]:
    """The first and the last microsecond of a label, a date, fourteen digits; a moment is both.

    Examples
    --------
    >>> first, last = parse_period("2026-06")
    >>> (last + 1 - first) / 86400e6
    30.0
    >>> parse_period(dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC))
    (1000000, 1000000)
    """
    if isinstance(at, int):
        if not 0 <= at <= MAX_TIME:
            raise UsageError(f"{at} is not a date of a cell; it has 64 bits, microseconds since 1970")
        return at, at
    if isinstance(at, dt.datetime):
        moment = (at.astimezone(dt.UTC) - _EPOCH) // _MICROSECOND
        return parse_period(moment)
    begin, end = dates.parse_period(at)
    first, after = ((moment - _EPOCH) // _MICROSECOND for moment in (begin, end))
    return parse_period(first)[0], after - 1


def encode_key(row: str, column: str, time: int) -> bytes:
    r"""The key of a cell.

    Examples
    --------
    >>> encode_key("org,example)/", "pagerank", 1)
    b'org,example)/\x00pagerank\x00\xff\xff\xff\xff\xff\xff\xff\xfe'
    """
    return column_prefix(row, column) + struct.pack(">Q", MAX_TIME - time)


def column_prefix(row: str, column: str) -> bytes:
    r"""What the keys of all versions of a cell begin with.

    Examples
    --------
    >>> column_prefix("org,a)/", "x")
    b'org,a)/\x00x\x00'
    """
    for what, text in (("row key", row), ("column", column)):
        if "\0" in text:
            raise UsageError(f"the {what} {text!r} has a character 0, which parts the keys; leave it out")
    try:
        return row.encode() + b"\0" + column.encode() + b"\0"
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{row!r}, {column!r}: this is no text ({error.reason}); name it otherwise"
        ) from error


def decode_key(key: bytes) -> tuple[str, str, int]:
    r"""Row key, column and time of a cell.

    Examples
    --------
    >>> decode_key(encode_key("org,example)/", "pagerank", 1))
    ('org,example)/', 'pagerank', 1)
    """
    row, mark, column = key[:-9].partition(b"\0")
    if not mark or len(key) < 10 or key[-9]:
        raise FormatError(f"{key[:80]!r}: this is no key of a cell; the table is damaged, restore its folder")
    return row.decode(), column.decode(), MAX_TIME - int.from_bytes(key[-8:], "big")


def encode_value(value: Value) -> bytes:
    r"""A value with its letter.

    Examples
    --------
    >>> encode_value("text"), encode_value(-1), encode_value(0.5)
    (b'stext', b'i\xff\xff\xff\xff\xff\xff\xff\xff', b'f?\xe0\x00\x00\x00\x00\x00\x00')
    """
    try:
        if isinstance(value, bytes):
            return b"b" + value
        if isinstance(value, str):
            return b"s" + value.encode()
        if isinstance(value, float):
            return b"f" + struct.pack(">d", value)
        if isinstance(value, int) and not isinstance(value, bool):
            return b"i" + value.to_bytes(8, "big", signed=True)
    except (UnicodeEncodeError, OverflowError) as error:
        raise UsageError(
            f"{value!r}: a cell cannot hold this ({error}); write it as text or bytes"
        ) from error
    raise TypeError(f"value: expected bytes, str, int or float, got {value!r}")


def decode_value(data: bytes) -> Value:
    """The value of what `encode_value` made.

    Examples
    --------
    >>> [decode_value(encode_value(value)) for value in (b"b", "s", 7, 0.5)]
    [b'b', 's', 7, 0.5]
    """
    kind, rest = data[:1], data[1:]
    if kind == b"b":
        return rest
    if kind == b"s":
        return rest.decode()
    if kind in (b"i", b"f") and len(rest) == 8:
        value: int | float = struct.unpack(">q" if kind == b"i" else ">d", rest)[0]
        return value
    raise FormatError(f"{data[:40]!r}: this is no value of a cell; the table is damaged, restore its folder")


def after_prefix(prefix: bytes) -> bytes:
    """The first key behind all that begin so; UTF-8 has no byte 255.

    Examples
    --------
    >>> after_prefix(b"ab")
    b'ac'
    """
    return prefix[:-1] + bytes([prefix[-1] + 1]) if prefix else b"\xff"


# ---- the database


class CellChange(NamedTuple):
    """One cell to be written, or a range of keys of a family to be deleted."""

    family: str
    key: bytes
    value: bytes | None = None
    """None deletes the keys from `key` up to `end`, which is not one of them."""
    end: bytes = b""


class Cells:
    """The database in `folder`: opened to read when first read, and to write when first written.

    Parameters
    ----------
    folder
        Where it is; made by the first write.
    patience
        Seconds for which a write waits while another process writes.

    Examples
    --------
    >>> from webstrata import testing
    >>> cells = Cells(testing.scratch() / "table")
    >>> cells.write([CellChange("meta", encode_key("org,a)/", "note", 5), encode_value("seen"))])
    >>> list(cells.scan("meta"))
    [('org,a)/', [Cell(column='note', time=5, value='seen')])]
    >>> cells.close()
    """

    def __init__(self, folder: Path, *, patience: float = PATIENCE) -> None:
        self.folder, self.patience = folder, patience
        self.can_write = False
        self._families: dict[str, Rdict] = {}
        self._database: Rdict | None = None
        self._close: weakref.finalize[..., Cells] | None = None

    def write(self, changes: Iterable[CellChange]) -> None:
        """Make all changes, or none; return when they would survive a power cut."""
        self._open_to_write()
        assert self._database is not None
        batch = WriteBatch(raw_mode=True)
        handles = {name: self._database.get_column_family_handle(name) for name in FAMILIES}
        for family, key, value, end in changes:
            if value is None:
                batch.delete_range(key, end, handles[family])
            else:
                batch.put(key, value, handles[family])
        options = WriteOptions()
        options.sync = True
        with translated(self.folder, "write"):
            self._database.write(batch, options)

    def scan(
        self, family: str, start: bytes = b"", stop: bytes = b"\xff"
    ) -> Iterator[tuple[str, list[Cell]]]:
        """The rows of a family with keys from `start` up to `stop`, each with all its cells."""
        items = (_decode(key, value) for key, value in self._items(family, start, stop))
        for row, cells in groupby(items, key=lambda item: item[0]):
            yield row, [cell for _, cell in cells]

    def read(self, family: str, row: str, until: int = MAX_TIME) -> list[Cell]:
        """The cells of a row that are not younger than `until`, in the order of their keys."""
        start = column_prefix(row, "")[:-1]
        items = self._items(family, start, after_prefix(start))
        cells = (_decode(key, value)[1] for key, value in items)
        return [cell for cell in cells if cell.time <= until]

    def read_cell(self, family: str, row: str, column: str, until: int = MAX_TIME) -> Cell | None:
        """The newest version that is not younger than `until`: one step in the database."""
        prefix = column_prefix(row, column)
        for key, value in self._items(family, encode_key(row, column, until), after_prefix(prefix)):
            return _decode(key, value)[1]
        return None

    def erase(self, is_erased: Callable[[str, Cell], bool]) -> int:
        """Write the database again without some cells, and delete the old files; how many cells went.

        Deleting leaves keys and values in files until these are compacted; here no byte of them stays.

        Examples
        --------
        >>> from webstrata import testing
        >>> cells = Cells(testing.scratch() / "table")
        >>> key = encode_key("org,a)/", "note", 5)
        >>> cells.write([CellChange("meta", key, encode_value("a secret"))])
        >>> cells.erase(lambda row, cell: cell.value == "a secret"), list(cells.scan("meta"))
        (1, [])
        >>> cells.close()
        """
        self.close()
        beside = self.folder.with_name(f".{self.folder.name}.new")
        aside = self.folder.with_name(f".{self.folder.name}.removed")
        if aside.exists() and not self.folder.exists():
            rename(beside, self.folder)  # a process was killed between the two renames below
        if not (self.folder / "CURRENT").exists():
            return 0
        remove_tree(beside)
        remove_tree(aside)
        with WriteLock(self.folder):
            kept, count = Cells(beside), 0
            options = {name: _options() for name in FAMILIES}
            access = AccessType.read_only(False)
            database = Rdict(str(self.folder), _options(), column_families=options, access_type=access)
            for name in FAMILIES:
                changes: list[CellChange] = []
                items = cast("Iterable[tuple[bytes, bytes]]", database.get_column_family(name).items())
                for key, value in items:
                    if is_erased(*_decode(key, value)):
                        count += 1
                    else:
                        changes.append(CellChange(name, key, value))
                    if len(changes) == _COPIED:
                        kept.write(changes)
                        changes = []
                kept.write(changes)
            database.close()
            kept.close()
            if count:
                rename(self.folder, aside)
                rename(beside, self.folder)
        remove_tree(beside)
        remove_tree(aside)
        return count

    def close(self) -> None:
        """Let the database and its lock go; the next read or write opens it again."""
        self._families.clear()
        self._database = None
        self.can_write = False
        if self._close is not None:
            self._close()
            self._close = None

    def _items(self, family: str, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        if family not in FAMILIES:
            raise UsageError(
                f"family {family!r} has no cells of its own; choose one of {', '.join(FAMILIES)}"
            )
        if self._database is None and not self._open_to_read():
            return
        options = ReadOptions()
        options.set_iterate_upper_bound(stop)
        with translated(self.folder, "read"):
            yield from self._families[family].items(from_key=start, read_opt=options)

    def _open_to_read(self) -> bool:
        """Open what was written so far; False where nothing was."""
        with explained(self.folder, "read"):
            if not (self.folder / "CURRENT").exists():
                if WriteLock(self.folder).holder():
                    return False  # it is writing the first cells
                if any(self.folder.glob("MANIFEST-*")) or any(self.folder.glob("*.sst")):
                    raise FormatError(
                        f"{self.folder}: the table is damaged, its file CURRENT is missing; {RESTORE}"
                    )
                return False
        tries = 0
        while True:
            is_written = bool(WriteLock(self.folder).holder())
            try:
                if is_written:
                    self._open_beside_writer()
                else:
                    self._open(AccessType.read_only(False), None)
            except FormatError:
                # a writer may have replaced files since their names were read
                tries += 1
                if tries >= (_TRIES if is_written else 2):
                    raise
                time.sleep(_PAUSE)
            else:
                return True

    def _open_beside_writer(self) -> None:
        scratch = tempfile.mkdtemp(prefix="webstrata-table-")  # RocksDB writes its own log there
        logs = self._list_logs()
        try:
            self._open(AccessType.secondary(scratch), None, scratch)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        assert self._database is not None
        for _ in range(_TRIES):
            # a log that went after the list of files was read may have had cells that this list does not name
            if (now := self._list_logs()) == logs:
                return
            logs = now
            with translated(self.folder, "read"):
                self._database.try_catch_up_with_primary()

    def _list_logs(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*.log"))

    def _open_to_write(self) -> None:
        if self.can_write:
            return
        self.close()
        make_directory(self.folder)
        lock = _acquire(self.folder, self.patience)
        self._open(AccessType.read_write(), lock)
        self.can_write = True

    def _open(self, access: AccessType, lock: WriteLock | None, scratch: str = "") -> None:
        try:
            with translated(self.folder, "open"):
                options = {name: _options() for name in FAMILIES}
                database = Rdict(str(self.folder), _options(), column_families=options, access_type=access)
                families = {name: database.get_column_family(name) for name in FAMILIES}
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        # whoever forgets to close holds the lock no longer than the object lives
        self._close = weakref.finalize(self, _close, [*families.values(), database], lock, scratch)
        self._database, self._families = database, families
        try:
            with translated(self.folder, "read"):
                told = database.get(b"format")
            if told is not None and not bytes(told).isdigit():
                raise FormatError(
                    f"{self.folder}: the table is damaged, its format is {told[:20]!r}; {RESTORE}"
                )
            if told is None and lock is not None:
                options_of_write = WriteOptions()
                options_of_write.sync = True
                with translated(self.folder, "write"):
                    database.put(b"format", str(FORMAT).encode(), options_of_write)
            elif told is not None and int(told) > FORMAT:
                raise NewerFormatError(
                    f"{self.folder}: the table has format {int(told)}, and this webstrata knows {FORMAT}; "
                    f"upgrade webstrata"
                )
        except BaseException:
            self.close()
            raise


def _decode(key: bytes, value: bytes) -> tuple[str, Cell]:
    row, column, time = decode_key(key)
    return row, Cell(column, time, decode_value(value))


def _options() -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_bottommost_compression_type(DBCompressionType.zstd())
    options.set_wal_recovery_mode(DBRecoveryMode.point_in_time())
    options.set_max_open_files(-1)  # a reader has every file open, and keeps it when a later writer drops it
    options.set_keep_log_file_num(2)
    blocks = BlockBasedOptions()
    blocks.set_bloom_filter(10, block_based=False)
    options.set_block_based_table_factory(blocks)
    return options


def _acquire(folder: Path, patience: float) -> WriteLock:
    """The lock of a writer, which another one may have for a moment."""
    lock, until = WriteLock(folder), time.monotonic() + patience
    while True:
        try:
            lock.acquire()
        except LockedError:
            if time.monotonic() >= until:
                raise
            time.sleep(_PAUSE)
        else:
            return lock


def _close(databases: list[Rdict], lock: WriteLock | None, scratch: str = "") -> None:
    for database in databases:
        with contextlib.suppress(Exception):  # closed already
            database.close()
    databases.clear()
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    if lock is not None:
        lock.release()
