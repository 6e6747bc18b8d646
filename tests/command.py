"""The command line in processes that need not start from nothing.

A server that has loaded the whole package forks for each command: a process of its own as with `webstrata`
typed, with its folder, environment, output and exit code, but without the tenth of a second and more that
loading takes. Nothing runs in the server itself, so that there are no threads that a fork would lose.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

LOADED = ("pyarrow.parquet", "pyarrow.compute", "rich.console", "webstrata.api", "webstrata.store.step")


class CommandServer:
    """Runs commands, one at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.command"],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, words: list[str], folder: Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            places = [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (out, err)]
            request = {"words": words, "folder": str(folder), "environment": environment, "places": places}
            print(json.dumps(request), file=self._process.stdin, flush=True)
            code = int(self._process.stdout.readline())
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
        return subprocess.CompletedProcess(["webstrata", *words], code, *texts)


@cache
def find_server() -> CommandServer:
    """The server of this process of tests; it ends with it."""
    return CommandServer()


def _serve() -> None:
    from webstrata import cli

    for name in LOADED:
        importlib.import_module(name)
    for verb in cli.VERBS:
        importlib.import_module(f"webstrata.cli.{verb.replace('-', '_')}")
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            _become(request)
            cli.main(request["words"])  # raises SystemExit, which ends this process as it would any other
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def _become(request: dict[str, Any]) -> None:
    """Take over what the command was given."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["webstrata", *request["words"]]
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for number, place in enumerate(request["places"], start=1):
        os.dup2(os.open(place, os.O_WRONLY), number)


if __name__ == "__main__":
    _serve()
