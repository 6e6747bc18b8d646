"""Folders that are made once in a run of the tests, whichever of its processes is the first to ask."""

from __future__ import annotations

import fcntl
import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def make_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder `name` of this run, filled by the first who asks; others wait for it and do not change it.

    Examples
    --------
    >>> factory = getfixture("tmp_path_factory")
    >>> for _ in range(2):
    ...     place = make_once(factory, "sample", lambda place: (place / "a").write_text(print("made") or ""))
    made
    >>> [path.name for path in place.iterdir()]
    ['a']
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each process has a folder in that of the run
    place, done = base / f"once-{name}", base / f"once-{name}.done"
    with (base / f"once-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            # what somebody else began failed there, and fails here with its reason
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            make(place)
            done.touch()
    return place
