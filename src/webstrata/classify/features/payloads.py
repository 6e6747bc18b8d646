"""How large the pages of a snapshot are as they were sent: bytes of HTML, tags and all.

The store keeps the text of a page and where its record is; the size is asked of the record itself. Every
file is opened once and read from its first page to its last, and records that are nobody's page are passed
over. Where few pages of a file are left (of a month that mostly repeats another), they are looked up one by
one.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from webstrata.archive.codings import read_payload
from webstrata.archive.warc import Problem, read_record, read_records
from webstrata.collection.progress import Progress
from webstrata.errors import AccessError, FormatError, MissingError
from webstrata.store.pages import Pages
from webstrata.store.warc_files import WarcFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot

_log = logging.getLogger(__name__)
_DENSE = 0.1
"""Share of a file from which on it is read through: to look a record up costs as much as some others."""
_KINDS = ("response", "resource", "revisit")
_PLACE = ("warc_filename", "warc_record_offset", "warc_record_length")


def measure_payloads(
    snapshot: Snapshot, progress: Progress | None = None, *, nodes: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[np.float64] | None:
    """The bytes of each page, or of some; NaN where a record cannot be read, None where there are no records.

    Examples
    --------
    >>> from webstrata import testing
    >>> measure_payloads(testing.snapshot())[:3].tolist()
    [443.0, 368.0, 318.0]
    """
    if not {"warc", "pages"} <= {record.name for record in snapshot.parts}:
        return None
    with snapshot.open_part("pages") as pages, WarcFiles(snapshot) as warc:
        table = Pages(pages.path).table(*_PLACE)
        if nodes is not None:
            table = table.take(nodes)
        names = table["warc_filename"].combine_chunks().dictionary_encode()
        files = [warc.find(name) for name in names.dictionary.to_pylist()]
        codes = names.indices.to_numpy()
        offsets, lengths = (table[name].to_numpy() for name in _PLACE[1:])
        found = np.full(len(table), np.nan)
        with (progress or Progress()).task("sizes of pages", total=len(table), unit="pages") as task:
            for code, path in enumerate(files):
                rows = np.flatnonzero(codes == code)
                for node, size in _measure_file(path, rows, offsets, lengths):
                    found[node] = size
                    task.advance()
    return found


def _measure_file(
    path: Path,
    rows: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
) -> Iterator[tuple[int, float]]:
    """Rows of the table whose records are in a file, each with its bytes."""
    wanted: defaultdict[int, list[int]] = defaultdict(list)  # several pages may have one payload
    for offset, node in zip(offsets[rows].tolist(), rows.tolist(), strict=True):
        wanted[offset].append(node)
    first = min(wanted)
    try:
        if lengths[rows].sum() > _DENSE * (path.stat().st_size - first):
            # what cannot be read is looked up again below, where the sentence about it names its place
            for record in read_records(path, kinds=_KINDS, start=first, report=_pass_over):
                if record.offset in wanted and not record.is_cut:
                    size = float(len(read_payload(record)))
                    yield from ((node, size) for node in wanted.pop(record.offset))
                    if not wanted:
                        return
    except (OSError, MissingError, AccessError):
        pass
    for offset, nodes in wanted.items():
        size = np.nan
        try:
            size = float(len(read_payload(read_record(path, offset, int(lengths[nodes[0]])))))
        except (FormatError, MissingError, AccessError) as error:
            _log.warning("%s", error)
        yield from ((node, size) for node in nodes)


def _pass_over(problem: Problem) -> None:
    _log.debug("byte %d: %s", problem.offset, problem.what)
