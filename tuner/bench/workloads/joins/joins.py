"""The many-joins benchmark as a bench runs it."""

from __future__ import annotations

from tuner.bench.workloads.benchmark import Benchmark, Seeded
from tuner.bench.workloads.joins.catalogue import make_catalogue
from tuner.bench.workloads.joins.drawn_queries import drawn_queries, query_names

# A hundred thousand titles: minutes for all queries on two cores.
_SCALE_FACTOR = 0.1


JOINS = Benchmark("Many joins", query_names, make_catalogue, drawn_queries, Seeded.DATA, scale_factor=_SCALE_FACTOR)
