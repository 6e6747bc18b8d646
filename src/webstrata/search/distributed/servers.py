"""Parts of a partitioned index, each in a process of its own that answers requests.

A request is a name and arguments, an answer is a value and the CPU seconds that it took; both are pickled and
go through a pipe, so that what is moved can be counted. The processes take no Ctrl-C themselves, and end when
their pipe is closed: on a cluster the same two classes live on other machines. Threads in their place share
one interpreter, and begin at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import threading
import time
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from webstrata._core import search as core
from webstrata.collection.action import Action
from webstrata.collection.files import explained
from webstrata.errors import MissingError, WebstrataError
from webstrata.search.distributed.partitions import DOCUMENTS, TERMS, make_key
from webstrata.search.files import SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.search.distributed.postings import Key
    from webstrata.search.fields import Weights
    from webstrata.search.query import Clause

    Statistics = tuple[int, Sequence[int], Mapping[str, int]]

Pool = Literal["processes", "threads"]
REOPEN = "(reopen)"
"""The request to open other files, which is of no server's own."""


class DocumentServer:
    """A part by documents: the best of its own, scored by the statistics of all."""

    def __init__(self, folder: Path, segments: Sequence[str]) -> None:
        self._reader = core.Reader(folder / SEGMENTS, segments)
        with explained(folder / DOCUMENTS, "read"):
            self.documents = np.fromfile(folder / DOCUMENTS, "<u4")
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def keep(self, name: str, numbers: npt.NDArray[Any]) -> None:
        """Keep numbers of its documents: labels, or the factors of some snapshots."""
        self._arrays[name] = numbers

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """How many of its documents have each term in any field."""
        return [self._reader.frequency(term) for term in terms]

    def statistics(self, terms: Sequence[str]) -> tuple[int, list[int], list[int]]:
        """How many documents it has, how many words each field of them has, and `frequencies`."""
        return self._reader.num_documents, self._reader.num_words(), self.frequencies(terms)

    def search(
        self,
        clause: Clause,
        weights: Sequence[Weights],
        limit: int,
        mask: int,
        factors: tuple[str, float] | None,
        statistics: Statistics,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Its best documents, by their numbers in all, with scores and scores of their text alone."""
        given = (self._arrays[factors[0]], factors[1]) if factors else None
        found, scores, texts = self._reader.search(
            clause, weights, limit, self._arrays["labels"], mask, given, statistics
        )
        return self.documents[found], scores, texts


class TermServer:
    """A part by terms: lists, as they are."""

    def __init__(self, folder: Path) -> None:
        with explained(folder / TERMS, "read"):
            table = pa.ipc.open_file(pa.memory_map(str(folder / TERMS))).read_all()
        self._keys, self._columns = table["key"], {name: table[name] for name in table.column_names}

    @cached_property
    def _names(self) -> list[str]:
        found: list[str] = self._keys.to_pylist()
        return found

    def lists(self, keys: Sequence[Key], placed: Sequence[Key] = ()) -> list[bytes | None]:
        """The list of each term, None for one that no document has; then the places of others."""
        if placed and "places" not in self._columns:
            raise MissingError(
                "the partition by terms was made before it had places of words, which a quotation needs",
                fix=Action("build", words=("text_index-terms",)),
            )
        return [
            *(self._find("list", make_key(*key)) for key in keys),
            *(self._find("places", make_key(*key)) for key in placed),
        ]

    def _find(self, column: str, key: str) -> bytes | None:
        place = bisect_left(self._names, key)
        if place == len(self._names) or self._names[place] != key:
            return None
        found: bytes | None = self._columns[column][place].as_py()
        return found


@dataclass
class Traffic:
    """What went through the pipes, and how long each server was at work."""

    sent: int = 0
    received: int = 0
    requests: int = 0
    busy: list[float] = field(default_factory=list)
    """CPU seconds of each server."""

    @property
    def balance(self) -> float:
        """What the busiest server did, over the mean: 1 if all did the same."""
        mean = sum(self.busy) / max(len(self.busy), 1)
        return max(self.busy) / mean if mean else 1.0


class Servers:
    """Processes that serve the parts of an index; a context manager.

    Examples
    --------
    >>> with Servers(list, [([1, 2],), ([3],)], pool="threads") as servers:
    ...     servers.ask({0: ("count", 1), 1: ("index", 3)})
    {0: 1, 1: 0}
    >>> servers.traffic.requests
    2
    """

    def __init__(self, make: type, arguments: Sequence[tuple[Any, ...]], *, pool: Pool = "processes") -> None:
        self._make, self._arguments, self._pool = make, arguments, pool
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        self.traffic = Traffic(busy=[0.0] * len(arguments))

    def __len__(self) -> int:
        return len(self._arguments)

    def __enter__(self) -> Servers:
        context = multiprocessing.get_context("spawn")
        try:
            for arguments in self._arguments:
                ours, theirs = context.Pipe()
                self._pipes.append(ours)
                given = (theirs, self._make, arguments)
                if self._pool == "threads":
                    threading.Thread(target=_answer, args=given, daemon=True).start()
                    continue
                process = context.Process(target=_serve, args=given, daemon=True)
                process.start()
                theirs.close()
                self._processes.append(process)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(timeout=10)
            if process.is_alive():
                process.terminate()
        self._pipes, self._processes = [], []

    def reset(self) -> None:
        """Count from 0 again."""
        self.traffic = Traffic(busy=[0.0] * len(self))

    def reopen(self, arguments: Sequence[tuple[Any, ...]]) -> None:
        """Let each server open other files in place of its own; its next request finds them."""
        if len(arguments) != len(self):
            raise ValueError(f"arguments: expected {len(self)}, one per server, got {len(arguments)}")
        self._arguments = arguments
        self.ask({number: (REOPEN, *given) for number, given in enumerate(arguments)})

    def ask(self, requests: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """Ask some servers at once, each by the name of a method and its arguments; the answer of each."""
        for number, request in requests.items():
            data = pickle.dumps(request, protocol=5)
            self.traffic.sent += len(data)
            self.traffic.requests += 1
            self._pipes[number].send_bytes(data)
        found, failed = {}, None
        for number in requests:
            try:
                data = self._pipes[number].recv_bytes()
            except EOFError as error:
                raise WebstrataError(
                    f"the process that serves part {number} of the index has ended; ask again"
                ) from error
            self.traffic.received += len(data)
            value, seconds = pickle.loads(data)
            self.traffic.busy[number] += seconds
            found[number] = value
            if isinstance(value, Exception):
                failed = value
        if failed is not None:
            raise failed
        return found

    def ask_all(self, *request: Any) -> list[Any]:  # noqa: ANN401
        """Ask all servers the same."""
        found = self.ask(dict.fromkeys(range(len(self)), request))
        return [found[number] for number in range(len(self))]


def _serve(pipe: Connection, make: type, arguments: tuple[Any, ...]) -> None:
    """Do nothing but answer, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _answer(pipe, make, arguments)


def _answer(pipe: Connection, make: type, arguments: tuple[Any, ...]) -> None:
    """Answer requests until the pipe is closed."""
    server: Any = None
    with pipe, contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            name, *given = pickle.loads(pipe.recv_bytes())
            begun = time.thread_time()
            try:
                if name == REOPEN:
                    value = None
                    server = make(*given)
                else:
                    server = make(*arguments) if server is None else server
                    value = getattr(server, name)(*given)
            except Exception as error:  # raised again where the request came from
                value = error
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:  # a panic of the core, which cannot be pickled
                value = WebstrataError(f"the process that serves a part of the index failed ({error})")
            pipe.send_bytes(pickle.dumps((value, time.thread_time() - begun), protocol=5))
