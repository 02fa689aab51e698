"""A command a file, named as it is typed: its options, and what it asks of the core. None imports another."""
