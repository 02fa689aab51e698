"""A decision in the form a Spark run understands: submit conf and SQL hints."""
