"""A copy of ReplayWeb.page (or of wabac.js) that a user has, served as it is.

Its files are those of one folder. They are looked up in a list that is made when the server starts, so that
no path of a request is ever opened. They run scripts on the replay origin, which holds nothing private.
"""

from __future__ import annotations

import mimetypes
from pathlib import Path

from webstrata.errors import MissingError, UsageError
from webstrata.serve.replay.replies import Reply

POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'self'; base-uri 'self'; "
    "object-src 'none'"
)
"""The Content-Security-Policy of the viewer: it may run, and load nothing from elsewhere."""
NAME = "viewer"
"""The first part of the paths of its files."""


class Viewer:
    """The files of a folder by their paths.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "ui.js").write_text("1")
    >>> Viewer(folder).answer("ui.js").body
    b'1'
    """

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise UsageError(
                f"{folder}: no such folder; --viewer takes the folder with the files of ReplayWeb.page"
            )
        found = (path for path in folder.rglob("*") if path.is_file())
        self._files = {path.relative_to(folder).as_posix(): path for path in found}

    def answer(self, name: str) -> Reply:
        """The response for a file, or `MissingError`."""
        path = self._files.get(name or "index.html")
        if path is None:
            raise MissingError(f"the viewer has no file {name[:200]}")
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        headers = [
            ("content-type", kind),
            ("content-security-policy", POLICY),
            ("service-worker-allowed", "/"),
            ("cache-control", "no-cache"),
        ]
        return Reply(200, headers, path.read_bytes())
