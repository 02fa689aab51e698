"""The Star Schema Benchmark, from TPC-H's tables."""
