"""What advisors look at: the queries of one run, the cluster and the conf it had."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.cost.memory import DEFAULT_MEMORY_FRACTION, BroadcastCap, broadcast_cap
from tuner.cost.operators import calibrate
from tuner.cost.unit_costs import DEFAULT_COSTS, UnitCosts
from tuner.eventlog.cluster import Cluster
from tuner.plan.model import Query, QueryStatus
from tuner.units import parse_bytes

_VERSION = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Facts:
    """One run as advisors see it. `per_join` says whether a hint can reach a single join (SQL text at hand).

    `prices` are what the history bears out of operator times.
    """

    queries: tuple[Query, ...]
    cluster: Cluster
    conf: Mapping[str, str] = field(default_factory=dict)
    per_join: bool = False
    spark_version: str = ""
    prices: UnitCosts = DEFAULT_COSTS

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor version of Spark; (0, 0) where unknown."""
        match = _VERSION.match(self.spark_version)
        return (int(match[1]), int(match[2])) if match else (0, 0)

    @property
    def costs(self) -> UnitCosts:
        return calibrate(self.queries, self.prices)

    @property
    def cap(self) -> BroadcastCap:
        return broadcast_cap(
            self.cluster.driver_memory_bytes,
            self.cluster.executor_memory_bytes,
            _share(self.conf.get("spark.memory.fraction"), DEFAULT_MEMORY_FRACTION),
        )

    @property
    def succeeded(self) -> tuple[Query, ...]:
        """The queries whose measurements are whole."""
        return tuple(q for q in self.queries if is_whole(q))

    def bytes_of(self, key: str, default: int) -> int:
        """A size property in bytes; the default where it is unset or unreadable."""
        value = parse_bytes(self.conf[key]) if key in self.conf else None
        return default if value is None else value

    def flag(self, key: str, default: bool) -> bool:
        return self.conf.get(key, str(default)).strip().lower() == "true"


def is_whole(query: Query) -> bool:
    """Whether a query came to its end, so that its rows and times are all there."""
    return query.status is QueryStatus.SUCCEEDED and query.duration_ms is not None


def _share(text: str | None, default: float) -> float:
    """A share between 0 and 1; the default where it is unset or unreadable."""
    try:
        share = float(text or default)
    except ValueError:
        return default
    return share if 0 < share <= 1 else default
