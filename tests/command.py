"""The command line in processes that need not start from nothing.

A server that has loaded the whole package forks for each command: a process of its own as with `webstrata`
typed, with its folder, environment, output and exit code, but without the tenths of a second that loading
takes. Nothing runs in the server itself, so that there are no threads that a fork would lose.

It is asked over a socket, also by a `webstrata` in the socket's folder, which shells find when the folder is
first on their PATH: a program of some lines that passes on what it was given, and the signals that it gets.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import marshal
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import NoReturn

LOADED = ("pyarrow.parquet", "pyarrow.compute", "rich.console", "webstrata.api", "webstrata.store.build")
SOCKET = "socket"
# without site and the like, Python starts in a hundredth of a second
TYPED = """#!{python} -IS
import marshal, os, signal, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect({path!r})
request = marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environ)))
socket.send_fds(link, [len(request).to_bytes(4, "little")], [0, 1, 2])
link.sendall(request)
process = int.from_bytes(link.recv(4), "little")
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: os.kill(process, number))
code = int.from_bytes(link.recv(4), "little", signed=True)
if -code in (signal.SIGINT, signal.SIGTERM):
    signal.signal(-code, signal.SIG_DFL)
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


class CommandServer:
    """Runs commands; it ends with the process that began it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="webstrata-"))
        """That of the `webstrata` that can be typed; the server removes it."""
        path = str(self.folder / SOCKET)
        typed = self.folder / "webstrata"
        typed.write_text(TYPED.format(python=sys.executable, path=path))
        typed.chmod(0o700)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.command", path],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def run(
        self, words: list[str], folder: Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            Path(os.devnull).open() as nothing,
            socket.socket(socket.AF_UNIX) as link,
        ):
            link.connect(str(self.folder / SOCKET))
            request = marshal.dumps((words, str(folder), environment))
            files = [nothing.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(link, [len(request).to_bytes(4, "little")], files)
            link.sendall(request)
            _receive(link, 4)
            code = int.from_bytes(_receive(link, 4), "little", signed=True)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
        return subprocess.CompletedProcess(["webstrata", *words], code, *texts)


@cache
def find_server() -> CommandServer:
    """The server of this process of tests."""
    return CommandServer()


def _receive(link: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = link.recv(size - len(data))
        if not more:
            raise ConnectionError("the server of commands has ended")
        data += more
    return data


def _serve(path: str) -> None:
    from webstrata import cli
    from webstrata.cli import output

    # examples show what is printed when the machine is not busy with other things
    output.PROGRESS_INTERVAL = 3600.0
    for name in LOADED:
        importlib.import_module(name)
    for verb in cli.VERBS:
        importlib.import_module(f"webstrata.cli.{cli.module_of(verb)}")
    with socket.socket(socket.AF_UNIX) as listening, selectors.DefaultSelector() as selector:
        gc.freeze()  # or every command would copy all of it when it looks for what is not needed
        listening.bind(path)
        listening.listen()
        print("ready", flush=True)
        selector.register(listening, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    return  # whoever began it is gone
                if key.data is None:
                    process, link = _begin(listening)
                    ended = os.pidfd_open(process)
                    selector.register(ended, selectors.EVENT_READ, (process, link))
                else:
                    process, link = key.data
                    _, status = os.waitpid(process, 0)
                    selector.unregister(key.fileobj)
                    os.close(key.fd)
                    with link:
                        code = os.waitstatus_to_exitcode(status)
                        link.sendall(code.to_bytes(4, "little", signed=True))


def _begin(listening: socket.socket) -> tuple[int, socket.socket]:
    """Start the command that the next one wants."""
    link, _ = listening.accept()
    size, files, _, _ = socket.recv_fds(link, 4, 3)
    words, folder, environment = marshal.loads(_receive(link, int.from_bytes(size, "little")))
    process = os.fork()
    if process == 0:
        listening.close()
        link.close()
        _become(words, folder, environment, files)
    for file in files:
        os.close(file)
    link.sendall(process.to_bytes(4, "little"))
    return process, link


def _become(words: list[str], folder: str, environment: dict[str, str], files: list[int]) -> NoReturn:
    """Take over what the command was given, and be it."""
    from webstrata import cli
    from webstrata.collection import verify

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["webstrata", *words]
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    # the old ones know of the old files whether one can seek there
    sys.stdin, sys.stdout = (os.fdopen(number, mode, encoding="utf-8") for number, mode in enumerate("rw"))
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    if "WEBSTRATA_TEST_SMALL" in environment:
        verify.SMALL = int(environment["WEBSTRATA_TEST_SMALL"])
    try:
        cli.main(words)
    except SystemExit as end:
        if trace := environment.get("WEBSTRATA_TEST_TRACE"):
            Path(trace).write_text(" ".join(sorted(record.name for record in verify._opened.values())))
        _end(int(end.code or 0))
    raise AssertionError("a command ends with SystemExit")


def _end(code: int) -> NoReturn:
    """End as Python does, but without taking down all that was loaded, a tenth of a second for nothing."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    # as in a shell, whatever the tests were started by: a process in the background of some is deaf to Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main = os.getpid()
    try:
        _serve(sys.argv[1])
    finally:
        if os.getpid() == main:
            shutil.rmtree(Path(sys.argv[1]).parent, ignore_errors=True)
