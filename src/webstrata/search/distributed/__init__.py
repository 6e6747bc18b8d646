"""The text index divided among servers: partitions, brokers, and how the divisions compare."""
