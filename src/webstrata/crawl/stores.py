"""Where a crawl stores: the WARC files of its snapshot, and other stores that receive responses as they come.

A store is an object with two methods (`CrawlStore`):

``write(responses)``   takes a batch of `webstrata.crawl.filters.Response`, and says of each whether the WARC
                       files get it too
``close()``            is called when the crawl has ended, however it did

`write` is called from threads of the crawl with responses that the filter ``store`` has admitted; fetching
waits for it, and an exception ends the crawl. Batches come one at a time. A crawl that was killed passes on
again what it fetches again, so a store must take a response twice.

The WARC store is in the core (``rust/src/crawl/flusher.rs``), and is what the parts of a snapshot are made
from: what a store keeps out of it is in no snapshot. `FolderStore` is the other implementation here.

===========================  ===================================================================
``store_to = "FOLDER"``      `FolderStore`: payloads as files, with an index
``store_to = "mod:make"``    ``make(snapshot)`` returns a store: a database, a queue, a bucket
===========================  ===================================================================
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from webstrata.collection.files import explained, make_directory, replace_file
from webstrata.crawl.functions import import_function, is_function_name
from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot
    from webstrata.crawl.filters import Response

PREDICATE = "StoredElsewhere"
"""The predicate by which the filter ``store`` calls a store."""
INDEX = "index.jsonl"


@runtime_checkable
class CrawlStore(Protocol):
    """What receives the responses of a crawl; see the module."""

    def write(self, responses: Sequence[Response]) -> Sequence[bool]:
        """Store a batch; for each response whether the WARC files get it too."""

    def close(self) -> None:
        """End the store."""


class FolderStore:
    """Payloads as files of a folder, each once: ``ab/abcdef….bin`` by SHA-1, and a line per response.

    ``index.jsonl`` has one JSON object per line: ``url``, ``status``, ``content_type``, ``digest`` (SHA-1,
    hexadecimal) and ``bytes``.

    Parameters
    ----------
    folder
        Where the files go; it is made.
    keeps_warc
        Whether the WARC files get everything too, so that the snapshot has its pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.crawl.filters import Response
    >>> folder = testing.scratch() / "store"
    >>> store = FolderStore(folder)
    >>> store.write([Response(url="http://a.example/", body=b"Hello", digest=b"x" * 20)])
    [True]
    >>> store.close()
    >>> [path.read_bytes() for path in folder.glob("*/*.bin")]
    [b'Hello']
    """

    def __init__(self, folder: Path, *, keeps_warc: bool = True) -> None:
        self.folder, self.keeps_warc = make_directory(folder), keeps_warc
        self._lock = threading.Lock()
        with explained(folder / INDEX, "write"):
            self._index = (folder / INDEX).open("a", encoding="utf-8")

    def write(self, responses: Sequence[Response]) -> list[bool]:
        """Write payloads that are not there, and a line for each response."""
        with self._lock, explained(self.folder, "write"):
            for response in responses:
                name = response.digest.hex()
                place = self.folder / name[:2] / f"{name}.bin"
                if not place.exists():
                    make_directory(place.parent)
                    replace_file(place, response.body)
                line = {
                    "url": response.url,
                    "status": response.status,
                    "content_type": response.content_type,
                    "digest": name,
                    "bytes": len(response.body),
                }
                self._index.write(json.dumps(line) + "\n")
            self._index.flush()
        return [self.keeps_warc] * len(responses)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


class GuardedStore:
    """A store that is called by one thread at a time, and whose answers are checked.

    Examples
    --------
    >>> class Nothing:
    ...     def write(self, responses):
    ...         return []
    ...     def close(self):
    ...         pass
    >>> from webstrata.crawl.filters import Response
    >>> GuardedStore(Nothing()).write([])
    []
    >>> GuardedStore(Nothing()).write([Response(url="http://a.example/")])
    Traceback (most recent call last):
    ValueError: the store gave 0 answers for 1 responses; expected one each
    """

    def __init__(self, store: CrawlStore) -> None:
        self._store, self._lock = store, threading.Lock()

    def write(self, responses: Sequence[Response]) -> list[bool]:
        """Pass a batch on."""
        with self._lock:
            answers = [bool(one) for one in self._store.write(responses)]
        if len(answers) != len(responses):
            raise ValueError(
                f"the store gave {len(answers)} answers for {len(responses)} responses; expected one each"
            )
        return answers

    def close(self) -> None:
        """End the store."""
        self._store.close()


def open_store(store_to: str, snapshot: Snapshot) -> CrawlStore | None:
    """The store that the setting ``store_to`` names; None for the WARC files alone.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> open_store("", snapshot) is None
    True
    """
    if not store_to:
        return None
    if not is_function_name(store_to):
        return FolderStore(Path(store_to))
    made = import_function(store_to, "store_to")(snapshot)
    if not isinstance(made, CrawlStore):
        raise SettingError(f"store_to: what {store_to} returns has no methods write and close")
    return made
