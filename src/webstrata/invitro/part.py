"""The truth about a snapshot that was crawled from the synthetic web."""

from __future__ import annotations

from webstrata.collection.declarations import SnapshotPart

TRUTH = SnapshotPart("truth", "Write what is true of the synthetic web.", inputs=("pages",), stage="crawl")
