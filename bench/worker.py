"""One side of a benchmark, alive between rounds: a program on order, or a function in one interpreter.

The frame starts it with the interpreter of the side's environment and writes one JSON line per round; the
answer is one JSON line too::

    python -m bench.worker                          {"arguments": ["webstrata", "--help"], "folder": null}
    python -m bench.worker bench.opening:open_ours  {"arguments": ["/tmp/input"]}

    {"wall": 0.05, "cpu": 0.04, "peak": 31000000, "answer": null}

Interpreter start, imports and what the module does on import are not in the times of a function: the frame
throws the first round away. A program is started by this small process and not by the frame, because Linux
counts the memory of whoever starts a program as the program's own. `peak` is the largest resident size of any
one process of the program, in bytes; sizes below that of this process (about 12 MB) do not show. Standard
library only: it must run in any environment.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def run_program(arguments: list[str], folder: str | None) -> dict[str, Any]:
    """Run a program to its end with its output thrown away, and tell what it took."""
    if folder is not None:
        os.chdir(folder)
    quiet = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    started = time.perf_counter()
    child = os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=quiet)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - started
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise RuntimeError(f"{' '.join(arguments)} ended with {code}")
    return {
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "answer": None,
    }


def run_function(function: Callable[..., Any], arguments: list[Any]) -> dict[str, Any]:
    """Call a function, and tell what the call took and returned."""
    before = time.process_time()
    started = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        answer = function(*arguments)
    wall = time.perf_counter() - started
    cpu = time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"wall": wall, "cpu": cpu, "peak": peak, "answer": answer}


def main() -> None:
    """Answer one line per line, until there are no more."""
    function: Callable[..., Any] | None = None
    if len(sys.argv) > 1:
        module, _, name = sys.argv[1].partition(":")
        function = getattr(importlib.import_module(module), name)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a side prints is not an answer
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if function is None:
                report = run_program(order["arguments"], order.get("folder"))
            else:
                report = run_function(function, order["arguments"])
        except Exception as error:
            report = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(report), file=answers, flush=True)


if __name__ == "__main__":
    main()
