"""WACZ packages as others made them: opened with limits, verified, and what they list kept in a snapshot."""
