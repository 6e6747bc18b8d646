"""What all tests share: fixed seeds, the place of third-party data, the real command."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.command import find_server
from tests.picking import record_seconds
from webstrata.collection import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).parent.parent

IS_CI = os.environ.get("CI", "") not in ("", "0", "false")

# the same examples on every machine and in every run; a shared temporary folder is meant to be shared
settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,
    database=None,
    # a person gets the first of those that CI tries, where a test does not say how many it wants
    max_examples=50 if IS_CI else 20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# what `make slow` has time for
settings.register_profile("thorough", settings.get_profile("house"), max_examples=1000)
settings.load_profile("house")


class LeftOut:
    """Counts the long tests that were left out, in processes too, and says so behind the results."""

    def __init__(self) -> None:
        self.number = 0

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.number += sum(is_left_out(item) for item in items)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if (output := getattr(session.config, "workeroutput", None)) is not None:
            output["left_out"] = self.number

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:  # noqa: ANN401 (of xdist, which has no types)
        # each process has collected all of them
        self.number = max(self.number, getattr(node, "workeroutput", {}).get("left_out", 0))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.number:
            terminalreporter.write_line(
                f"{self.number} long tests left out; `make test CI=true` or `make long` runs them"
            )


class Seconds:
    """Records how long each test file took, in the process that the reports come to, for `tests.picking`."""

    def __init__(self) -> None:
        self.by_file: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        path = report.nodeid.partition("::")[0]
        self.by_file[path] = self.by_file.get(path, 0.0) + report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        chosen = session.config.option.keyword or any("::" in word for word in session.config.args)
        # some tests of a file do not say how long all of them take
        if not chosen and not session.testsfailed and not hasattr(session.config, "workerinput"):
            record_seconds(ROOT, self.by_file)


def is_left_out(item: pytest.Item) -> bool:
    """Whether it is a long test, and no slow one, which has a target of its own."""
    return item.get_closest_marker("long") is not None and item.get_closest_marker("slow") is None


def pytest_configure(config: pytest.Config) -> None:
    # what a shell runs in its background ignores Ctrl-C, and commands that are tested would inherit that
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.markexpr.endswith("not long"):
        config.pluginmanager.register(LeftOut(), "left-out")
    config.pluginmanager.register(Seconds(), "seconds")


def pytest_sessionfinish() -> None:
    # xdist kills processes that take over 10 seconds to end, and with them the lines that they measured
    coverage = sys.modules.get("coverage")
    if coverage is not None and (measured := coverage.Coverage.current()) is not None:
        measured.save()


def pytest_collection_finish() -> None:
    # thousands of collected tests stay to the end: looking through them for garbage made each test slower
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    # the worker processes of xdist end without what is registered at exit
    if (testing := sys.modules.get("webstrata.testing")) is not None and testing._home.cache_info().currsize:
        shutil.rmtree(testing._home(), ignore_errors=True)


@pytest.fixture(scope="module", autouse=True)
def _no_leaks() -> Iterator[None]:
    """Collect garbage after each file, so that what it left open fails there and not in a later test."""
    yield
    gc.collect()


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


@pytest.fixture(autouse=True)
def _forget_parts() -> Iterator[None]:
    """Each test is a process of its own to whoever looks for damage in the parts that were opened."""
    yield
    verify._opened.clear()
    verify._compared.clear()
