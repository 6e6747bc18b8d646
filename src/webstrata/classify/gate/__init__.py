"""The gate of a crawl: a fast classifier of new hosts, its training and its file."""
