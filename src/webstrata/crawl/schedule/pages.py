"""What a continuous crawl knows of each page: 40 bytes on disk, and the places of its texts.

``pages.state`` has a record of 40 bytes per page, in the order in which pages were found, mapped into
memory::

    hash        8   XXH3 of the URL
    content     8   what counts as a change, at the last visit; 0: not known
    last        4   last visit, in seconds since 1970
    unchanged   4   days of all intervals without a change, as a float
    changes     8   intervals with a change, by class of length (`webstrata.crawl.schedule.belief`)
    importance  2   as a float
    host        4   number of its host, a line of ``hosts``
    flags       1   `PAGE`, `GONE`, `SENT`, `SEEN`, `OTHER`
    failures    1   visits in a row that gave no answer

``urls`` has its texts: a line per page, ``URL TAB depth TAB ETag TAB Last-Modified``, and another one
when an answer has other validators; ``pages.place`` says where the newest begins, 8 bytes per page. A
record whose hash is 0 is none: the hash is written last, so a crawl that is killed leaves whole records
only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webstrata._core import crawl as _core
from webstrata.collection.files import explained
from webstrata.crawl.schedule.belief import BINS
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]

PAGE, GONE, SENT, SEEN, OTHER = 1, 2, 4, 8, 16
"""The last answer was a page; it is gone; a visit is under way; it was visited; it is there and no page."""

RECORD = np.dtype([
    ("hash", "<u8"), ("content", "<u8"), ("last", "<u4"), ("unchanged", "<f4"), ("changes", "u1", (BINS,)),
    ("importance", "<f2"), ("host", "<u4"), ("flags", "u1"), ("failures", "u1"),
])  # fmt: skip
_GROWTH = 1 << 14
_RECENT = 1 << 15


class KnownPage(NamedTuple):
    """The texts of a page."""

    url: str
    depth: int
    tag: str
    modified: str


class KnownPages:
    """All pages that a continuous crawl knows, in a folder of its collection.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> pages = KnownPages(folder)
    >>> pages.add([("http://a.example/", 0, None), ("http://a.example/b", 1, None)]).tolist()
    [0, 1]
    >>> pages.add([("http://a.example/b", 1, None)]).tolist()  # it is known
    []
    >>> pages.close()
    >>> again = KnownPages(folder)
    >>> again.texts([1])[0].url
    'http://a.example/b'
    >>> again.close()
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with explained(folder, "write"):
            folder.mkdir(parents=True, exist_ok=True)
            self._texts = (folder / "urls").open("a+b")
            hosts = folder / "hosts"
            hosts.touch()
            self.hosts = hosts.read_text().splitlines()
            self._hosts = hosts.open("a")
        self._host_numbers = {name: number for number, name in enumerate(self.hosts)}
        self._state, self._place = self._map(0)
        self.count = int(np.count_nonzero(self._state["hash"]))
        if self.count and not self._state["hash"][: self.count].all():
            self._texts.close()
            self._hosts.close()
            raise FormatError(
                f"{folder / 'pages.state'}: a record in the middle is empty; the file is damaged, put it "
                "back from a copy, or remove the folder to begin again"
            )
        self._recent: dict[int, int] = {}
        self._sort()

    def __len__(self) -> int:
        return self.count

    @property
    def state(self) -> npt.NDArray[Any]:
        """The records of all pages."""
        return self._state[: self.count]

    def _map(self, more: int) -> tuple[np.memmap[Any, Any], np.memmap[Any, Any]]:
        found: list[np.memmap[Any, Any]] = []
        for name, dtype in (("pages.state", RECORD), ("pages.place", np.dtype("<u8"))):
            path = self.folder / name
            with explained(path, "write"):
                path.touch()
                number = max(path.stat().st_size // dtype.itemsize, 1) + more
                with path.open("r+b") as file:
                    file.truncate(number * dtype.itemsize)
                found.append(np.memmap(path, dtype, "r+", shape=(number,)))
        return found[0], found[1]

    # ---- finding pages

    def find(self, urls: Sequence[str]) -> Rows:
        """The number of each URL's page, −1 for those that are not known."""
        return self._find(_hash(urls))

    def _sort(self) -> None:
        hashes = np.asarray(self._state["hash"][: self.count])
        self._sorted = np.argsort(hashes, kind="stable")
        self._keys = hashes[self._sorted]
        self._recent.clear()

    def _find(self, hashes: npt.NDArray[np.uint64]) -> Rows:
        keys = self._keys
        place = np.minimum(np.searchsorted(keys, hashes), max(len(keys) - 1, 0))
        found = np.full(len(hashes), -1)
        if len(keys):
            is_known = keys[place] == hashes
            found[is_known] = self._sorted[place[is_known]]
        for number in np.flatnonzero(found < 0):
            found[number] = self._recent.get(int(hashes[number]), -1)
        return found

    def add(self, urls: Sequence[tuple[str, int, str | None]], importance: float = 1.0) -> Rows:
        """Take up URLs with their depths; the numbers of those that were not known."""
        if not urls:
            return np.zeros(0, np.int64)
        hashes = _hash([url for url, _, _ in urls])
        new = np.flatnonzero(self._find(hashes) < 0)
        new = new[np.sort(np.unique(hashes[new], return_index=True)[1])]
        if not len(new):
            return new
        if self.count + len(new) > len(self._state):
            self._state, self._place = self._map(max(_GROWTH, len(new), len(self._state) // 4))
        rows = np.arange(self.count, self.count + len(new))
        begin = self._texts.seek(0, 2)
        lines, places, hosts = [], [], []
        for number in new.tolist():
            url, depth, carried = urls[number]
            line = "\t".join([url, str(depth), *_carry(carried)]).encode() + b"\n"
            places.append(begin)
            lines.append(line)
            begin += len(line)
            hosts.append(self._number_host(url))
        self._write(b"".join(lines))
        self._hosts.flush()
        self._place[rows] = places
        records = np.zeros(len(new), RECORD)
        records["host"], records["importance"] = hosts, importance
        self._state[rows] = records
        self._state["hash"][rows] = hashes[new]
        self.count += len(new)
        self._recent.update(zip(hashes[new].tolist(), rows.tolist(), strict=True))
        if len(self._recent) > _RECENT:
            self._sort()
        return rows

    def host_number(self, origin: str) -> int | None:
        """The number of a host, None for one that is not known."""
        return self._host_numbers.get(origin)

    def _number_host(self, url: str) -> int:
        name = "/".join(url.split("/", 3)[:3])
        number = self._host_numbers.setdefault(name, len(self.hosts))
        if number == len(self.hosts):
            self.hosts.append(name)
            self._hosts.write(f"{name}\n")
        return number

    # ---- texts

    def texts(self, rows: Sequence[int] | Rows) -> list[KnownPage]:
        """URL, depth and validators of pages."""
        found = []
        for row in rows:
            self._texts.seek(int(self._place[row]))
            url, depth, tag, modified = self._texts.readline().decode().rstrip("\n").split("\t")
            found.append(KnownPage(url, int(depth), tag, modified))
        return found

    def keep_validators(self, row: int, page: KnownPage) -> None:
        """Remember what the last answer was known by."""
        line = "\t".join(
            [page.url, str(page.depth), page.tag.replace("\t", " "), page.modified.replace("\t", " ")]
        )
        place = self._texts.seek(0, 2)
        self._write(f"{line}\n".encode())
        self._place[row] = place

    def _write(self, text: bytes) -> None:
        with explained(self.folder / "urls", "write"):
            self._texts.write(text)
            self._texts.flush()

    def close(self) -> None:
        """Write everything; the files are closed."""
        self._state.flush()
        self._place.flush()
        self._texts.close()
        self._hosts.close()


def _hash(urls: Sequence[str]) -> npt.NDArray[np.uint64]:
    pieces = [url.encode() for url in urls]
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.uint64)
    return _core.hash_records(b"".join(pieces), ends) if pieces else np.zeros(0, np.uint64)


def _carry(carried: str | None) -> tuple[str, str]:
    """The tag of a discovered URL: the level of a sitemap, stored instead of validators."""
    level = carried.split("\n")[4:5] if carried else []
    return (f"level={level[0]}", "") if level else ("", "")
