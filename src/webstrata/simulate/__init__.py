"""Webs and crawls that do not exist."""
