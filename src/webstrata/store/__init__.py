"""Captures on disk: WARC files, their index, and the step that numbers the pages of a snapshot."""
