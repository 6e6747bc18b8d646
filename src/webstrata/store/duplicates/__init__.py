"""Exact and near-duplicate pages of a snapshot."""
