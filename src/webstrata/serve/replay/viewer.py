"""A copy of ReplayWeb.page (or of wabac.js) that a user has, served as it is.

Its files are those of one folder. They are looked up in a list that is made when the server starts, so that
no path of a request is ever opened. They run scripts on the replay origin, which holds nothing private.

``/view/{collection}/{timestamp}/{url}`` is a page of ours with the element ``<replay-web-page>``. It tells
the service worker of the viewer to fetch every resource from ``/{collection}/{timestamp}id_/{url}`` (a
collection of wabac.js of the type ``live``, ``isLive`` false), so that nothing is loaded whole.
"""

from __future__ import annotations

import json
import mimetypes
import re
from html import escape
from pathlib import Path

from webstrata.errors import MissingError, UsageError
from webstrata.serve.replay.replies import Reply

POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'self'; base-uri 'self'; "
    "object-src 'none'"
)
"""The Content-Security-Policy of the viewer: it may run, and load nothing from elsewhere."""
NAME, VIEW = "viewer", "view"
"""The first part of the paths of its files, and of the pages that show a capture in it."""
SCRIPT, WORKER = "ui.js", "sw.js"
"""Files that a copy of ReplayWeb.page must have; the worker also in a folder ``replay``."""
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>html, body {{ margin: 0; height: 100%; }} replay-web-page {{ display: block; height: 100%; }}</style>
<script src="/{name}/{script}"></script>
<replay-web-page source="proxy:{prefix}" coll="{coll}" url="{url}" ts="{timestamp}" replayBase="{base}"
 embed="replayonly" config="{config}"></replay-web-page>
"""
_TIMESTAMP = re.compile(r"\d{0,14}")


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

    def show(self, collection: str, rest: str, origin: str) -> Reply:
        """The page that shows a capture in the viewer; `rest` is ``{timestamp}/{url}``, or `MissingError`.

        Examples
        --------
        >>> from webstrata import testing
        >>> folder = testing.scratch()
        >>> for name in ("ui.js", "sw.js"):
        ...     _ = (folder / name).write_text("1")
        >>> page = Viewer(folder).show("uk", "20260601/http://a.uk/?a=1&b", "http://127.0.0.1:8081")
        >>> b'url="http://a.uk/?a=1&amp;b" ts="20260601"' in page.body
        True
        """
        timestamp, slash, url = rest.partition("/")
        if not slash or not url or not _TIMESTAMP.fullmatch(timestamp):
            raise MissingError(f"{rest[:200]}: write /{VIEW}/{collection}/20260601/http://example.org/")
        bases = [base for base in ("", "replay/") if base + WORKER in self._files]
        if SCRIPT not in self._files or not bases:
            raise MissingError(
                f"the folder of the viewer has no {SCRIPT} or no {WORKER}; take those of the npm package "
                "replaywebpage"
            )
        config = {
            "type": "live",
            "isLive": False,
            "prefix": f"{origin}/",
            "archivePrefix": f"{collection}/",
            "archiveMod": "id_",
        }
        page = _PAGE.format(
            title=escape(url),
            name=NAME,
            script=SCRIPT,
            prefix=escape(f"{origin}/{collection}/"),
            coll=escape(re.sub(r"[^A-Za-z0-9-]", "-", collection)),
            url=escape(url),
            timestamp=timestamp,
            base=f"/{NAME}/{bases[0]}",
            config=escape(json.dumps(config)),
        )
        kind = ("content-type", "text/html; charset=utf-8")
        return Reply(
            200, [kind, ("content-security-policy", POLICY), ("cache-control", "no-cache")], page.encode()
        )

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
