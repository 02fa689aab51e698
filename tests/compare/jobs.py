"""Runs of one job, with as much measured of their queries as a test needs. A core second of work is one of a processor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, QueryStatus
from tuner.model.query_work import QueryWork, StageWork
from tuner.model.run import Outcome, Run, RunState
from tuner.model.strategy import BuildSide, JoinType, Strategy

FIRST = datetime(2026, 11, 1, 2, tzinfo=UTC)
GB = 10**9
CORES = 8
_VALUES_PER_SECOND = 1e9 / 20


def execution(
    fingerprint: str = "q1",
    work: float = 400.0,
    *,
    seconds: float | None = None,
    cpu: float | None = None,
    tasks: float | None = None,
    measured: bool = True,
    status: QueryStatus = QueryStatus.SUCCEEDED,
    **known: Any,
) -> Query:
    """`work` core seconds; processors, tasks and the clock take what these take on CORES cores, unless told otherwise."""
    cpu = work if cpu is None else cpu
    tasks = cpu if tasks is None else tasks
    seconds = tasks / CORES if seconds is None else seconds
    stage = StageWork(0, 8, int(tasks * 1000), {"scan": work * _VALUES_PER_SECOND}, int(cpu * 1000))
    facts = {"id": 0, "root_id": 0, "description": f"query of {fingerprint}", "start_ms": 0, "input_bytes": GB} | known
    return Query(
        fingerprint=fingerprint,
        duration_ms=int(seconds * 1000),
        status=status,
        executor_run_ms=int(tasks * 1000),
        executor_cpu_ms=int(cpu * 1000),
        work=QueryWork((stage,)) if measured else None,
        **facts,
    )


def join(
    strategy: Strategy = Strategy.SORT_MERGE,
    rows: int = 1_000_000,
    signature: str = "days=sales",
    build_side: BuildSide | None = None,
    planned: Strategy | None = None,
) -> JoinSite:
    sides = JoinSide(("shop.sales",), 5_000_000, 5 * GB), JoinSide(("shop.days",), 366, 20_000)
    return JoinSite(signature, 0, JoinType.INNER, strategy, build_side, (), *sides, rows, planned)


def others(count: int = 5, slower: float = 1.0) -> list[Query]:
    """Queries that do the same work in every run; `slower` is how many times as long processors take for it."""
    return [execution(f"other{number}", 80.0, cpu=80.0 * slower) for number in range(count)]


def run(
    night: int,
    *queries: Query,
    changes: Sequence[Change] = (),
    conf: dict[str, str] | None = None,
    version: str = "4.0.1",
    cores: int = CORES,
    outside: float | None = 10.0,
    state: RunState = RunState.SUCCEEDED,
    cohort: str = "etl.load",
) -> Run:
    """Its queries run one after the other; `outside` are the seconds besides (None: its log does not tell its end)."""
    started = FIRST + timedelta(days=night)
    at, placed = 1_000_000, []
    for number, query in enumerate(queries):
        placed.append(replace(query, id=number, root_id=number, start_ms=at))
        at += query.duration_ms or 0
    took = None if outside is None else at - 1_000_000 + int(outside * 1000)
    outcome = Outcome(f"app-{night}", version, took, Cluster(cores, 2, cores // 2), tuple(placed), conf or {})
    decided = tuple(DecidedChange(change, Standing.PROMOTED, change.reason) for change in changes)
    return Run(
        key=f"etl/{night}/load/-1/1",
        cohort=cohort,
        try_number=1,
        started_at=started,
        state=state,
        decision=Decision(Mode.AUTO, decided),
        event_log_dir="",
        ended_at=started + timedelta(hours=1),
        outcome=outcome,
    )
