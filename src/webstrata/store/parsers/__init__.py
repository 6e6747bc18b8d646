"""Parsers of documents that are not HTML, by content type; see `registry`."""
