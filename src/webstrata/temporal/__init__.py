"""Several snapshots in one graph, with the snapshots of every node and arc."""
