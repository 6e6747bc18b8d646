"""Shards: the same bytes however the work is split, nothing done twice, nobody left behind."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.collection import Collection, Progress, Task, lock
from webstrata.collection.shards import Processes, Shard, run
from webstrata.errors import Cancelled, LockedError, StorageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def square(item: tuple[str, list[int]], folder: Path, task: Task) -> dict[str, int]:
    """Write the squares of some numbers, and leave a trace of having been called."""
    traces, numbers = item
    with (Path(traces) / f"{min(numbers)}-{max(numbers)}").open("a") as stream:
        stream.write("called\n")
    with (folder / "squares").open("w") as stream:
        for number in numbers:
            stream.write(f"{number**2}\n")
            task.advance()
    return {"numbers": len(numbers)}


def fail_at_seven(item: tuple[str, list[int]], folder: Path, task: Task) -> dict[str, int]:
    if 7 in item[1]:
        raise ValueError("seven")
    return square(item, folder, task)


fail_at_seven.__qualname__ = square.__qualname__  # the same work to whoever resumes, interrupted


def die_at_seven(item: tuple[str, list[int]], folder: Path, task: Task) -> dict[str, int]:
    if 7 in item[1]:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(item, folder, task)


def wait_for_ever(_item: object, folder: Path, task: Task) -> None:
    (folder / f"pid-{os.getpid()}").touch()
    while True:
        time.sleep(0.01)
        task.advance(0)


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create(tmp_path / "uk")


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    folder = tmp_path / "traces"
    folder.mkdir(exist_ok=True)
    return folder


def split(traces: Path, numbers: Sequence[int], cuts: Sequence[int]) -> list[Shard]:
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < len(numbers)}), len(numbers)]
    return [
        Shard(f"{n:03}", (str(traces), list(numbers[low:high])), weight=high - low)
        for n, (low, high) in enumerate(itertools.pairwise(edges))
    ]


def build_squares(
    collection: Collection,
    shards: list[Shard],
    *,
    function: object = square,
    workers: int = 1,
    pool: Literal["processes", "threads"] = "processes",
    progress: Progress | None = None,
) -> bytes:
    with collection.write_part("squares", progress=progress) as build:
        done = run(build, function, shards, workers=workers, pool=pool)  # type: ignore[arg-type]
        assert [shard.key for shard in done] == [shard.key for shard in shards]
        build.count(numbers=sum(shard.counts["numbers"] for shard in done))
        merged = b"".join((shard.path / "squares").read_bytes() for shard in done)
        (build.path / "squares").write_bytes(merged)
    return merged


@settings(max_examples=30)
@given(st.lists(st.integers(1, 19), max_size=6))
def test_any_split_gives_the_same_bytes(tmp_path: Path, cuts: list[int]) -> None:
    traces = tmp_path / "traces"
    traces.mkdir(exist_ok=True)
    path = tmp_path / "uk"
    collection = Collection.open(path) if path.exists() else Collection.create(path)
    merged = build_squares(collection, split(traces, range(20), cuts))
    assert merged == b"".join(b"%d\n" % number**2 for number in range(20))
    assert collection.parts.record("squares").counts == {"numbers": 20}


@pytest.mark.parametrize("pool", ["processes", "threads"])
def test_a_pool_gives_the_same_bytes_and_counts_all_progress(
    collection: Collection, traces: Path, pool: Literal["processes", "threads"]
) -> None:
    alone = build_squares(collection, split(traces, range(20), [5, 10, 15]))
    checksum = collection.parts.record("squares").checksum
    progress = Counting()
    shards = split(traces, range(20), [3, 9, 12])
    pooled = build_squares(collection, shards, workers=3, pool=pool, progress=progress)
    assert pooled == alone
    assert collection.parts.record("squares").checksum == checksum
    assert progress.done["shards"] == 20


class Counting(Progress):
    """Remembers how far each task came, and the notes."""

    def __init__(self) -> None:
        super().__init__()
        self.done: dict[str, int] = {}
        self.notes: list[str] = []

    def closed(self, task: Task) -> None:
        self.done[task.title] = task.done

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


def test_a_thread_that_fails_ends_the_others_and_what_was_done_is_kept(
    collection: Collection, traces: Path
) -> None:
    shards = [*split(traces, range(6), [2, 4]), *split(traces, range(6, 8), [])]
    shards[-1] = Shard("seven", shards[-1].item)
    with pytest.raises(ValueError, match="seven"):
        build_squares(collection, shards, function=fail_at_seven, workers=2, pool="threads")
    progress = Counting()
    merged = build_squares(collection, shards, progress=progress)
    assert merged == b"".join(b"%d\n" % number**2 for number in range(8))
    # the last one began when one thread was free: of the other three one may have been running still
    assert re.search("[23] of 4 shards were done before", progress.notes[0])


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_done_is_not_done_again(collection: Collection, traces: Path, workers: int) -> None:
    shards = split(traces, range(10), [2, 4, 6, 8])
    with pytest.raises(ValueError, match="seven"):
        build_squares(collection, shards, function=fail_at_seven, workers=1)
    before = {path.name for path in traces.iterdir()}
    assert before == {"0-1", "2-3", "4-5"}
    progress = Counting()
    build_squares(collection, shards, workers=workers, progress=progress)
    assert {path.name: path.read_text().count("called") for path in traces.iterdir()} == dict.fromkeys(
        ["0-1", "2-3", "4-5", "6-7", "8-9"], 1
    )
    assert progress.notes == ["squares: 3 of 5 shards were done before"]
    assert progress.done["shards"] == 10
    assert not (collection.path / ".building" / "squares").exists()


def test_a_shard_of_another_split_is_not_taken_for_done(collection: Collection, traces: Path) -> None:
    with pytest.raises(ValueError, match="seven"):
        build_squares(collection, split(traces, range(10), [6]), function=fail_at_seven)
    merged = build_squares(collection, split(traces, range(10), [3, 6]))
    assert merged == b"".join(b"%d\n" % number**2 for number in range(10))


def test_other_settings_begin_anew(collection: Collection, traces: Path) -> None:
    from webstrata.collection.settings import ResourcesSettings

    shards = split(traces, range(4), [2])
    for workers in (1, 2):
        with (
            pytest.raises(ZeroDivisionError),
            collection.write_part("squares", settings=ResourcesSettings(workers=workers)) as build,
        ):
            assert len(run(build, square, shards)) // 0
    assert (traces / "0-1").read_text().count("called") == 2


@pytest.mark.parametrize("keys", [["a", "a"], ["a/b"], [".a"], [""]])
def test_keys_that_cannot_be_folders_are_refused(collection: Collection, keys: list[str]) -> None:
    with pytest.raises(ValueError, match="different file names"), collection.write_part("squares") as build:
        run(build, square, [Shard(key, None) for key in keys])


def test_two_runs_of_a_build_do_not_share_keys(collection: Collection, traces: Path) -> None:
    shards = split(traces, range(4), [])
    with collection.write_part("squares") as build:
        run(build, square, shards)
        with pytest.raises(ValueError, match="different file names"):
            run(build, square, shards)


def name_process(_item: object, folder: Path, task: Task) -> None:
    (folder / "pid").write_text(str(os.getpid()))
    time.sleep(0.05)


def test_runs_of_a_build_can_have_the_same_processes(collection: Collection) -> None:
    with collection.write_part("pids") as build, Processes(build, 2) as processes:
        found = [
            {int((shard.path / "pid").read_text()) for shard in done}
            for name in ("a", "b")
            for done in [
                run(
                    build, name_process, [Shard(f"{name}{n}", n) for n in range(4)], workers=2, pool=processes
                )
            ]
        ]
        (build.path / "done").touch()
    assert 1 <= len(found[0] | found[1]) <= 2
    assert os.getpid() not in found[0] | found[1]
    for pid in found[0] | found[1]:
        wait_until_gone(pid)


def test_a_worker_that_is_killed_is_said_and_the_rest_is_kept(collection: Collection, traces: Path) -> None:
    shards = split(traces, range(8), [2, 4, 6])
    with pytest.raises(StorageError, match=r"a worker process died .*run the command again"):
        build_squares(collection, shards, function=die_at_seven, workers=2)
    assert build_squares(collection, shards) == b"".join(b"%d\n" % number**2 for number in range(8))


@pytest.mark.parametrize("pool", ["processes", "threads"])
def test_cancelling_stops_the_pool(collection: Collection, pool: Literal["processes", "threads"]) -> None:
    class Impatient(Progress):
        def changed(self, task: Task) -> None:
            if list(collection.path.glob(".building/squares/shards/.*/pid-*")):
                self.cancel()

    with pytest.raises(Cancelled), collection.write_part("squares", progress=Impatient()) as build:
        run(build, wait_for_ever, [Shard("a", 1), Shard("b", 2)], workers=2, pool=pool)
    assert "squares" not in collection.parts


POOL = """
import sys
from webstrata.collection import Collection
from webstrata.collection.shards import Shard, run
from tests.collection.test_shards import wait_for_ever

if __name__ == "__main__":
    with Collection.open(sys.argv[1]).write_part("squares") as build:
        run(build, wait_for_ever, [Shard("a", 1), Shard("b", 2)], workers=2)
"""


def start_pool(collection: Collection, tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A process whose two workers wait for ever; its id and theirs."""
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    root = Path(__file__).parent.parent.parent
    child = subprocess.Popen(
        [sys.executable, script, collection.path],
        env=os.environ | {"PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    workers: list[int] = []
    while len(workers) < 2:
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
        paths = collection.path.glob(".building/squares/shards/.*/pid-*")
        workers = [int(re.sub(r"\D", "", path.name)) for path in paths]
    return child, workers


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is not ours to reap; a zombie has ended."""
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.01)


def test_workers_end_with_a_killed_parent_and_keep_its_lock_until_then(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "_PATIENCE", 120.0)
    child, workers = start_pool(collection, tmp_path)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)  # so that they cannot end yet
    child.kill()
    child.wait()
    assert str(child.pid) in collection.parts.lock.holder()
    for worker in workers:
        os.kill(worker, signal.SIGCONT)
    with collection.write_part("other"):  # waits the moment that they need
        pass
    child.communicate()
    for worker in workers:
        wait_until_gone(worker)


def test_a_living_writer_is_not_waited_for(collection: Collection, tmp_path: Path) -> None:
    child, workers = start_pool(collection, tmp_path)
    with pytest.raises(LockedError, match=f"process {child.pid}"), collection.write_part("other"):
        pass
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does it: to all of them
    _, stderr = child.communicate()
    assert child.returncode == -signal.SIGINT
    assert stderr.count("Traceback") == 1, "a worker printed its own"
    for worker in workers:
        wait_until_gone(worker)
    with collection.write_part("other"):
        assert collection.parts.lock.taken_over == ""
