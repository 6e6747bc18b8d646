"""The records of earlier snapshots to which revisits of a snapshot refer, copied so that an export is whole.

A ``revisit`` record without the record that holds its payload cannot be replayed. `copy_originals` finds the
payloads that a snapshot refers to and does not hold, and copies the records that hold them, one per payload,
from earlier snapshots of the collection into one WARC file; a record that is packed by gzip is copied byte
for byte. The lines of their index are kept, with the places that the records have now.
"""

from __future__ import annotations

import base64
import gzip
import heapq
import json
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from webstrata.archive.warc import read_record
from webstrata.collection.files import explained, open_writer
from webstrata.store.pages import REVISIT, scan_captures
from webstrata.store.warc_files import find_lending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    import numpy.typing as npt

    from webstrata.collection import Snapshot

    Keys = npt.NDArray[np.uint64]

_LINES = 1 << 16
_REVISIT = f'"mime": "{REVISIT}"'.encode()


@dataclass(frozen=True)
class Originals:
    """Copied records."""

    path: Path
    """A WARC file of gzip members."""
    count: int
    indexes: tuple[Path, ...]
    """Files of sorted lines, one per snapshot that the records are from."""

    def merge(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """The lines of a sorted index and those of the copied records, in one order."""
        with ExitStack() as stack:
            streams = [stack.enter_context(path.open("rb")) for path in self.indexes]
            yield from heapq.merge(lines, *streams)


def copy_originals(snapshot: Snapshot, index: Path, folder: Path, name: str) -> Originals | None:
    r"""Copy the records of earlier snapshots that a snapshot needs into `folder`; None if there are none.

    Parameters
    ----------
    snapshot
        The snapshot that is exported.
    index
        The file of its index.
    folder
        Where the WARC file and the lines go.
    name
        The name of the WARC file.

    Examples
    --------
    >>> import tempfile
    >>> from dataclasses import replace
    >>> from pathlib import Path
    >>> import webstrata as ws
    >>> from webstrata.store.ingest.run import ingest
    >>> from webstrata.archive.warc import Capture, Revisit, WarcWriter
    >>> head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html"
    >>> june = Capture(url="http://a.uk/", date=10**18, head=head, body=b"Hello")
    >>> july = replace(june, date=2 * 10**18, revisit=Revisit("identical-digest", june.url, june.date))
    >>> with tempfile.TemporaryDirectory() as name:
    ...     collection = ws.create(f"{name}/uk")
    ...     for label, capture in (("2026-06", june), ("2026-07", july)):
    ...         with WarcWriter(Path(name), label) as writer:
    ...             _ = writer.write(capture)
    ...         _ = ingest(collection.add(label), list(Path(name).glob(f"{label}*.warc.gz")))
    ...     with collection["2026-07"].open_part("captures") as part:
    ...         index = part.path / "index.cdxj.gz"
    ...         found = copy_originals(collection["2026-07"], index, Path(name), "originals.warc.gz")
    >>> found.count
    1
    """
    wanted = _find_wanted(index)
    if not len(wanted):
        return None
    is_missing = np.ones(len(wanted), bool)
    indexes = []
    count = 0
    with open_writer(folder / name) as out:
        offset = 0
        for label, path in find_lending(snapshot).items():
            lines = folder / f"{label}.cdxj"
            with snapshot.collection[label].open_part("warc") as warc, open_writer(lines) as told:
                for line in _find_lines(path, wanted, is_missing):
                    key, timestamp, text = line.split(b" ", 2)
                    fields = json.loads(text)
                    place = int(fields["offset"]), int(fields["length"])
                    packed = _copy_record(warc.path / fields["filename"], *place)
                    out.write(packed)
                    fields |= {"length": str(len(packed)), "offset": str(offset), "filename": name}
                    fields.pop("span", None)  # the request was not copied
                    told.write(b"%b %b %b\n" % (key, timestamp, json.dumps(fields).encode()))
                    offset += len(packed)
                    count += 1
            indexes.append(lines)
    return Originals(folder / name, count, tuple(indexes)) if count else None


def append_originals(path: Path, out: BinaryIO, *, packed: bool) -> None:
    """Append the records of a WARC file of gzip members to a stream, as they are or unpacked.

    Examples
    --------
    >>> import io
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a.warc.gz"
    >>> _ = path.write_bytes(gzip.compress(b"a record"))
    >>> append_originals(path, out := io.BytesIO(), packed=False)
    >>> out.getvalue()
    b'a record'
    """
    with explained(path, "read"), path.open("rb") if packed else gzip.open(path) as stream:
        while piece := stream.read(1 << 20):
            out.write(piece)


def _find_wanted(index: Path) -> Keys:
    """Payloads that revisits of a snapshot have and none of its own records does; 9 bytes for each."""
    found = [np.zeros(0, np.uint64)]
    for table in scan_captures(index):
        is_revisit = pc.equal(table["mime"], REVISIT)
        found.append(np.unique(_keys(table["digest"].filter(is_revisit).to_pylist())))
    wanted = np.unique(np.concatenate(found))
    is_own = np.zeros(len(wanted), bool)
    for table in scan_captures(index) if len(wanted) else ():
        own = pc.and_(pc.not_equal(table["mime"], REVISIT), pc.equal(table["status"], 200))
        keys = _keys(table["digest"].filter(own).to_pylist())
        places = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
        is_own[places[wanted[places] == keys]] = True
    return wanted[~is_own]


def _keys(digests: list[str]) -> Keys:
    """The first 64 bits of digests."""
    good = [digest for digest in digests if len(digest) == 32]
    try:
        decoded = base64.b32decode("".join(good))
    except ValueError:  # an index of others may have digests of any kind
        return np.zeros(0, np.uint64)
    rows = np.frombuffer(decoded, np.uint8).reshape(-1, 20)[:, :8]
    return np.ascontiguousarray(rows).view(">u8").ravel().astype(np.uint64)


def _find_lines(index: Path, wanted: Keys, is_missing: npt.NDArray[np.bool_]) -> Iterator[bytes]:
    """The lines of records that hold a payload that is wanted and was not found before."""
    with explained(index, "read"), gzip.open(index) as stream:
        while lines := list(islice(stream, _LINES)):
            stored = [line for line in lines if _REVISIT not in line and b'"status": "200"' in line]
            texts = [line.partition(b'"digest": "')[2][:32].decode("latin-1") for line in stored]
            for line, text in zip(stored, texts, strict=True):
                keys = _keys([text])
                place = int(np.searchsorted(wanted, keys[0])) if len(keys) else len(wanted)
                if place < len(wanted) and wanted[place] == keys[0] and is_missing[place]:
                    is_missing[place] = False
                    yield line


def _copy_record(path: Path, offset: int, length: int) -> bytes:
    """A record as a gzip member."""
    if path.name.endswith(".gz"):
        with explained(path, "read"), path.open("rb") as stream:
            stream.seek(offset)
            return stream.read(length)
    record = read_record(path, offset, length)
    lines = "".join(f"{name}: {value}\r\n" for name, value in record.headers)
    return gzip.compress(f"WARC/1.1\r\n{lines}\r\n".encode() + record.block + b"\r\n\r\n", 6, mtime=0)
