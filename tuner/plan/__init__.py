"""Plans as measured: PlanNode trees, relations, join sites, signatures and fingerprints."""
