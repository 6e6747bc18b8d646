"""A process that dies on order: it forks a child per step, and the child builds under a plan of faults.

Run as a program, it reads one JSON object per line, ``{"collection", "verb", "part", "token", "plan",
"kill_after"}``, lets a child carry it out, and answers with how the child ended, ``{"status", "said"}``: a
status below 0 is the number of the signal that killed it. Forking saves the 60 ms that importing costs, so a
property test can afford thousands of real deaths.

What a build writes is a function of its token (`content`), so that a reader can tell whether it sees all of
one build, or a mixture.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from webstrata._core.collection import set_faults
from webstrata.collection import Collection, Progress
from webstrata.collection.files import open_writer
from webstrata.collection.shards import Shard, run
from webstrata.errors import WebstrataError

if TYPE_CHECKING:
    from webstrata.collection import Task


def content(token: int) -> dict[str, bytes]:
    """Names and contents of the files of the part that a token stands for; one of them comes from shards."""
    files = {f"file-{n}": f"{token} {n}\n".encode() * (token % 50) for n in range(1 + token % 3)}
    return files | {"deep/merged": b"".join(_shard_content(token, n) for n in range(2))}


def _shard_content(token: int, number: int) -> bytes:
    return f"{token} shard {number}\n".encode()


def compute_shard(item: tuple[int, int], folder: Path, _task: Task) -> dict[str, int]:
    """One of the two shards of a build."""
    with open_writer(folder / "piece") as stream:
        stream.write(_shard_content(*item))
    return {"pieces": 1}


class _Saying(Progress):
    """Collects the notes of a build for the parent."""

    def note(self, sentence: str) -> None:
        sys.stdout.write(sentence + "\n")


def carry_out(order: dict[str, Any]) -> None:
    """Do what one line orders, in this process."""
    path = Path(order["collection"])
    if order["verb"] == "create":
        Collection.create(path).add("2026-06")
        return
    snapshot = Collection.open(path)["2026-06"]
    if order["verb"] == "remove":
        snapshot.parts.remove(order["part"])
        return
    token = order["token"]
    with snapshot.write_part(order["part"], progress=_Saying()) as build:
        shards = run(build, compute_shard, [Shard(str(n), (token, n)) for n in range(2)])
        merged = b"".join((shard.path / "piece").read_bytes() for shard in shards)
        for name, data in (content(token) | {"deep/merged": merged}).items():
            (build.path / name).parent.mkdir(exist_ok=True)
            with open_writer(build.path / name) as stream:
                stream.write(data)
        build.count(token=token)


def _child(order: dict[str, Any], output: int) -> None:
    os.dup2(output, 1)
    status = 0
    try:
        set_faults(order.get("plan", ""))
        carry_out(order)
    except WebstrataError as error:
        sys.stdout.write(str(error) + "\n")
        status = error.exit_code
    except BaseException:
        sys.stdout.write(f"bug: {traceback.format_exc()}\n")
        status = 99
    sys.stdout.flush()
    os._exit(status)


def _serve() -> None:
    gc.freeze()  # or every child would copy all of it when it looks for what is not needed
    for line in sys.stdin:
        order = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _child(order, writing)
        os.close(writing)
        if order.get("kill_after") is not None:
            time.sleep(order["kill_after"])
            os.kill(child, signal.SIGKILL)
        with os.fdopen(reading) as stream:
            said = stream.read()
        _, status = os.waitpid(child, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status), "said": said}), flush=True)


class Driver:
    """The parent's end: starts the process, hands it orders."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def order(self, collection: Path, verb: str = "build", **words: object) -> tuple[int, str]:
        """Let a child carry out one step; return how it ended and what it said."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"collection": str(collection), "verb": verb} | words) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert answer["status"] != 99, answer["said"]
        return answer["status"], answer["said"]


if __name__ == "__main__":
    _serve()
