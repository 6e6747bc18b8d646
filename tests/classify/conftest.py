"""One small web for all tests of the room, made once."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.classify.months import make_months
from tests.classify.web import make_web

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def made_web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection with the pages of `tests.classify.web`; to be copied, not changed."""
    return make_web(tmp_path_factory.mktemp("classify") / "uk").collection.path


@pytest.fixture(scope="module")
def snapshot(made_web: Path, tmp_path_factory: pytest.TempPathFactory) -> ws.Snapshot:
    """The snapshot of a copy of it that the tests of a module share."""
    folder = tmp_path_factory.mktemp("classify") / "uk"
    shutil.copytree(made_web, folder, symlinks=True)
    return ws.open(folder)["2026-06"]


@pytest.fixture
def fresh(made_web: Path, tmp_path: Path) -> ws.Snapshot:
    """The snapshot of a copy that one test has for itself."""
    shutil.copytree(made_web, tmp_path / "uk", symlinks=True)
    return ws.open(tmp_path / "uk")["2026-06"]


@pytest.fixture(scope="session")
def months(tmp_path_factory: pytest.TempPathFactory) -> list[ws.Snapshot]:
    """The snapshots of `tests.classify.months`, which tests read and do not change."""
    return make_months(tmp_path_factory.mktemp("months") / "uk")
