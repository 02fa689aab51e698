"""What may be built in memory, by the properties of a run that are not its heaps."""

from __future__ import annotations

import pytest

from tests.advice.joins import GIB, facts, inner, query, side
from tuner.advice.advise import advise
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.action import Hint
from tuner.model.cluster import Cluster
from tuner.model.query import ShuffleExchange

CLUSTER = Cluster(
    cores=16, executors=4, cores_per_executor=4, executor_memory_bytes=16 * GIB, driver_memory_bytes=16 * GIB
)
CUSTOMERS = side("customers", rows=2_000_000, shuffle_bytes=120_000_000, sort_ms=3_000, leaf_bytes=10**8)
SALES = side("sales", rows=60_000_000, shuffle_bytes=3_000_000_000, sort_ms=90_000, leaf_bytes=10**10)
OFF_HEAP = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "512m"}


def job(**conf: str) -> Facts:
    """A join that gains by a hash table of either kind."""
    shuffles = tuple(
        ShuffleExchange(200, s.shuffle_bytes, (s.shuffle_bytes or 0) // 2, s.rows, 50, True) for s in (SALES, CUSTOMERS)
    )
    found = query(inner(SALES, CUSTOMERS, 60_000_000), seconds=30, shuffles=shuffles, fingerprint="q")
    return facts(found, reach=Reach.AGENT, cluster=CLUSTER, conf={"spark.driver.maxResultSize": "0", **conf})


def hints(found: Facts) -> set[str]:
    return {action.value for change in advise(found) for action in change.actions}


@pytest.mark.parametrize(
    ("conf", "expected"),
    [
        pytest.param({}, Hint.BROADCAST, id="a broadcast fits"),
        pytest.param({"spark.sql.maxBroadcastTableSize": "1g"}, Hint.BROADCAST, id="below the most a table may have"),
        pytest.param({"spark.sql.maxBroadcastTableSize": "300m"}, Hint.SHUFFLE_HASH, id="Spark would fail the query"),
        pytest.param(
            {"spark.sql.maxBroadcastTableSize": "300m", **OFF_HEAP}, None, id="nor has a task room off the heap"
        ),
        pytest.param(
            {"spark.sql.maxBroadcastTableSize": "300m", "spark.memory.offHeap.size": "512m"},
            Hint.SHUFFLE_HASH,
            id="which counts only where it is enabled",
        ),
    ],
)
def test_a_table_is_hashed_where_memory_holds_it(conf: dict[str, str], expected: Hint | None) -> None:
    assert hints(job(**conf)) == ({expected} if expected else set())
