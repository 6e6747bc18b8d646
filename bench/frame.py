"""The frame of all benchmarks: ours and the peer's on the same input, round by round, one JSON line.

A figure says what both sides do; the frame prepares the input, lets the sides take turns (so that a busy
moment of the machine hits both), throws the first round away, and prints::

    {"figure": "start-help", "ours": 0.05, "theirs": 0.41, "ratio": 8.2, "unit": "s", "peer": "scrapy 2.13.0",
     "input": "sha256:…", "commit": "8ac48eb0c1d2", "spread": {"ours": [0.05, 0.06], "theirs": [0.4, 0.43]},
     "rounds": 9, "quick": true, "cpu": {"ours": 0.05, "theirs": 0.4},
     "peak": {"ours": 31457280, "theirs": 52428800}}

`ours` and `theirs` are medians, `spread` their quartiles; `cpu` are processor seconds, of all threads, and
`peak` bytes of the largest process, whatever is measured. `ratio` above 1 always means that we are ahead. A
peer that is not installed is said, never faked: `theirs` and `ratio` are null and `absent` says what to do. A
commit with changes that are not committed ends with ``+``.

A new figure is a module of this folder with a list `FIGURES` and `main(FIGURES)` at its end. Each side is a
`Program` (one process per round, with its start) or a `Call` (a function ``module:name`` in one interpreter
of its environment, without its start), and measures ``wall`` or ``cpu`` seconds, ``peak`` bytes or the
``answer`` that a call returns. An answer may be a mapping: its `value` is the figure, and the rest of the
last round is shown in the line, under `details`. This file and the modules with figures are also imported by
the peers' interpreter: what they import at the top is the standard library, the rest is imported where it is
used.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / ".bench-data"
OURS = Path(sys.executable).parent
PEERS = ROOT / ".peers" / "bin"
QUICK_SECONDS = 40.0
"""When `--quick` stops adding rounds, over all the figures of a run; the promise is 50."""


class BenchError(Exception):
    """A figure that could not be measured; the message is one sentence."""


# ---- who is compared


@dataclass(frozen=True)
class Peer:
    """Another project's program: a Python package of .peers, or a `program` found on the PATH."""

    name: str
    program: str = ""

    def find_absence(self) -> str:
        """What to do about a peer that is not there; nothing where it is."""
        if self.program:
            return (
                ""
                if shutil.which(self.program)
                else f"{self.name}: install it, so that `{self.program}` is on the PATH"
            )
        return "" if self._version() else f"{self.name}: run `make peers`"

    def __str__(self) -> str:
        return f"{self.name} {self._version()}".rstrip()

    def _version(self) -> str:
        for found in PEERS.parent.glob("lib/python*/site-packages/*.dist-info"):
            package, _, version = found.name.removesuffix(".dist-info").partition("-")
            # wheels spell a name in their own way
            if package.lower() == self.name.lower().replace("-", "_"):
                return version
        return ""


class BuiltIn(Peer):
    """What needs nothing installed: a published coding, a plain loop, ours in another way."""

    def find_absence(self) -> str:
        """It is always there."""
        return ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Program:
    """A side that is one process per round: `{input}` in an argument stands for the input's folder."""

    arguments: tuple[str, ...]
    in_input: bool = False
    """Whether it runs in the input's folder."""

    def order(self, place: Path) -> dict[str, Any]:
        """What the worker is told."""
        words = [word.replace("{input}", str(place)) for word in self.arguments]
        return {"arguments": words, "folder": str(place) if self.in_input else None}


@dataclass(frozen=True)
class Call:
    """A side that is a function ``module:name``, called with the input's folder; no interpreter start."""

    function: str
    python: Path = OURS / "python"
    arguments: tuple[Any, ...] | None = None
    """In place of the input's folder, which ``{input}`` among them stands for."""

    def order(self, place: Path) -> dict[str, Any]:
        """What the worker is told."""
        words = ["{input}"] if self.arguments is None else self.arguments
        return {"arguments": [str(place) if word == "{input}" else word for word in words]}


Side = Program | Call


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What is compared, on what, and which way is ahead."""

    name: str
    ours: Side
    theirs: Side
    peer: Peer
    prepare: Callable[[Path, bool], None] = lambda _folder, _quick: None
    """Fills an empty folder with the input, a small one where the flag says so; the same bytes each time."""

    data: str = ""
    """The name of the input, shared by figures that have the same one; the figure's own unless told."""

    varies: bool = False
    """Whether the input holds the times at which it was made, so that its bytes are others each time."""

    measure: Literal["wall", "cpu", "peak", "answer"] = "wall"
    unit: str = "s"
    better: Literal["less", "more"] = "less"
    agree: bool = False
    """Whether both calls must return the same answer, or there is no figure."""

    same: str = ""
    """What of a mapping that both calls return must be the same, or there is no figure."""

    rounds: int = 15
    quick_rounds: int = 9
    warm_up: bool = True
    """Whether the first round is thrown away; no where each round starts everything anew and takes long."""

    in_quick: bool = True
    """Whether `--quick` measures it without being asked for it by name."""


@dataclass
class Samples:
    """What one side took, round by round."""

    values: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """Processor seconds."""
    peak: int = 0
    """The largest resident size."""

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.values)

    @property
    def quartiles(self) -> list[float]:
        """A quarter of the rounds lies below the first, a quarter above the second."""
        if len(self.values) < 2:
            return [_round(self.median)] * 2
        low, _, high = statistics.quantiles(self.values, n=4, method="inclusive")
        return [_round(low), _round(high)]


# ---- measuring


class Worker:
    """A living `bench.worker`; ends with the block."""

    def __init__(self, side: Side) -> None:
        python = side.python if isinstance(side, Call) else OURS / "python"
        functions = [side.function] if isinstance(side, Call) else []
        self.side = side
        # what the caller has set stays, so that another build than the installed one can be measured
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [str(python), "-m", "bench.worker", *functions],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, place: Path) -> dict[str, Any]:
        """One round."""
        streams = self._process.stdin, self._process.stdout
        assert streams[0] is not None
        assert streams[1] is not None
        try:
            print(json.dumps(self.side.order(place)), file=streams[0], flush=True)
            answer = streams[1].readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self._process.wait()
            raise BenchError(f"{self._name}: it ended with {self._process.returncode} and no answer")
        report: dict[str, Any] = json.loads(answer)
        if "error" in report:
            raise BenchError(f"{self._name}: {report['error']}")
        return report

    @property
    def _name(self) -> str:
        return self.side.function if isinstance(self.side, Call) else self.side.arguments[0]

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        if kind is not None:
            self._process.kill()
        self._process.wait()


def measure(figure: Figure, *, quick: bool = False, seconds: float = float("inf")) -> dict[str, Any]:
    """Run a figure and return what its JSON line says.

    Parameters
    ----------
    figure
        What to run.
    quick
        On the small input, with fewer rounds.
    seconds
        After which no round is begun, once there are three.
    """
    place = find_input(figure, quick=quick)
    absent = figure.peer.find_absence()
    sides = {"ours": figure.ours} if absent else {"ours": figure.ours, "theirs": figure.theirs}
    samples = {name: Samples() for name in sides}
    details: dict[str, Any] = {}
    workers = {name: Worker(side) for name, side in sides.items()}
    started = time.monotonic()
    try:
        for number in range(figure.warm_up + (figure.quick_rounds if quick else figure.rounds)):
            if number > 3 and time.monotonic() - started > seconds:
                break
            # the side that goes first changes, since it may find other caches than the second
            names = list(sides) if number % 2 else list(reversed(sides))
            reports = {name: workers[name].run(place) for name in names}
            if figure.agree and not absent and reports["ours"]["answer"] != reports["theirs"]["answer"]:
                raise BenchError(f"{figure.name}: both sides ran, and their answers differ")
            if figure.same and len({report["answer"].get(figure.same) for report in reports.values()}) > 1:
                raise BenchError(f"{figure.name}: both sides ran, and their {figure.same} differs")
            if number or not figure.warm_up:
                for name, report in reports.items():
                    samples[name].cpu.append(report["cpu"])
                    samples[name].peak = max(samples[name].peak, report["peak"])
                    value = report[figure.measure]
                    if isinstance(value, dict):
                        details[name] = value
                        value = value.pop("value")
                    samples[name].values.append(float(value))
    finally:
        for worker in workers.values():
            worker.__exit__(*sys.exc_info())
    line = _describe(figure, samples, absent, digest_tree(place, figure.data or figure.name), quick=quick)
    return line | ({"details": details} if details else {})


def _describe(
    figure: Figure, samples: dict[str, Samples], absent: str, digest: str, *, quick: bool
) -> dict[str, Any]:
    ours = samples["ours"].median
    theirs = samples["theirs"].median if "theirs" in samples else None
    line: dict[str, Any] = {
        "figure": figure.name,
        "ours": _round(ours),
        "theirs": None if theirs is None else _round(theirs),
        "ratio": None if theirs is None else find_ratio(ours, theirs, figure.better),
        "unit": figure.unit,
        "peer": str(figure.peer) if not absent else figure.peer.name,
        "input": digest,
        "commit": find_commit(),
        "spread": {name: found.quartiles for name, found in samples.items()},
        "rounds": len(samples["ours"].values),
        "quick": quick,
        "cpu": {name: _round(statistics.median(found.cpu)) for name, found in samples.items()},
        "peak": {name: found.peak for name, found in samples.items()},
    }
    return line | ({"absent": absent} if absent else {})


def find_ratio(ours: float, theirs: float, better: Literal["less", "more"]) -> float | None:
    """How far we are ahead: above 1 when we are, and nothing where a side measured 0.

    Examples
    --------
    >>> find_ratio(0.1, 0.4, "less"), find_ratio(100.0, 50.0, "more")
    (4.0, 2.0)
    """
    above, below = (theirs, ours) if better == "less" else (ours, theirs)
    return _round(above / below) if below > 0 else None


def _round(value: float) -> float:
    return float(f"{value:.4g}")


# ---- inputs


def find_input(figure: Figure, *, quick: bool) -> Path:
    """The folder of a figure's input below .bench-data, made if it is not there yet."""
    place = DATA / ("quick" if quick else "full") / (figure.data or figure.name)
    if not place.is_dir():
        beside = place.with_name(f".{place.name}.{os.getpid()}")
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        figure.prepare(beside, quick)
        try:
            beside.rename(place)
        except OSError:  # another run was faster, with the same bytes
            shutil.rmtree(beside)
    return place


def digest_tree(folder: Path, salt: str) -> str:
    """A digest of the names and bytes of every file below `folder`; of `salt` too where there are none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"" if files else salt.encode())
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as stream:
            while piece := stream.read(1 << 22):
                digest.update(piece)
    return f"sha256:{digest.hexdigest()}"


def find_corpus() -> Path:
    """The folder of real pages that `WEBSTRATA_CORPUS` names, or `BenchError` with what to do."""
    named = os.environ.get("WEBSTRATA_CORPUS", "")
    if not named or not Path(named).is_dir():
        seen = f"is {named!r}, which is no folder" if named else "is not set"
        raise BenchError(
            f"WEBSTRATA_CORPUS {seen}; name a folder of HTML pages (documentation packages of Debian serve)"
        )
    return Path(named)


def find_commit() -> str | None:
    """The commit that is measured, with ``+`` where there are changes on top of it."""
    try:
        name = _git("rev-parse", "--short=12", "HEAD")
        return name + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


# ---- the command


def main(figures: Sequence[Figure], arguments: Sequence[str] | None = None) -> None:
    """Run figures by the command line: `[--quick] [NAME]…`; ends with 1 where one could not be measured."""
    names = [figure.name for figure in figures]
    parser = argparse.ArgumentParser(description=f"Figures: {', '.join(names)}.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures to run (default: all)")
    parser.add_argument("--quick", action="store_true", help="small inputs, under 50 seconds")
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.names if name not in names]:
        parser.error(f"{unknown[0]} is no figure; known are {', '.join(names)}")
    wanted = [
        figure
        for figure in figures
        if figure.name in chosen.names or (not chosen.names and (figure.in_quick or not chosen.quick))
    ]
    seconds = QUICK_SECONDS / max(1, len(wanted)) if chosen.quick else float("inf")
    failed = False
    for figure in wanted:
        try:
            print(json.dumps(measure(figure, quick=chosen.quick, seconds=seconds)), flush=True)
        except BenchError as error:
            failed = True
            print(f"bench: {figure.name}: {error}", file=sys.stderr)
    sys.exit(1 if failed else 0)
