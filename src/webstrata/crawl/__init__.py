"""The crawler: BUBING's structure, its policies in Python and its data plane in the core."""
