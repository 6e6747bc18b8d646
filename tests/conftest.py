"""What all tests share: fixed seeds, the place of third-party data, the real command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.command import find_server

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent

# the same examples on every machine and in every run; a shared temporary folder is meant to be shared
settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# what `make slow` has time for, where a test does not say how many it wants
settings.register_profile("thorough", settings.get_profile("house"), max_examples=1000)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings and fault plans of whoever runs the tests out of them."""
    for name in list(os.environ):
        if name.startswith("WEBSTRATA_") and name not in ("WEBSTRATA_TEST_DATA", "WEBSTRATA_CORPUS"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of third-party data: `WEBSTRATA_TEST_DATA`, or `../shared/data` beside the project."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there; name the folder of third-party data in WEBSTRATA_TEST_DATA")
    return folder


@pytest.fixture
def webstrata(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The real command, run in the test's own folder: ``webstrata("show", "uk", faults="no-space")``."""

    def run(*words: str, faults: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | variables | {"WEBSTRATA_FAULTS": faults}
        if all(name.startswith("WEBSTRATA_") for name in variables):
            return find_server().run(list(words), tmp_path, environment)
        # Python itself looks at others when it starts
        return subprocess.run(
            [command_path(), *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


def command_path() -> str:
    """The `webstrata` beside this Python."""
    return str(Path(sys.executable).with_name("webstrata"))
