"""Pages found by their words, and by what changed about them when."""
