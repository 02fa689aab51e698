"""Joins, queries and facts as a log measured them, with as little said of each as a test needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.cluster import Cluster
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import AggregateSite, Query, QueryStatus, ShuffleExchange
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.plan.joins import signature

GIB = 1 << 30
CLUSTER = Cluster(
    cores=2, executors=1, cores_per_executor=2, executor_memory_bytes=2 * GIB, driver_memory_bytes=2 * GIB
)
_ids = count()


def side(
    *relations: str,
    rows: int | None = None,
    shuffle_bytes: int | None = None,
    estimated_bytes: int | None = None,
    file_bytes: int | None = None,
    broadcast_bytes: int | None = None,
    sort_ms: int | None = None,
    leaf_bytes: int | None = None,
) -> JoinSide:
    return JoinSide(
        relations=tuple(sorted(relations)),
        rows=rows,
        bytes=shuffle_bytes,
        shuffle_bytes=shuffle_bytes,
        broadcast_bytes=broadcast_bytes,
        file_bytes=file_bytes,
        estimated_bytes=estimated_bytes,
        sort_ms=sort_ms,
        leaf_bytes=leaf_bytes,
    )


def inner(
    left: JoinSide,
    right: JoinSide,
    output_rows: int | None = None,
    *,
    type_: JoinType = JoinType.INNER,
    strategy: Strategy = Strategy.SORT_MERGE,
    keys: tuple[tuple[str, str], ...] | None = None,
    occurrence: int = 0,
) -> JoinSite:
    """A join on `k`; where nothing else is said, each row of the larger side finds one partner."""
    if keys is None:
        keys = ((f"{left.relations[0]}.k", f"{right.relations[0]}.k"),)
    larger = max(left.rows or 0, right.rows or 0)
    return JoinSite(
        signature=signature(type_, left.relations, right.relations, keys),
        occurrence=occurrence,
        type=type_,
        strategy=strategy,
        build_side=None,
        keys=keys,
        left=left,
        right=right,
        output_rows=larger if output_rows is None else output_rows,
        planned_strategy=strategy,
    )


def broadcast_by_aqe(
    probe: JoinSide,
    build: JoinSide,
    planned: Strategy = Strategy.SORT_MERGE,
    built: BuildSide = BuildSide.RIGHT,
    type: JoinType = JoinType.INNER,
) -> JoinSite:
    """A join that was planned otherwise, and that AQE made a broadcast of `build`, which stands right."""
    join = inner(probe, build, strategy=Strategy.BROADCAST_HASH)
    return replace(join, planned_strategy=planned, build_side=built, type=type)


def query(
    *joins: JoinSite,
    seconds: float = 20.0,
    fingerprint: str = "",
    status: QueryStatus = QueryStatus.SUCCEEDED,
    shuffles: tuple[ShuffleExchange, ...] = (),
    spilled_bytes: int = 0,
    description: str = "",
) -> Query:
    id_ = next(_ids)
    return Query(
        id=id_,
        root_id=id_,
        fingerprint=fingerprint or f"q{id_}",
        description=description,
        start_ms=0,
        duration_ms=int(seconds * 1000),
        status=status,
        joins=joins,
        shuffles=shuffles,
        input_bytes=10**9,
        spilled_bytes=spilled_bytes,
    )


def facts(
    *queries: Query,
    conf: Mapping[str, str] | None = None,
    per_join: bool = False,
    reach: Reach | None = None,
    cluster: Cluster = CLUSTER,
    version: str = "4.0.1",
) -> Facts:
    """`per_join`: hints in SQL text."""
    reached = reach or (Reach.TEXT if per_join else Reach.CONF)
    return Facts(tuple(queries), cluster, conf or {}, reached, version)


def query_25() -> Query:
    """TPC-DS 25 at SF1: the side before the last join is small, and Spark's estimate of it is over 10 MB."""
    small = side(
        "store_sales", "store_returns", rows=198_263, shuffle_bytes=14_274_936, estimated_bytes=14_889_779, sort_ms=90
    )
    large = side("catalog_sales", rows=1_430_861, shuffle_bytes=57_234_440, estimated_bytes=126_000_000, sort_ms=1_400)
    keys = (("store_returns.customer", "catalog_sales.customer"), ("store_returns.item", "catalog_sales.item"))
    return query(inner(small, large, 199, keys=keys), seconds=7.0, fingerprint="q25")


def query_72() -> Query:
    """TPC-DS 72 at SF1: five rows out per row in; 18 s merged, 162 s broadcast."""
    sales = side("catalog_sales", rows=1_427_694, shuffle_bytes=102_793_968, estimated_bytes=28_100_000, sort_ms=1_500)
    inventory = side("inventory", rows=11_158_087, shuffle_bytes=446_323_480, estimated_bytes=90_000_000, sort_ms=6_000)
    return query(inner(sales, inventory, 55_873_561), seconds=18.0, fingerprint="q72")


def aggregate(
    operator: str = "HashAggregate",
    *,
    rows: int,
    groups: int,
    shuffle_bytes: int,
    partial: bool = False,
    tasks: int = 4,
    fallback_tasks: int | None = 0,
    spilled: int = 0,
    seconds: float = 30.0,
) -> AggregateSite:
    """An aggregate by some keys, half of an aggregation around a shuffle."""
    return AggregateSite(
        signature="a1",
        operator=operator,
        partial=partial,
        grouped=True,
        input_rows=rows,
        output_rows=groups,
        shuffle_bytes=shuffle_bytes,
        tasks=tasks,
        fallback_tasks=fallback_tasks,
        spilled_bytes=spilled,
        seconds=seconds,
    )
