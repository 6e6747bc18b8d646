"""Files that others made become a snapshot."""
