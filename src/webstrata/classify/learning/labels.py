"""Labels of hosts, for any number of tasks that are each a yes or a no.

A file of labels is CSV with a header, a row a host, in one of two forms:

``host,label``          names of what the host is, joined by ``|``; each name is a task. ``nonspam``,
                        ``normal`` and ``none`` say that it is nothing of what is asked. A host that is
                        ``spam`` was not asked about anything else (SPAM, section 2.3)
``host,spam,news,…``    a column a task: ``yes``, ``no``, ``1``, ``0``, ``true``, ``false``, the name of the
                        task or ``non`` before it; ``maybe`` counts as yes (SPAM fuses them)

Nothing, ``?``, ``undecided`` and ``unknown`` leave a host without a label. Other columns that hold no yes or
no (comments, dates) are left alone. ``truth`` in place of a file stands for what an in-vitro web planted.
``www.example.org`` and ``example.org`` are one host.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

from webstrata.classify.features.sites import site_name
from webstrata.collection.action import Action
from webstrata.collection.files import explained
from webstrata.collection.settings import unknown_name
from webstrata.errors import FormatError, MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot

TRUTH = "truth"
"""In place of a file: what an in-vitro web planted."""
TABLE = "table"
"""Instead of a file: labels in the row table, as given on the served pages."""
SPAM = "spam"
_YES = {"yes", "1", "true", "y", "+", "positive", "maybe"}
_NO = {"no", "0", "false", "n", "-", "negative"}
_NONE = {"nonspam", "non-spam", "normal", "none", "ham", "honest"}
_UNDECIDED = {"", "?", "undecided", "unknown"}


@dataclass
class Labels:
    """What is known of hosts, a table a task.

    Examples
    --------
    >>> labels = Labels("labels.csv", {"spam": {"a.org": True, "b.org": False, "c.org": False}})
    >>> rows, truth, unknown = labels.match("spam", ["b.org", "a.org"])
    >>> rows.tolist(), truth.tolist(), unknown
    ([0, 1], [False, True], ['c.org'])
    """

    source: str
    tasks: dict[str, dict[str, bool]] = field(default_factory=dict)

    def find(self, task: str) -> dict[str, bool]:
        """The labels of a task, or `UsageError` where there is none of that name."""
        if task not in self.tasks:
            raise UsageError(unknown_name(self.source, task, "task of these labels", self.tasks))
        return self.tasks[task]

    def match(
        self, task: str, hosts: Sequence[str], *, folds: int = 0
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_], list[str]]:
        """Rows of labelled hosts, their labels, and labelled hosts that are not there.

        With `folds`, there must be so many of each class, or `MissingError` says what to do.
        """
        labelled = self.find(task)
        places = {host: place for place, host in enumerate(hosts)}
        known = sorted((places[host], is_it) for host, is_it in labelled.items() if host in places)
        unknown = sorted(host for host in labelled if host not in places)
        rows = np.array([row for row, _ in known], np.int64)
        truth = np.array([is_it for _, is_it in known], bool)
        if folds:
            self._check(task, truth, unknown, folds)
        return rows, truth, unknown

    def _check(self, task: str, truth: npt.NDArray[np.bool_], unknown: list[str], folds: int) -> None:
        lost = f" ({tell_unknown(unknown)})" if unknown else ""
        positive, negative = int(truth.sum()), int((~truth).sum())
        if not positive or not negative:
            there = "no labelled host is" if not len(truth) else f"all {len(truth)} labelled hosts are"
            one = "in the snapshot" if not len(truth) else f"{'' if positive else 'not '}{task}"
            raise MissingError(
                f"{self.source}: {there} {one}{lost}, and learning needs hosts of both kinds; label some more"
            )
        if min(positive, negative) < folds:
            raise MissingError(
                f"{self.source}: {positive} hosts are {task} and {negative} are not{lost}, too few for "
                f"{folds} folds; label some more, or take fewer folds"
            )

    def distribution(self, hosts: Sequence[str] | None = None) -> list[tuple[str, int, int]]:
        """Of each task the hosts that are it and that are not, of those given or of all."""
        there = None if hosts is None else set(hosts)
        found = []
        for task, labelled in self.tasks.items():
            counts = Counter(is_it for host, is_it in labelled.items() if there is None or host in there)
            found.append((task, counts[True], counts[False]))
        return found


def tell_unknown(hosts: Sequence[str], most: int = 3) -> str:
    """How many labelled hosts are not in a snapshot, and the first of them.

    Examples
    --------
    >>> tell_unknown(["a.org", "b.org", "c.org", "d.org"])
    '4 labelled hosts are not in the snapshot: a.org, b.org, c.org, …'
    """
    more = ", …" if len(hosts) > most else ""
    are = "host is" if len(hosts) == 1 else "hosts are"
    return f"{len(hosts)} labelled {are} not in the snapshot: {', '.join(hosts[:most])}{more}"


def load_labels(source: str | Path, snapshot: Snapshot | None = None, *, task: str = SPAM) -> Labels:
    r"""Labels of a CSV or published file, of a snapshot's truth (``truth``), or of the row table (``table``).

    Parameters
    ----------
    source
        A file, also one of WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010 as published, ``truth`` or ``table``.
    snapshot
        The one whose truth, or whose collection's table, is meant.
    task
        What a column ``label`` is about that says yes or no.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "labels.csv"
    >>> _ = path.write_text("host,label\na.org,spam\nb.org,news|personal\nwww.c.org,nonspam\n")
    >>> load_labels(path).distribution()
    [('spam', 1, 2), ('news', 1, 1), ('personal', 1, 1)]
    """
    if str(source) == TRUTH:
        if snapshot is None:
            raise ValueError("snapshot is needed for the labels of its truth")
        return read_truth(snapshot)
    if str(source) == TABLE:
        if snapshot is None:
            raise ValueError("snapshot is needed for the labels of the table of its collection")
        return read_table(snapshot, task=task)
    from pathlib import Path

    from webstrata.classify.published.label_files import load_published_labels, tell_label_format

    path = Path(source)
    if path.is_file() and tell_label_format(path):
        return load_published_labels(path)
    return read_labels(path, task=task)


def read_labels(path: Path, *, task: str = SPAM) -> Labels:
    r"""Labels of a CSV file; a column ``label`` that says yes or no is about `task`.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "labels.csv"
    >>> _ = path.write_text("host,spam,news\na.org,yes,\nb.org,no,maybe\n")
    >>> read_labels(path).tasks
    {'spam': {'a.org': True, 'b.org': False}, 'news': {'b.org': True}}
    """
    with explained(path, "read"):
        content = path.read_bytes()
    return _parse_labels(path, content, task)


def read_table(snapshot: Snapshot, *, task: str = SPAM) -> Labels:
    """Labels of the row table of a snapshot's collection.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.table import write_host_label
    >>> june = testing.snapshot()
    >>> write_host_label(june.collection, "shop.example", "spam")
    >>> read_table(june).tasks
    {'spam': {'shop.example': True}}
    """
    from webstrata.store.table import export_host_labels

    text = export_host_labels(snapshot.collection)
    path = snapshot.collection.working_folder("table")
    if text.count("\n") < 2:
        raise MissingError(
            f"{path}: no host has a label in the row table; label hosts on the served pages, or name a file"
        )
    return _parse_labels(path, text.encode(), task)


def _parse_labels(path: Path, content: bytes, task: str) -> Labels:
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(
            f"{path}: this is no CSV in UTF-8 ({error}); write `host,label`, a host a line"
        ) from error
    header = [name.strip() for name in rows[0]] if rows else []
    if len(header) < 2 or header[0] != "host":
        raise FormatError(
            f"{path}: its first line is {','.join(header) or 'empty'}, and a header such as `host,label` or "
            "`host,spam,news` was expected"
        )
    labels = Labels(str(path))
    if "label" in header:
        _read_names(labels, path, rows[1:], header.index("label"), task)
    else:
        _read_columns(labels, path, header, rows[1:])
    if not labels.tasks:
        raise FormatError(f"{path}: there is no label in it; write `host,label`, a host a line")
    return labels


def _hosts(path: Path, rows: list[list[str]], width: int) -> list[tuple[int, str, list[str]]]:
    found = []
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row) or row[0].startswith("#"):
            continue
        host = row[0].strip().lower()
        if "/" in host or " " in host or not host or len(row) < width:
            raise FormatError(
                f"{path}, line {number}: {','.join(row)[:60]!r} is no host with its label; write "
                "`example.org,spam`"
            )
        found.append((number, site_name(host), [cell.strip().lower() for cell in row]))
    return found


def _read_names(labels: Labels, path: Path, rows: list[list[str]], column: int, task: str) -> None:
    kinds: dict[str, set[str]] = {}
    told: dict[str, int] = {}
    for number, host, row in _hosts(path, rows, column + 1):
        if row[column] in _UNDECIDED:
            continue
        names = {name.strip() for name in row[column].split("|")} - {""}
        names = {task if name in _YES else "none" if name in _NO or name in _NONE else name for name in names}
        if host in kinds and (SPAM in kinds[host]) != (SPAM in names) and kinds[host] != names:
            raise FormatError(
                f"{path}, line {number}: {host} is {row[column]} here and {'|'.join(sorted(kinds[host]))} in "
                f"line {told[host]}; keep one of them"
            )
        kinds[host] = kinds.get(host, set()) | names
        told[host] = number
    tasks = [SPAM, *sorted({name for names in kinds.values() for name in names} - {SPAM, "none"})]
    if not any(SPAM in names for names in kinds.values()):
        tasks = tasks[1:] or [task]
    for name in tasks:
        labels.tasks[name] = {
            host: name in names for host, names in kinds.items() if name == SPAM or names != {SPAM}
        }
    if not kinds:
        labels.tasks.clear()


def _read_columns(labels: Labels, path: Path, header: list[str], rows: list[list[str]]) -> None:
    hosts = _hosts(path, rows, 2)
    for column, name in enumerate(header[1:], 1):
        yes, no = _YES | {name.lower()}, _NO | {f"non{name.lower()}", f"non-{name.lower()}"}
        cells = [(number, host, row[column] if column < len(row) else "") for number, host, row in hosts]
        if not all(cell in yes | no | _UNDECIDED for _, _, cell in cells):
            continue  # a comment, a date
        found: dict[str, bool] = {}
        for number, host, cell in cells:
            if cell in _UNDECIDED:
                continue
            if found.setdefault(host, cell in yes) != (cell in yes):
                raise FormatError(
                    f"{path}, line {number}: {host} is {name} and is not, in two lines; keep one of them"
                )
        if found:
            labels.tasks[name] = found


def read_truth(snapshot: Snapshot) -> Labels:
    """What an in-vitro web planted: which hosts are spam, and the topics and languages of the others.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.invitro.truth import build_truth
    >>> snapshot = testing.empty().add("2026-01")
    >>> build_truth(snapshot, ws.invitro.Web("tiny", seed=7), month=0)
    >>> read_truth(snapshot).distribution()[:2]
    [('spam', 4, 8), ('topic health', 3, 5)]
    """
    if "truth" not in snapshot.parts:
        raise MissingError(
            f"{snapshot.path}: no truth; for a synthetic web, {{fix}}, else give labels as a CSV file",
            fix=Action.on(snapshot, "invitro truth", preset="PRESET"),
        )
    with snapshot.open_part("truth") as part:
        path = part.path / "hosts.parquet"
        with explained(path, "read"):
            table = pq.read_table(path)
    hosts = [site_name(name) for name in table["name"].to_pylist()]
    spam = table["spam"].to_pylist()
    labels = Labels(f"{snapshot.path}, truth", {SPAM: dict(zip(hosts, map(bool, spam), strict=True))})
    topic = "topic_name" if "topic_name" in table.column_names else "topic"
    for column, prefix in ((topic, "topic "), ("language", "language ")):
        kinds = [str(kind) for kind in table[column].to_pylist()]
        for kind in sorted(set(kinds)):
            labels.tasks[f"{prefix}{kind}"] = {
                host: one == kind for host, one, bad in zip(hosts, kinds, spam, strict=True) if not bad
            }
    return labels
