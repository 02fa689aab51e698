"""True cardinalities of a workload's joins, counted by running them, and what the cost model makes of them."""
