"""Tables on disk: sorted in little memory, merged from shards, found by node."""
