"""The collection: one directory for everything known about one piece of the web, one way in.

Stages hold a `Collection` or `Snapshot`, `build` parts and open them; nobody else makes a path. A part is
there whole or not at all (`parts`), one process writes at a time (`lock`), long work is split into resumable
shards (`shards`), reports its progress and can be cancelled (`progress`), and takes its settings from one
place (`settings`).
"""

from webstrata.collection.build import Build
from webstrata.collection.collection import Collection, Snapshot
from webstrata.collection.parts import Part
from webstrata.collection.progress import Progress, Task

__all__ = ["Build", "Collection", "Part", "Progress", "Snapshot", "Task"]
