"""Labels of hosts in the row table, where people and programs write them and `classify` reads them.

A label is a cell of the row of the host's home page, ``http://HOST/``: family `meta`, column
``host-label``, stamped with the moment at which it was given, so that an earlier label stays readable. A note
is in the column ``host-note`` of the same row. Labels are words of a file for `classify train --labels`:
``spam``, ``nonspam``, ``undecided``, or names of kinds joined by ``|``.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from typing import TYPE_CHECKING, NamedTuple

from webstrata.errors import UsageError
from webstrata.store.table.rows import RowTable, find_row_key
from webstrata.web.row_key import from_row_key

if TYPE_CHECKING:
    from webstrata.collection import Collection

LABEL, NOTE = "host-label", "host-note"
"""Columns of the family `meta`."""
MAX_NOTE = 2000
"""Characters of a note."""
_HOST = re.compile(r"[^\s/?#@\\]{1,255}")
_LABEL = re.compile(r"[^\s,\"|]{1,64}( ?\| ?[^\s,\"|]{1,64}){0,15}")


class HostLabel(NamedTuple):
    """The newest label of a host."""

    host: str
    label: str
    note: str
    given: dt.datetime


def write_host_label(
    collection: Collection, host: str, label: str, *, note: str = "", at: dt.datetime | None = None
) -> None:
    """Write the label of a host; on disk when it returns, and the table is closed again.

    Another writer is waited for some seconds (`webstrata.store.table.cells.PATIENCE`), then there is a
    `LockedError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> write_host_label(uk, "news.example", "nonspam", note="a harbour")
    >>> write_host_label(uk, "shop.example", "undecided")
    >>> write_host_label(uk, "shop.example", "spam")
    >>> [(found.host, found.label, found.note) for found in read_host_labels(uk)]
    [('news.example', 'nonspam', 'a harbour'), ('shop.example', 'spam', '')]
    """
    name = host.strip().lower()
    if not _HOST.fullmatch(name):
        raise UsageError(f"{host[:255]!r} is not a host; write it as example.org")
    if not _LABEL.fullmatch(label):
        raise UsageError(
            f"{label[:80]!r} is not a label; write spam, nonspam, undecided, or names joined by |"
        )
    if len(note) > MAX_NOTE:
        raise UsageError(f"the note has {len(note):,} characters; {MAX_NOTE:,} are allowed")
    cells: dict[str, str] = {LABEL: label.replace(" ", ""), NOTE: note.replace("\0", " ")}
    moment = at or dt.datetime.now(dt.UTC)
    with RowTable(collection) as table:
        table.put(f"http://{name}/", {"meta": cells}, at=moment)


def read_host_labels(collection: Collection) -> list[HostLabel]:
    """The newest label of every host that has one, in the order of row keys; also while somebody writes.

    Examples
    --------
    >>> from webstrata import testing
    >>> read_host_labels(testing.collection())
    []
    """
    found = []
    with RowTable(collection) as table:
        for row in table.scan(families=["meta"]):
            labels = row.cells("meta", LABEL)
            if labels:
                notes = row.cells("meta", NOTE)
                newest, note = labels[0], str(notes[0].value) if notes else ""
                found.append(HostLabel(_host_of(row.key), str(newest.value), note, newest.datetime))
    return found


def find_host_label(collection: Collection, host: str) -> HostLabel | None:
    """The newest label of one host, by two reads of the table.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> write_host_label(uk, "shop.example", "spam")
    >>> find_host_label(uk, "shop.example").label, find_host_label(uk, "news.example")
    ('spam', None)
    """
    key = find_row_key(f"http://{host.strip().lower()}/")
    with RowTable(collection) as table:
        row = table[key]
        label, note = row.find("meta", LABEL), row.find("meta", NOTE)
    if label is None:
        return None
    return HostLabel(_host_of(key), str(label.value), "" if note is None else str(note.value), label.datetime)


def export_host_labels(collection: Collection) -> str:
    r"""All labels as a file for `classify train --labels`: CSV with the columns host and label.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> write_host_label(uk, "shop.example", "spam")
    >>> export_host_labels(uk)
    'host,label\nshop.example,spam\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["host", "label"])
    writer.writerows((found.host, found.label) for found in read_host_labels(collection))
    return stream.getvalue()


def _host_of(key: str) -> str:
    return from_row_key(key).partition("://")[2].partition("/")[0]
