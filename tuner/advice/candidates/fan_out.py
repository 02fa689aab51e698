"""Joins that meet many more pairs of rows than they read rows: a hash relation is slow for them."""

from __future__ import annotations

from tuner.advice.candidates.cpu_share import cpu_share
from tuner.cost.priced_work import priced_seconds
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.model.join_site import JoinSite
from tuner.model.query import Query
from tuner.model.query_work import QueryWork, StageWork
from tuner.model.strategy import SHUFFLED

# A join that puts out more rows than it reads meets each hashed key many times; each match is a random access, where a
# merge join scans matches in sequence. TPC-DS 72 at SF1, 5 rows out per row in: 13 s merged, 115 s broadcast, 348 s
# hashed.
MAX_FAN_OUT = 1.5
# What a condition beside the keys drops is no row that is put out. Spark 4.3, 2M rows that each lie in one of the ranges of
# their key, processor seconds of the query: 2.5 merged, 1.2 broadcast of 3 ranges a key; 2.5 and 7.1 of 30; 3.0 and 18.8 of
# 100, 3.8 hashed by tasks; 12.3 merged of 1,000. A merge takes 5 ns for such a pair: of 200 or more a row they show in the time
# of its tasks (1,000: 7 times what its rows tell, all others 0.7 to 1.6 times); of fewer a trial tells.
_MOST_TIMES_PRICED = 3.0


def fans_out(query: Query, join: JoinSite) -> bool:
    """Whether a join puts out too many rows for each row of its larger side, or may have dropped as many pairs, or its output was
    not measured."""
    larger = max(join.left.rows or 0, join.right.rows or 0)
    return join.output_rows is None or join.output_rows > MAX_FAN_OUT * larger or may_drop_many(query, join)


def may_drop_many(query: Query, join: JoinSite) -> bool:
    """Whether its tasks took so much longer than what they did tells that a condition may have dropped many pairs of equal keys,
    or nothing tells how long. A join that hashed what was broadcast has met them so; tasks that write files have no price."""
    if not join.has_condition or join.strategy not in SHUFFLED or join.written is not None:
        return False
    if join.core_ms is None:
        return True
    stage = _stage(query, join.core_ms)
    share = stage.cpu_ms / stage.core_ms if stage and stage.cpu_ms and stage.core_ms else cpu_share(query)
    priced = priced_seconds(QueryWork((stage,))) if stage else 0.0
    return join.core_ms / 1e3 * min(1.0, share) > _MOST_TIMES_PRICED * max(priced, _priced_seconds(join))


def _stage(query: Query, core_ms: int) -> StageWork | None:
    """The stage that ran a join, with all that it did beside it; None where not one stage alone took so long."""
    found = [stage for stage in (query.work.stages if query.work else ()) if stage.core_ms == core_ms]
    return found[0] if len(found) == 1 else None


def _priced_seconds(join: JoinSite) -> float:
    """Core seconds of the tasks of a sort merge join that meets each row about once, at the shipped prices: what a job teaches
    may have these pairs in it."""
    costs, rows = DEFAULT_COSTS, sum(side.rows or 0 for side in join.sides)
    joining = rows * (costs.sort + costs.sort_insert + costs.merge) + (join.output_rows or 0) * costs.emit
    reading = sum(side.shuffle_bytes or 0 for side in join.sides) * costs.shuffle_read + (join.tasks or 0) * costs.task
    return join.runs * (joining + reading) / 1e9
