"""One writer at a time, told from the dead ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from webstrata.collection.lock import WriteLock
from webstrata.errors import LockedError, MissingError

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys
from pathlib import Path
from webstrata.collection.lock import WriteLock
with WriteLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def start_holder(folder: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_a_second_process_is_refused_with_who_writes_and_since_when(tmp_path: Path) -> None:
    child = start_holder(tmp_path)
    sentence = rf"process {child.pid} \(-c .*\) has been writing here since 2.*; wait until it is done"
    with pytest.raises(LockedError, match=sentence):
        WriteLock(tmp_path).acquire()
    assert str(child.pid) in WriteLock(tmp_path).holder()
    child.communicate()
    with WriteLock(tmp_path) as lock:
        assert lock.taken_over == ""
    assert lock.holder() == ""


def test_the_lock_of_a_killed_process_is_taken_over_and_said(tmp_path: Path) -> None:
    child = start_holder(tmp_path)
    child.kill()
    child.communicate()
    with WriteLock(tmp_path) as lock:
        assert f"took over the lock of process {child.pid} (-c" in lock.taken_over
        assert lock.taken_over.endswith("which died while writing")
    with WriteLock(tmp_path) as lock:
        assert lock.taken_over == ""


@pytest.mark.parametrize(
    "text", ['{"pid": 47', "[]", "\0\0\0", '{"pid": "x", "machine": 3}', '{"pid": 1e99}']
)
def test_a_half_written_or_foreign_text_is_taken_over_too(tmp_path: Path, text: str) -> None:
    (tmp_path / ".lock").write_text(text)
    with WriteLock(tmp_path) as lock:
        assert "took over the lock" in lock.taken_over


def test_its_holder_may_enter_it_again(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    with lock, lock:
        pass
    with pytest.raises(ValueError, match="not held"):
        lock.release()
    with WriteLock(tmp_path):
        pass


def test_another_thread_of_the_same_program_is_another_writer(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    refused: list[LockedError] = []

    def try_it() -> None:
        try:
            lock.acquire()
        except LockedError as error:
            refused.append(error)

    with lock:
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
    assert f"process {os.getpid()}" in str(refused[0])


def test_of_many_threads_one_at_a_time_writes(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    inside: list[int] = []
    most = 0

    def write() -> None:
        nonlocal most
        for _ in range(200):
            try:
                with lock:
                    inside.append(1)
                    most = max(most, len(inside))
                    inside.pop()
            except LockedError:
                pass

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_copy_keeps_the_lock_while_a_worker_lives(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    lock.acquire()
    copy = lock.share_descriptor()
    lock.release()
    with pytest.raises(LockedError):
        WriteLock(tmp_path).acquire()
    os.close(copy)
    with WriteLock(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="gone: cannot write there; check that its folder exists"):
        WriteLock(tmp_path / "gone").acquire()
    assert WriteLock(tmp_path / "gone").holder() == ""


def test_a_signal_does_not_leave_the_lock_behind(tmp_path: Path) -> None:
    child = start_holder(tmp_path)
    os.kill(child.pid, signal.SIGINT)
    child.communicate()
    with WriteLock(tmp_path) as lock:
        assert lock.taken_over == ""  # the block ended in order
