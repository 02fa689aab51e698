"""Runs to store: a small one, and one with every field of the model set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change, Evidence, Prediction, Risk
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.join_site import JoinSide, JoinSite, RuntimeFilter
from tuner.model.query import Query, QueryStatus, ShuffleExchange
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import MemoryPeaks, ResourceUse
from tuner.model.run import Outcome, Run, RunState
from tuner.model.strategy import BuildSide, JoinType, Strategy

MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
LATER = MIDNIGHT + timedelta(hours=1)


def running(key: str = "etl/1", cohort: str = "etl.load", minute: int = 0, summary: str = "") -> Run:
    """A run that has just started, `minute` minutes after midnight."""
    return Run(
        key=key,
        cohort=cohort,
        try_number=1,
        started_at=MIDNIGHT + timedelta(minutes=minute),
        state=RunState.RUNNING,
        decision=Decision(Mode.AUTO, (), unsteered=said(summary) if summary else None),
        event_log_dir=f"/logs/{key}",
    )


def measured(app_id: str = "app-1", duration_ms: int | None = 60_000) -> Outcome:
    """An outcome without queries."""
    return Outcome(app_id, "4.0.1", duration_ms, Cluster(cores=8), queries=())


def full_decision() -> Decision:
    """A decision that sets every field."""
    broadcast = Action(ActionKind.HINT_JOIN, "date_dim⋈store_sales", Hint.BROADCAST, "q72", ("date_dim",))
    partitions = Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "64")
    return Decision(
        Mode.SUGGEST,
        (
            DecidedChange(
                Change(
                    broadcast.id,
                    "broadcast_hint",
                    (broadcast,),
                    ("q72",),
                    Reason(
                        ReasonCode.BROADCAST_HINT, {"rows": 7, "share": 0.5, "names": ("a", 7, "«b»\n"), "is": True}
                    ),
                    (Evidence("build side", 1.2e6, "bytes", "date_dim"),),
                    Prediction(18.0, 4.0, 3.5, 6.25),
                    Risk.HIGH,
                    needs="an order",
                ),
                Standing.TRIAL,
                Reason(ReasonCode.WON_ELSEWHERE, {"won": 1, "lost": None}, (said("1.2 MB of 10 MB"),)),
                Reason(ReasonCode.REORDERED_FIRST),
                2.5,
                ("values",),
            ),
            DecidedChange(
                Change.of("shuffle_partitions", (partitions,), (), said("fewer"), (), None),
                Standing.ROLLED_BACK,
                said("lost 3 s"),
            ),
        ),
        unsteered=said("broadcast date_dim\n(«proposed»)"),
    )


def said(sentence: str) -> Reason:
    return Reason(ReasonCode.RECORDED, {"said": sentence})


def full_outcome() -> Outcome:
    """An outcome that sets every field, with a query that succeeded and one that failed."""
    join = JoinSite(
        signature="date_dim⋈store_sales",
        occurrence=1,
        type=JoinType.LEFT_OUTER,
        strategy=Strategy.SORT_MERGE,
        build_side=BuildSide.RIGHT,
        keys=(("store_sales.d", "date_dim.d"), ("store_sales.e", "date_dim.e")),
        left=JoinSide(
            ("store_sales",), rows=2**40, bytes=2**50, filtered_by_other=RuntimeFilter.PARTITIONS, skipped=True
        ),
        right=JoinSide(("date_dim",), 73_049, 1_200_000, 900_000, 8_000_000, 400_000, 12),
        output_rows=None,
        planned_strategy=Strategy.BROADCAST_HASH,
        runs=2,
    )
    shuffle = ShuffleExchange(200, 5_000_000, 1_000_000, 42, map_tasks=3, adjustable=True)
    succeeded = Query(
        7, 6, "q72", "select 'ü\x00'", 1, 18_000, QueryStatus.SUCCEEDED, (join,), (shuffle,), 10, 20, 30, 40, 50, 60
    )
    failed = Query(8, 8, "q73", "", 2, None, QueryStatus.FAILED, error="OutOfMemoryError\n\tat …")
    cluster = Cluster(16, 4, 4, 2**33, 2**32, local=True)
    conf = {"spark.sql.adaptive.enabled": "true"}
    return Outcome(
        "app-7",
        "4.0.1",
        2**33,
        cluster,
        (succeeded, failed),
        conf,
        ("stage 3 has no end",),
        allocated_core_ms=2**40,
        resources=ResourceUse(2**38, 2**33, 60_000, 60_000, 500, 2**31, MemoryPeaks(2**32, 1, 2, 3, 4), MemoryPeaks(5)),
    )
