"""The user's copy of ReplayWeb.page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.serve.replay.asking import ask
from tests.serve.replay.conftest import serving
from webstrata import testing
from webstrata.errors import UsageError
from webstrata.serve.replay.viewer import Viewer

if TYPE_CHECKING:
    from pathlib import Path


def test_only_files_of_the_folder_are_served(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "viewer"
    (folder / "replay").mkdir(parents=True)
    (folder / "replay" / "sw.js").write_text("1")
    with serving(testing.collection(), viewer=str(folder)) as address:
        origin = address.removesuffix("/uk")
        found = ask(f"{origin}/viewer/replay/sw.js")
        assert (found.status, found.body) == (200, b"1")
        assert "javascript" in found.headers["content-type"]
        assert found.headers["service-worker-allowed"] == "/"
        for path in ("../secret", "%2e%2e/secret", "replay", ""):
            assert ask(f"{origin}/viewer/{path}").status == 404


def test_without_a_folder_there_is_no_viewer(uk: str) -> None:
    assert ask(f"{uk.removesuffix('/uk')}/viewer/ui.js").status == 404


def test_a_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        Viewer(tmp_path / "nothing")
