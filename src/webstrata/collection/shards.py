"""Shards: independently computed pieces of a part, in a pool of processes, resumable.

`run` calls a function once per shard, each time with a folder to write into. A shard that is done is a folder
`.building/<part>/shards/<key>`, synced and renamed into place, so a build that was interrupted finds it and
does not do it again; shards of other settings or inputs were swept when the build began, and one whose
function or item is another now (the work was split differently) is computed anew. The result must not depend
on how the work was split: whoever merges goes through the keys in their order.

The pool's processes are spawned, take no Ctrl-C themselves (the parent tells them), end when the parent dies,
and share its lock, so that no other writer begins before they have ended. A function that spends its time in
the core needs no processes: threads share the core's tables, and begin at once.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import pickle
import queue as queues
import signal
import threading
import time
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import TYPE_CHECKING, Any, Literal, Protocol

from webstrata.collection.files import (
    crash_point,
    make_directory,
    open_writer,
    remove_tree,
    rename,
    sync_tree,
)
from webstrata.collection.progress import Progress, Task
from webstrata.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.synchronize import Event
    from pathlib import Path

    from webstrata.collection.build import Build

    _Function = Callable[[Any, Path, Task], Mapping[str, int] | None]

SEAL = "shard.json"
"""In the folder of a shard that is done; whoever takes its files away removes this one first."""


@dataclass(frozen=True)
class Shard:
    """One piece of work: its name, what to work on, and how much it counts in the progress."""

    key: str
    item: Any
    weight: int = 1


@dataclass(frozen=True)
class DoneShard:
    """A finished shard: where its files are, and what its function counted."""

    key: str
    path: Path
    counts: Mapping[str, int]


def run(
    build: Build,
    function: _Function,
    shards: Sequence[Shard],
    *,
    workers: int = 1,
    pool: Literal["processes", "threads"] | Processes = "processes",
    title: str = "shards",
    unit: str = "",
) -> list[DoneShard]:
    """Compute every shard that is not done yet, and return all of them in the order given.

    Parameters
    ----------
    build
        The build they belong to.
    function
        Called with the shard's item, an empty folder and a task to advance up to the shard's weight; what it
        counts comes back. It may run in another process when `workers` is above 1: it must be importable.
    shards
        With keys that are file names and different from each other and from those of earlier runs in this
        build, and items that can be pickled.
    workers
        How many work at a time; 1 stays in this thread.
    pool
        What the workers are; threads where the function leaves the interpreter to others most of its time,
        and `Processes` that other runs of this build have too, since each takes half a second to begin.
    title, unit
        For the progress.

    Examples
    --------
    >>> from webstrata import testing
    >>> def square(number, folder, task):
    ...     _ = (folder / "square.txt").write_text(f"{number**2} ")
    ...     return {"squares": 1}
    >>> with testing.empty().write_part("squares") as build:
    ...     done = run(build, square, [Shard(str(number), number) for number in (1, 2, 3)])
    ...     text = "".join((shard.path / "square.txt").read_text() for shard in done)
    ...     _ = (build.path / "squares.txt").write_text(text)
    >>> text
    '1 4 9 '
    """
    keys = [shard.key for shard in shards]
    if len({*keys, *build.shard_keys}) != len(keys) + len(build.shard_keys) or not all(
        key and "/" not in key and not key.startswith(".") for key in keys
    ):
        raise ValueError(f"shards: expected different file names as keys, got {keys}")
    build.shard_keys.update(keys)
    folder = make_directory(build.folder / "shards")
    missing = [shard for shard in shards if not _is_done(function, shard, folder)]
    if len(missing) < len(shards):
        build.progress.note(
            f"{build.name}: {len(shards) - len(missing)} of {len(shards)} shards were done before"
        )
    with build.progress.task(title, total=sum(shard.weight for shard in shards), unit=unit) as task:
        task.advance(sum(shard.weight for shard in shards) - sum(shard.weight for shard in missing))
        if workers == 1 or len(missing) <= 1:
            for shard in missing:
                _compute(function, shard, folder, task)
        else:
            _compute_at_once(function, missing, build, task, min(workers, len(missing)), pool)
    return [DoneShard(key, folder / key, _read_done(folder / key)["counts"]) for key in keys]


def _compute_at_once(
    function: _Function,
    shards: Sequence[Shard],
    build: Build,
    task: Task,
    workers: int,
    pool: Literal["processes", "threads"] | Processes,
) -> None:
    if pool == "threads":
        _compute_in_threads(function, shards, build, task, workers)
    elif pool == "processes":
        with Processes(build, workers) as own:
            own.compute(function, shards, task)
    else:
        pool.compute(function, shards, task)


def _work(function: _Function, shard: Shard) -> str:
    """A digest of what a shard computes; where it differs, the shard of that key is another one."""
    name = getattr(getattr(function, "func", function), "__qualname__", "")
    return hashlib.sha256(pickle.dumps((name, shard.item), protocol=5)).hexdigest()


def _is_done(function: _Function, shard: Shard, folder: Path) -> bool:
    path = folder / shard.key
    if path.is_dir() and _read_done(path).get("work") == _work(function, shard):
        return True
    remove_tree(path, first=SEAL)
    return False


def _read_done(path: Path) -> dict[str, Any]:
    try:
        done = json.loads((path / SEAL).read_text())
    except (OSError, ValueError):
        return {}
    return done if isinstance(done, dict) else {}


def _compute(function: _Function, shard: Shard, folder: Path, task: Task) -> None:
    beside = folder / f".{shard.key}"
    remove_tree(beside)
    make_directory(beside)
    before = task.done
    counts = function(shard.item, beside, task) or {}
    if (beside / SEAL).exists():
        raise ValueError(f"{shard.key}: the name {SEAL} is taken; let the function write another one")
    with open_writer(beside / SEAL) as stream:
        stream.write(json.dumps({"work": _work(function, shard), "counts": dict(counts)}).encode())
    sync_tree(beside)
    crash_point("shard.filled")
    rename(beside, folder / shard.key)
    crash_point("shard.done")
    task.advance(shard.weight - (task.done - before))


# ---- the pools


class _Counts(Protocol):
    """A queue of what was done, of a process or of a thread."""

    def put(self, done: int) -> None: ...
    def get(self) -> int: ...
    def empty(self) -> bool: ...


class _Stop(Protocol):
    """What tells workers to end."""

    def is_set(self) -> bool: ...


class _Relay(Progress):
    """The progress of a worker: counts travel to whoever waits for it, his cancellation comes back."""

    def __init__(self, queue: _Counts, stop: _Stop) -> None:
        super().__init__()
        self._queue, self._stop = queue, stop
        self._sent = 0
        self._when = 0.0

    def is_cancelled(self) -> bool:
        return self._stop.is_set()

    def changed(self, task: Task) -> None:
        now = time.monotonic()
        if now - self._when > 0.05:
            self.flush(task)
            self._when = now

    def closed(self, task: Task) -> None:
        self.flush(task)

    def flush(self, task: Task) -> None:
        if task.done != self._sent:
            self._queue.put(task.done - self._sent)
            self._sent = task.done


def _wait(running: set[Future[None]], queue: _Counts, task: Task) -> None:
    """Count what workers do until all have ended, or one fails."""
    while running:
        done, running = wait(running, timeout=0.05, return_when=FIRST_COMPLETED)
        while not queue.empty():
            task.advance(queue.get())
        for future in done:
            future.result()
        task.advance(0)
    while not queue.empty():
        task.advance(queue.get())


def _compute_in_threads(
    function: _Function, shards: Sequence[Shard], build: Build, task: Task, workers: int
) -> None:
    queue: queues.SimpleQueue[int] = queues.SimpleQueue()
    stop = threading.Event()
    folder = build.folder / "shards"

    def compute(shard: Shard) -> None:
        with _Relay(queue, stop).task(shard.key, total=shard.weight) as own:
            _compute(function, shard, folder, own)

    pool = ThreadPoolExecutor(workers)
    try:
        _wait({pool.submit(compute, shard) for shard in shards}, queue, task)
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


_queue: SimpleQueue[int]
_stop: Event
_lock: Connection
"""The parent's lock, wrapped in the one thing that carries a descriptor to a spawned process; kept open."""


def _begin_worker(queue: SimpleQueue[int], stop: Event, lock: Connection) -> None:
    global _queue, _stop, _lock
    _queue, _stop, _lock = queue, stop, lock
    begin_worker()


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back: it goes to all processes of a terminal, and those that begin now must not die of it.

    Examples
    --------
    >>> import os, signal
    >>> with interrupts_held():
    ...     signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    True
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def begin_worker() -> None:
    """Begin in a spawned process: Ctrl-C is left to the parent, and the process ends with it.

    Examples
    --------
    >>> from concurrent.futures import ProcessPoolExecutor
    >>> from multiprocessing import get_context
    >>> with ProcessPoolExecutor(1, get_context("spawn"), initializer=begin_worker) as pool:
    ...     pool.submit(len, "four").result()
    4
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait_for([sentinel])
    os._exit(1)


def _compute_in_worker(function: _Function, shard: Shard, folder: Path) -> None:
    with _Relay(_queue, _stop).task(shard.key, total=shard.weight) as task:
        _compute(function, shard, folder, task)


class Processes:
    """Processes for several runs of a build, which begin when the first one needs them; a context manager.

    Examples
    --------
    >>> from webstrata import testing
    >>> with (
    ...     testing.empty().write_part("squares") as build,
    ...     Processes(build, 2) as processes,
    ... ):
    ...     run(build, print, [], workers=2, pool=processes)
    []
    """

    def __init__(self, build: Build, workers: int) -> None:
        self._build, self._workers = build, workers
        self._pool: ProcessPoolExecutor | None = None
        context = multiprocessing.get_context("spawn")
        self._context = context
        self._queue: SimpleQueue[int] = context.SimpleQueue()
        self._stop = context.Event()
        self._lock: Connection | None = None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._queue.close()
        if self._lock is not None:
            self._lock.close()

    def compute(self, function: _Function, shards: Sequence[Shard], task: Task) -> None:
        """Compute shards, as many at a time as there are processes."""
        folder = self._build.folder / "shards"
        if self._pool is None:
            self._lock = Connection(self._build.share_lock())
            self._pool = ProcessPoolExecutor(
                self._workers,
                mp_context=self._context,
                initializer=_begin_worker,
                initargs=(self._queue, self._stop, self._lock),
            )
        try:
            with interrupts_held():
                running: set[Future[None]] = {
                    self._pool.submit(_compute_in_worker, function, shard, folder) for shard in shards
                }
            _wait(running, self._queue, task)
        except BrokenProcessPool as error:
            raise StorageError(
                f"{folder}: a worker process died (killed, or out of memory); run the command again to go on "
                "with the shards that are not done, with fewer workers if memory was short"
            ) from error
