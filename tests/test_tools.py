"""What the set-up needs and does not find gets one sentence; it is run by make before anything else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "requirements" / "tools.sh"
GOOD = {
    "rustc": "echo 'rustc 1.95.0 (0000000 2026-03-21)'",
    "cargo": "echo 'cargo 1.95.0'",
    "cc": "true",
    "c++": "true",
}


def run(
    folder: Path, tools: dict[str, str], python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """The script with only these tools on the PATH, and what a shell script of its kind needs."""
    for name, body in tools.items():
        tool = folder / name
        tool.write_text(f"#!/bin/sh\n{body}\n")
        tool.chmod(0o755)
    for name in ("sh", "cut", "echo"):
        found = next(Path(place) / name for place in ("/bin", "/usr/bin") if (Path(place) / name).exists())
        (folder / name).symlink_to(found)
    environment = {"PATH": str(folder), "PYTHON": python, "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(
        ["/bin/sh", str(SCRIPT)], env=environment, capture_output=True, text=True, check=False
    )


def test_a_machine_that_has_everything_hears_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, GOOD)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rustc": None}, "Rust is not installed"),
        ({"cargo": None}, "Rust is not installed"),
        ({"rustc": "echo 'rustc 1.87.0 (0 2025-05-09)'"}, "rustc is 1.87.0, and 1.88 or later is needed"),
        ({"cc": None}, "there is no C compiler"),
        ({"c++": None}, "there is no C++ compiler"),
    ],
)
def test_a_tool_that_is_missing_or_too_old_gets_one_sentence(
    tmp_path: Path, change: dict[str, str | None], said: str
) -> None:
    tools = {name: body for name, body in (GOOD | change).items() if body is not None}
    done = run(tmp_path, tools)
    assert done.returncode == 2
    assert done.stderr.startswith(f"webstrata: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (None, "old-python is not installed"),
        ('case "$1" in -V) echo "Python 3.10.1";; *) exit 1;; esac', "old-python is Python 3.10.1"),
        ('case "$2" in *version_info*) exit 0;; *) exit 1;; esac', "old-python cannot make virtual"),
    ],
)
def test_a_python_that_will_not_do_gets_one_sentence(tmp_path: Path, body: str | None, said: str) -> None:
    tools = GOOD | ({"old-python": body} if body else {})
    done = run(tmp_path, tools, python="old-python")
    assert done.returncode == 2
    assert done.stderr.startswith(f"webstrata: {said}")
    assert done.stderr.count("\n") == 1
