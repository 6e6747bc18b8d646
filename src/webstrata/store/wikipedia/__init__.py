"""Dumps of Wikipedia, and of any other MediaWiki, as input."""
