"""The collection: one directory for everything known about one piece of the web, one way in.

Stages hold a `Collection` or `Snapshot`, `build` parts and open them; nobody else makes a path. A part is
there whole or not at all (`parts`), one process writes at a time (`lock`), long work is split into resumable
shards (`shards`), reports its progress and can be cancelled (`progress`), and takes its settings from one
place (`settings`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.collection.build import Build as Build
    from webstrata.collection.collection import Collection as Collection
    from webstrata.collection.collection import Snapshot as Snapshot
    from webstrata.collection.parts import Part as Part
    from webstrata.collection.progress import Progress as Progress
    from webstrata.collection.progress import Task as Task

export(
    __name__,
    {
        "build": ("Build",),
        "collection": ("Collection", "Snapshot"),
        "parts": ("Part",),
        "progress": ("Progress", "Task"),
    },
)
