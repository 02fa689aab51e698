"""What plans cost: Spark's formula over cardinalities, and seconds of operators."""
