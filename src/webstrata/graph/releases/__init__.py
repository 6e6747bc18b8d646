"""Web graph releases of Common Crawl as snapshots: hosts or domains are the nodes.

`files` finds the files of a release, `names` turns reversed names into row keys, `ranks` reads published
ranks and keeps them by node, and `ingest` makes the parts of a snapshot.
"""

from webstrata.graph.releases.files import Release, find_release
from webstrata.graph.releases.ingest import ReleaseResult, ingest_release
from webstrata.graph.releases.ranks import StoredRelease

__all__ = ["Release", "ReleaseResult", "StoredRelease", "find_release", "ingest_release"]
