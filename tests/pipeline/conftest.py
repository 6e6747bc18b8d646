"""Collections of these tests: one that went through the whole pipeline, and one with revisit records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipeline.revisits import copy_made
from tests.serve.conftest import copied, whole

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection

__all__ = ["copied", "revisits", "whole"]


@pytest.fixture
def revisits(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Collection:
    """Three months, of which two have revisit records of the first one's payloads; to be changed."""
    return copy_made(tmp_path_factory, tmp_path)
