"""Paired executions on real Spark, steered beside unsteered, over jobs made to break a promise: what gets worse, how often."""
