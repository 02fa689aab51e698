"""What a cohort's runs have shown of changes to one query's joins: what it can lend to jobs that run the same query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from tuner.model.agent_message import QueryDirectives
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange

# What was shown longer ago was shown of other data, and is lent no more: a job of once a month still counts.
MOST_AGE = timedelta(days=35)


@dataclass(frozen=True, slots=True)
class Proof:
    """`query` is its fingerprint. `changes` are those that the cohort's next run would have as proven, together, and
    `directives` what its agent would be told of them, for the values and sizes that they were measured with; () and None where
    it has nothing to lend. They gained `gained_seconds` in the latest run that measured them, of `runs` that had them; `told_at`
    is when that ended.

    `taken_out` are the ids of changes that lost there, failed or were refused by a person. `spark_version` and `cluster` are
    those of the latest run.
    """

    cohort: str
    query: str
    told_at: datetime
    spark_version: str
    cluster: Cluster
    changes: tuple[DecidedChange, ...] = ()
    directives: QueryDirectives | None = None
    gained_seconds: float = 0.0
    runs: int = 0
    taken_out: tuple[str, ...] = ()
