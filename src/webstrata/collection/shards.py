"""Shards: independently computed pieces of a part, in a pool of processes, resumable.

`run` calls a function once per shard, each time with a folder to write into. A shard that is done is a folder
`.building/<part>/shards/<key>`, synced and renamed into place, so a build that was interrupted finds it and
does not do it again; shards of other settings or inputs were swept when the build began. The result must not
depend on how the work was split: whoever merges goes through the keys in their order.

The pool's processes are spawned, take no Ctrl-C themselves (the parent tells them), and end when the parent
dies.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection
from typing import TYPE_CHECKING, Any

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
    from collections.abc import Callable, Mapping, Sequence
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.synchronize import Event
    from pathlib import Path

    from webstrata.collection.parts import Build

_COUNTS = "counts.json"


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
    function: Callable[[Any, Path, Task], Mapping[str, int] | None],
    shards: Sequence[Shard],
    *,
    workers: int = 1,
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
        counts comes back. It runs in another process when `workers` is above 1, so it must be importable.
    shards
        With keys that are file names and different from each other.
    workers
        Number of processes; 1 stays in this one.
    title, unit
        For the progress.
    """
    keys = [shard.key for shard in shards]
    if len(set(keys)) != len(keys) or not all(
        key and "/" not in key and not key.startswith(".") for key in keys
    ):
        raise ValueError(f"shards: expected different file names as keys, got {keys}")
    folder = make_directory(build.folder / "shards")
    missing = [shard for shard in shards if not (folder / shard.key).is_dir()]
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
            _compute_in_pool(function, missing, folder, task, min(workers, len(missing)))
    return [DoneShard(key, folder / key, json.loads((folder / key / _COUNTS).read_text())) for key in keys]


def _compute(
    function: Callable[[Any, Path, Task], Mapping[str, int] | None], shard: Shard, folder: Path, task: Task
) -> None:
    beside = folder / f".{shard.key}"
    remove_tree(beside)
    make_directory(beside)
    before = task.done
    counts = function(shard.item, beside, task) or {}
    with open_writer(beside / _COUNTS) as stream:
        stream.write(json.dumps(dict(counts)).encode())
    sync_tree(beside)
    crash_point("shard.filled")
    rename(beside, folder / shard.key)
    crash_point("shard.done")
    task.advance(shard.weight - (task.done - before))


# ---- the pool

_queue: SimpleQueue[int]
_stop: Event


class _Relay(Progress):
    """The progress of a worker: counts travel to the parent, the parent's cancellation comes back."""

    def __init__(self) -> None:
        super().__init__()
        self._sent = 0
        self._when = 0.0

    def is_cancelled(self) -> bool:
        return _stop.is_set()

    def changed(self, task: Task) -> None:
        now = time.monotonic()
        if now - self._when > 0.05:
            self.flush(task)
            self._when = now

    def closed(self, task: Task) -> None:
        self.flush(task)

    def flush(self, task: Task) -> None:
        if task.done != self._sent:
            _queue.put(task.done - self._sent)
            self._sent = task.done


def _begin_worker(queue: SimpleQueue[int], stop: Event) -> None:
    global _queue, _stop
    _queue, _stop = queue, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


def _compute_in_worker(
    function: Callable[[Any, Path, Task], Mapping[str, int] | None], shard: Shard, folder: Path
) -> None:
    with _Relay().task(shard.key, total=shard.weight) as task:
        _compute(function, shard, folder, task)


def _compute_in_pool(
    function: Callable[[Any, Path, Task], Mapping[str, int] | None],
    shards: Sequence[Shard],
    folder: Path,
    task: Task,
    workers: int,
) -> None:
    context = multiprocessing.get_context("spawn")
    queue: SimpleQueue[int] = context.SimpleQueue()
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker, initargs=(queue, stop))
    try:
        running: set[Future[None]] = {
            pool.submit(_compute_in_worker, function, shard, folder) for shard in shards
        }
        while running:
            done, running = wait(running, timeout=0.05, return_when=FIRST_COMPLETED)
            while not queue.empty():
                task.advance(queue.get())
            for future in done:
                future.result()
            task.advance(0)
        while not queue.empty():
            task.advance(queue.get())
    except BrokenProcessPool as error:
        raise StorageError(
            f"{folder}: a worker process died (killed, or out of memory); run the command again to go on "
            "with the shards that are not done, with fewer workers if memory was short"
        ) from error
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        queue.close()
