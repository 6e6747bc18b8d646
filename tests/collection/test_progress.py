"""Progress goes out, cancellation and Ctrl-C come in, from Python and from the core."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from webstrata._core.collection import digest_files
from webstrata.collection import Collection, Progress, Task
from webstrata.collection.check import check_collection
from webstrata.errors import Cancelled

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 1 << 40  # sparse: no disk holds it, and no kernel reads it within a test


class Recording(Progress):
    """Writes down what the hooks are told."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[str] = []

    def opened(self, task: Task) -> None:
        self.events.append(f"opened {task.title}")

    def changed(self, task: Task) -> None:
        self.events.append(f"{task.title} {task.done}/{task.total} {task.unit}")

    def closed(self, task: Task) -> None:
        self.events.append(f"closed {task.title}")


def make_sparse_file(path: Path) -> Path:
    with path.open("wb") as stream:
        stream.truncate(SIZE)
    return path


def test_hooks_hear_of_every_step_in_order() -> None:
    progress = Recording()
    with progress.task("counting", total=3, unit="pages") as task:
        task.advance()
        task.advance(2)
    assert progress.events == [
        "opened counting",
        "counting 1/3 pages",
        "counting 3/3 pages",
        "closed counting",
    ]


def test_a_task_that_fails_is_closed_too() -> None:
    progress = Recording()
    with pytest.raises(ZeroDivisionError), progress.task("dividing"):
        _ = 1 / 0
    assert progress.events[-1] == "closed dividing"


def test_cancelling_from_another_thread_stops_a_kernel(tmp_path: Path) -> None:
    path = make_sparse_file(tmp_path / "big")
    progress = Progress()
    seen = threading.Event()

    def cancel() -> None:
        seen.wait()
        progress.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    task = progress.task("reading")

    def advance(amount: int) -> None:
        seen.set()
        task.advance(amount)

    with pytest.raises(Cancelled, match="reading was cancelled"), task:
        digest_files([path], progress=advance)
    thread.join()
    assert 0 <= task.done < SIZE


def test_whatever_the_callback_raises_stops_the_kernel_and_comes_out(tmp_path: Path) -> None:
    def refuse(_amount: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        digest_files([make_sparse_file(tmp_path / "big")], progress=refuse)


def test_a_kernel_reports_all_of_its_work_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 1_000_000)
    with Progress().task("reading") as task:
        digest_files([path, path], progress=task.advance)
    assert task.done == 2_000_000


BUILD = """
import os, sys
from pathlib import Path
from webstrata.collection import Collection, Progress

class Loud(Progress):
    def changed(self, task):
        print(task.done, flush=True)

with Collection.open(sys.argv[1]).write_part("big", progress=Loud()) as build:
    with (build.path / "zeros").open("wb") as stream:
        stream.truncate(1 << 40)
"""


@pytest.mark.parametrize("old", [False, True])
def test_ctrl_c_in_a_kernel_ends_the_build_and_leaves_no_half_part(tmp_path: Path, *, old: bool) -> None:
    collection = Collection.create(tmp_path / "uk")
    if old:
        with collection.write_part("big") as build:
            (build.path / "a").write_text("old")
    child = subprocess.Popen(
        [sys.executable, "-c", BUILD, collection.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()  # the checksums are being taken
    os.kill(child.pid, signal.SIGINT)
    _, stderr = child.communicate()
    assert child.returncode == -signal.SIGINT  # so Python ends by an uncaught KeyboardInterrupt
    assert b"KeyboardInterrupt" in stderr
    result = check_collection(collection)
    assert (result.damage, result.notes) == ([], [])
    assert len(collection.parts) == old
    assert not (collection.path / ".building" / "big").exists()
    with collection.write_part("big"):
        assert collection.parts.lock.taken_over == ""  # it ended in order
