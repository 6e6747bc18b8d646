"""How large the pages of a snapshot are as they were sent: bytes of HTML, tags and all.

The store keeps the text of a page and where its record is; the size is asked of the record itself. Records
are read in the order of their files, one after the other.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.errors import AccessError, FormatError, MissingError
from webstrata.store.pages import Pages
from webstrata.store.warc import read_record

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.collection import Snapshot

_log = logging.getLogger(__name__)
_PLACE = ("warc_filename", "warc_record_offset", "warc_record_length")


def measure_payloads(snapshot: Snapshot, progress: Progress | None = None) -> npt.NDArray[np.float64] | None:
    """The bytes of each page; NaN where its record cannot be read, None where there are no records.

    Examples
    --------
    >>> import webstrata as ws
    >>> measure_payloads(ws.create(getfixture("tmp_path") / "uk").add("2026-06")) is None
    True
    """
    if not {"warc", "pages"} <= {record.name for record in snapshot.parts}:
        return None
    with snapshot.open_part("pages") as pages, snapshot.open_part("warc") as warc:
        table = Pages(pages.path).table(*_PLACE)
        names = table["warc_filename"].combine_chunks().dictionary_encode()
        files, codes = names.dictionary.to_pylist(), names.indices.to_numpy()
        offsets, lengths = (table[name].to_numpy() for name in _PLACE[1:])
        found = np.full(len(table), np.nan)
        with (progress or Progress()).task("sizes of pages", total=len(table), unit="pages") as task:
            for place, node in enumerate(np.lexsort((offsets, codes)).tolist(), 1):
                path = warc.path / files[codes[node]]
                try:
                    found[node] = len(read_record(path, int(offsets[node]), int(lengths[node])).payload)
                except (FormatError, MissingError, AccessError) as error:
                    _log.warning("%s", error)
                if place % 256 == 0:
                    task.advance(256)
    return found
