"""Features of hosts: what their pages say, who links to them, and how both change between snapshots."""
