"""Hosts told apart by what their pages say, who links to them, and how both move."""
