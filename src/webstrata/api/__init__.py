"""Collection and Snapshot as users hold them: a property per part, and a method per verb of the command line.

``webstrata VERB COLLECTION SNAPSHOT --option`` is ``snapshot.verb(option=…)``, or the same of a collection.
A verb of two words (``graph stats``) is joined by ``_`` (`Snapshot.graph_stats`). The methods only
call the rooms.

Examples
--------
>>> import webstrata as ws
>>> from webstrata import testing
>>> uk = ws.create(testing.scratch() / "uk", title="United Kingdom")
>>> uk.add("2026-06")
<Snapshot 2026-06 of ...uk>
>>> [snapshot.date for snapshot in ws.open(uk.path)]
['2026-06']
"""

from webstrata.api.collection import Collection, create, open
from webstrata.api.functions import content_evaluate, content_extract, graph_check, graph_convert
from webstrata.api.snapshot import Snapshot

__all__ = [
    "Collection",
    "Snapshot",
    "content_evaluate",
    "content_extract",
    "create",
    "graph_check",
    "graph_convert",
    "open",
]
