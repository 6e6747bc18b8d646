"""Which command makes a part that is not there, for sentences that tell what to do.

A part that is there knows by which command it was made. Of one that is not, only its name is known.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_CRAWL = "webstrata crawl {collection} {snapshot} --seeds seeds.txt"
_STORE = "webstrata store {collection} {snapshot}"
MAKERS = {
    "warc": _CRAWL,
    "index": _CRAWL,
    "pages": _CRAWL,
    "urls": _CRAWL,
    "text": _STORE,
    "links": _STORE,
    "anchors": _STORE,
    "graph": "webstrata graph build {collection} {snapshot}",
    "summaries": "webstrata summaries build {collection} {snapshot}",
    "truth": "webstrata invitro truth {collection} {snapshot}",
}
"""Parts of snapshots, and the commands that make them by default settings."""


def tell_maker(folder: Path, name: str) -> str:
    """What to do about a part that a collection or a snapshot, whose folder it is, does not have.

    Examples
    --------
    >>> from pathlib import Path
    >>> tell_maker(Path("uk/snapshots/2026-06"), "graph")
    '`webstrata graph build uk 2026-06` makes it'
    >>> tell_maker(Path("uk"), "notes")
    'build it first'
    """
    if name not in MAKERS or folder.parent.name != "snapshots":
        return "build it first"
    place = shlex.quote(str(folder.parent.parent))
    return f"`{MAKERS[name].format(collection=place, snapshot=folder.name)}` makes it"
