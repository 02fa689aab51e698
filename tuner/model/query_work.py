"""What a query did, stage by stage, and on the driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.model.strategy import BuildSide as BuildSide
from tuner.model.strategy import JoinType as JoinType
from tuner.model.strategy import Strategy as Strategy


@dataclass(frozen=True, slots=True)
class StageWork:
    """What one attempt of a stage did. `core_ms` and `cpu_ms` sum its tasks' run and CPU times; `amounts` are by `Resource`."""

    stage_id: int
    tasks: int
    core_ms: int
    amounts: Mapping[str, float]
    cpu_ms: int = 0


@dataclass(frozen=True, slots=True)
class BroadcastWork:
    """One relation broadcast: what the driver collected, hashed and sent, and the milliseconds of each step.

    `collect_ms` has what computed the rows in it. `readers` are the operators that take it, dynamic pruning's too.
    """

    rows: int
    bytes: int
    collect_ms: int
    build_ms: int
    broadcast_ms: int
    readers: int = 1


@dataclass(frozen=True, slots=True)
class SortWork:
    """What Spark itself timed of all sorts of a query."""

    rows: int
    sort_ms: int


@dataclass(frozen=True, slots=True)
class WorkInBrief:
    """What a query's work comes to: seconds at fixed prices, and milliseconds that the driver built and sent broadcasts.

    `stages` are core milliseconds of its longer stages by a digest of what they did (empty: stored by a version that did not
    tell).
    """

    priced_seconds: float
    broadcast_ms: int
    stages: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryWork:
    """What a query did, stage by stage, and on the driver."""

    stages: tuple[StageWork, ...]
    broadcasts: tuple[BroadcastWork, ...] = ()
    sorts: SortWork = SortWork(0, 0)
