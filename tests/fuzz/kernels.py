r"""Fuzzing of what reads bytes of strangers: `python -m tests.fuzz.kernels --seconds 300`.

The targets are the binaries of ``rust/fuzz``: libFuzzer, guided by the coverage of the core's own modules,
which the stable compiler instruments. An input that panics, takes more than a second of processor time, never
returns or makes the process large ends its target, and is saved. Inputs are kept in the tree as text, one a
line, escaped (``\xff``, ``\n``, ``\\``):

============================  ============================================================================
``seeds/<target>.txt``        examples of the format, made by hand
``corpus/<target>.txt``       of what earlier runs found and `-merge` left, some of every size
``regressions/<target>.txt``  what once failed; `rust/tests/corpus.rs` replays all three in every test run
``dictionaries/<target>.txt`` words that the format is made of
============================  ============================================================================
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.endurance.page import to_table, write_section

FOLDER = Path(__file__).parents[2] / "rust" / "fuzz"
WORK = FOLDER / "found"
TARGETS = (
    "url",
    "robots",
    "http",
    "coding",
    "html",
    "charset",
    "css",
    "sitemap",
    "filter",
    "bvgraph",
    "ef",
    "labels",
)
MAX_MEGABYTES = 512
MAX_INPUT = 1024
# seconds on the clock of an input that does not return; one that does is measured by its processor time
HANGS = 20
KEPT = 150
KINDS = ("seeds", "corpus", "regressions")
_SANCOV = ("level=4", "inline-8bit-counters", "pc-table", "trace-compares")
FLAGS = ["--cfg", "fuzzing", "-Cpasses=sancov-module"]
FLAGS += [f"-Cllvm-args=-sanitizer-coverage-{flag}" for flag in _SANCOV]


@dataclass(frozen=True)
class Outcome:
    """What came of a target."""

    target: str
    executions: int
    edges: int
    found: int
    """Inputs that reached something new."""

    peak: int
    """Largest resident size, in MiB."""

    failure: str
    """The saved input and the reason; empty if there was none."""


def build() -> Path:
    """Compile the targets with instrumentation; the folder of the binaries."""
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = str(re.findall(r"^host: (\S+)$", said, re.MULTILINE)[0])
    # with --target the flags stay away from build scripts, which no fuzzer runs
    words = ["cargo", "build", "--quiet", "--release", "--locked", "--target", host]
    environment = os.environ | {"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(FLAGS)}
    environment.pop("CARGO_TARGET_DIR", None)
    subprocess.run([*words, "--manifest-path", FOLDER / "Cargo.toml"], check=True, env=environment)
    return FOLDER / "target" / host / "release"


def read_inputs(path: Path) -> list[bytes]:
    """The inputs of a text file; none where it is not there."""
    lines = path.read_text("ascii").splitlines() if path.exists() else []
    return [unescape(line) for line in lines]


def unescape(line: str) -> bytes:
    """The bytes of a line."""
    return line.encode().decode("unicode_escape").encode("latin-1")


def escape(data: bytes) -> str:
    """Bytes as a line of ASCII."""
    names = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x5C: "\\\\"}
    return "".join(names.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in data)


def write_inputs(path: Path, inputs: list[bytes]) -> None:
    """Write inputs in an order of their own, the small ones first."""
    path.parent.mkdir(exist_ok=True)
    ordered = sorted(set(inputs), key=lambda data: (len(data), data))
    path.write_text("".join(f"{escape(data)}\n" for data in ordered), "ascii")


def unpack(target: str) -> Path:
    """The working corpus of a target: what earlier runs here found, and what is kept in the tree."""
    folder = WORK / target
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        for number, data in enumerate(read_inputs(FOLDER / kind / f"{target}.txt")):
            (folder / f"{kind}-{number}").write_bytes(data)
    return folder


def fuzz(binary: Path, seconds: float) -> Outcome:
    """Run one target for some time."""
    target = binary.name
    folder = unpack(target)
    saved = WORK / f"{target}-"
    words = [
        str(binary),
        f"-max_total_time={max(1, round(seconds))}",
        f"-timeout={HANGS}",
        f"-rss_limit_mb={MAX_MEGABYTES}",
        f"-max_len={MAX_INPUT}",
        f"-artifact_prefix={saved}",
        "-print_final_stats=1",
    ]
    dictionary = FOLDER / "dictionaries" / f"{target}.txt"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    done = subprocess.run([*words, str(folder)], check=False, capture_output=True)
    said = done.stderr.decode(errors="replace")
    (WORK / f"{target}.log").write_text(said)
    failure = ""
    if done.returncode:
        where = re.findall(r"Test unit written to (\S+)", said)
        why = re.findall(r"panicked at .*\n.*|SUMMARY: .*", said)
        failure = f"{where[-1] if where else WORK / f'{target}.log'}: {why[0] if why else done.returncode}"
    return Outcome(
        target=target,
        executions=_last(r"number_of_executed_units: (\d+)", said),
        edges=_last(r"cov: (\d+)", said),
        found=_last(r"new_units_added: +(\d+)", said),
        peak=_last(r"peak_rss_mb: +(\d+)", said),
        failure=failure,
    )


def _last(pattern: str, text: str) -> int:
    return int((re.findall(pattern, text) or ["0"])[-1])


def keep(binary: Path) -> None:
    """Put the smallest corpus that reaches as much as the working one into the tree."""
    target = binary.name
    folder, small = unpack(target), WORK / f"{target}.small"
    shutil.rmtree(small, ignore_errors=True)
    small.mkdir()
    subprocess.run([binary, "-merge=1", small, folder], check=True, capture_output=True)
    inputs = sorted((path.read_bytes() for path in small.iterdir()), key=len)
    # some of every size: a corpus is stored with the code and replayed by every test run
    kept = inputs[:: -(-len(inputs) // KEPT)]
    write_inputs(FOLDER / "corpus" / f"{target}.txt", kept)
    shutil.rmtree(small)
    print(f"{target}: {len(kept)} of {len(inputs)} inputs kept")


def to_section(outcomes: list[Outcome]) -> str:
    """What the page about trust has of it."""
    header = ("bytes", "inputs tried", "edges reached", "largest process, MiB", "what happened")
    rows = []
    for one in outcomes:
        _, _, why = one.failure.partition(": ")
        happened = " ".join(why.split()) or "no crash, no hang"
        rows.append((f"`{one.target}`", one.executions, one.edges, one.peak, happened))
    return to_table(header, rows, numbers=(1, 2, 3))


def main() -> None:
    """Fuzz all targets, or the one asked for, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=300, help="for all targets together")
    parser.add_argument("--target", choices=TARGETS, action="append", help="only this one")
    parser.add_argument("--keep", action="store_true", help="renew the corpora in the tree instead")
    parser.add_argument("--add", type=Path, help="put this input among the regressions of --target")
    parser.add_argument("--write", action="store_true", help="put the results into docs/reference/trust.md")
    chosen = parser.parse_args()
    targets = chosen.target or TARGETS
    if chosen.add:
        for target in targets if chosen.target else parser.error("--add needs --target"):
            path = FOLDER / "regressions" / f"{target}.txt"
            write_inputs(path, [*read_inputs(path), chosen.add.read_bytes()])
        return
    print("Building the fuzz targets (the first time takes some minutes)", flush=True)
    binaries = [build() / target for target in targets]
    if chosen.keep:
        for binary in binaries:
            keep(binary)
        return
    cores = len(os.sched_getaffinity(0))
    share = chosen.seconds * min(cores, len(binaries)) / len(binaries)
    begun = time.monotonic()
    with ThreadPoolExecutor(cores) as pool:
        outcomes = list(pool.map(lambda binary: fuzz(binary, share), binaries))
    print(f"{'target':<10}{'executions':>12}{'edges':>8}{'new inputs':>12}{'peak MiB':>10}")
    for one in outcomes:
        print(f"{one.target:<10}{one.executions:>12,}{one.edges:>8,}{one.found:>12,}{one.peak:>10,}")
    total = sum(one.executions for one in outcomes)
    print(f"{total:,} executions in {time.monotonic() - begun:.0f} s")
    if chosen.write:
        write_section("fuzz", to_section(outcomes))
    failures = [one for one in outcomes if one.failure]
    for one in failures:
        print(f"{one.target} failed, {one.failure}")
    if failures:
        sys.exit("mend it, then keep the input: python -m tests.fuzz.kernels --target NAME --add FILE")
    print(f"No crash, no hang, and no process above {MAX_MEGABYTES} MiB.")


if __name__ == "__main__":
    main()
