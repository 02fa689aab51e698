"""What one core takes for a row, a byte, a task: the terms that every price is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """Nanoseconds of one core per unit; the names are those of `Resource`, whose units they are per.

    `sort` is what Spark times as "sort time", `sort_insert` copying a row into the sorter, which that leaves out.
    `broadcast_build` is per row, `collect` and `broadcast` per byte, all on the driver while tasks wait; `broadcast` is
    what the driver takes to send a byte ("time to broadcast", TorrentBroadcast.writeBlocks), whatever the number of
    executors (`operator_seconds.sending_ns`). The defaults are where learning starts: medians of what Spark's own
    metrics time ("sort time", "time to build", "shuffle write time") over TPC-DS at SF1 on Spark 4.3, and of that order
    where nothing does.
    """

    scan: float = 20.0
    filter: float = 20.0
    project: float = 20.0
    aggregate: float = 200.0
    aggregate_function: float = 50.0
    group: float = 300.0
    sort: float = 210.0
    sort_insert: float = 150.0
    merge: float = 60.0
    hash_build: float = 500.0
    probe: float = 80.0
    pair: float = 10.0
    emit: float = 20.0
    window: float = 500.0
    expand: float = 50.0
    shuffle_write: float = 15.0
    shuffle_write_row: float = 100.0
    shuffle_read: float = 8.0
    shuffle_segment: float = 150_000.0
    spill: float = 30.0
    task: float = 20_000_000.0
    compile: float = 10_000_000.0
    broadcast_build: float = 1_300.0
    collect: float = 10.0
    broadcast: float = 1.6


DEFAULT_COSTS = UnitCosts()
# The factor that prices are within, either way, in 90 % of cases; where no model says how far off it is. A whole order's:
# single stages err more, those of sort merge joins at the shipped prices by up to 2.6 either way of what is usual (90 %
# of TPC-DS at SF1, tests/benchmarks/what_if_agreement.py).
PRICE_ERROR = 1.5

# What each price is per, in the order people read them.
PRICE_UNITS: dict[str, str] = {
    "scan": "value read",
    "filter": "row in",
    "project": "value computed",
    "aggregate": "row in",
    "aggregate_function": "row and function",
    "group": "value put out",
    "sort": "row",
    "sort_insert": "row",
    "merge": "row of both sides",
    "hash_build": "row",
    "probe": "row",
    "pair": "pair of rows",
    "emit": "row put out",
    "window": "row",
    "expand": "row put out",
    "shuffle_write": "byte",
    "shuffle_write_row": "row",
    "shuffle_read": "byte",
    "shuffle_segment": "block",
    "spill": "byte",
    "task": "task",
    "compile": "operator and stage",
    "broadcast_build": "row",
    "collect": "byte",
    "broadcast": "byte sent",
}
