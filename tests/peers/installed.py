"""The programs of `make peers`, where they are installed, and how tests run them."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PEERS = ROOT / ".peers" / "bin"
JWARC = "0.31.1"


def find(program: str) -> str:
    """The path of a program of the system; without it the test is skipped."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def find_peer(program: str, *modules: str) -> str:
    """The path of a program of `.peers`, whose Python has these modules; without it the test is skipped."""
    if not (PEERS / program).exists():
        pytest.skip(f".peers has no {program}; run `make peers`")
    for module in modules:
        if not _has_module(module):
            pytest.skip(f".peers has no {module}; run `make peers`")
    return str(PEERS / program)


@cache
def _has_module(module: str) -> bool:
    words = [str(PEERS / "python"), "-c", f"import {module}"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def find_npm(package: str) -> Path:
    """The folder of a package of npm, where `make peers` has unpacked it."""
    folder = ROOT / ".peers" / "npm" / package
    if not folder.exists():
        pytest.skip(f".peers has no {package} of npm; run `make peers`")
    return folder


def find_jwarc() -> str:
    """The jar from Maven, where `make peers` has put it."""
    find("java")
    jar = ROOT / ".peers" / f"jwarc-{JWARC}.jar"
    if not jar.exists():
        pytest.skip(f".peers has no jwarc {JWARC}; run `make peers`")
    return str(jar)


def run(*words: str, folder: Path | None = None, stdin: str = "", **variables: str) -> str:
    """Run a program to its end, which must be a good one; what it printed.

    Nothing but the servers of the test may be asked, whatever proxies are set around here.
    """
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        words,
        env=kept | variables,
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
        encoding="utf-8",
        input=stdin,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout
