"""Event logs, runs and queries that a command line names, read."""
