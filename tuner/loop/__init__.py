"""The loop around one Spark job: before a run, after it, and the decision for the next."""
