"""Replays made by hand: cohorts with nights in a store, and what a walk over them would have found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from tests.panel.nights import FIRST, HINT, PARTITIONS, decided, keep, night, query
from tuner.history.store import Store
from tuner.model.change import Prediction
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.insight import Insight, InsightKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.run import RunDetails
from tuner.model.strategy import Strategy
from tuner.replay.cohort_replay import Advised, Backtest, CohortReplay, LoggedRun, ReplayedRun, ReplaySummary, UnreadLog


@dataclass(frozen=True)
class Made:
    """A `Replayed` of nothing but its summary: a report asks for no more."""

    summary: ReplaySummary

    def runs(self, cohort: str | None = None) -> Iterator[ReplayedRun]:
        return iter(())

    def logged(self, cohort: str) -> Iterator[LoggedRun]:
        return iter(())


def sorted_join(query: str, label: str = "day = d_day") -> PlanPicture:
    """sales joined with days, both shuffled."""
    join = PlanStep(
        StepKind.JOIN, "SortMergeJoin", label, 1000, None, (1, 3), "sales=days", strategy=Strategy.SORT_MERGE
    )
    shuffled = [PlanStep(StepKind.SHUFFLE, "Exchange", "shuffle by day", rows, 8 * rows) for rows in (10**6, 365)]
    scans = [PlanStep(StepKind.SCAN, "Scan", name, rows) for name, rows in (("sales", 10**6), ("days", 365))]
    return PlanPicture(
        query,
        "SELECT 1",
        (join, _over(shuffled[0], 2), scans[0], _over(shuffled[1], 4), scans[1]),
    )


def _over(step: PlanStep, position: int) -> PlanStep:
    return PlanStep(step.kind, step.operator, step.label, step.rows, step.bytes, (position,))


def cohort(
    name: str = "etl.load", core_hours: float = 10.0, runs: int = 3, share: float | None = 0.4, live: int = 0
) -> CohortReplay:
    """A cohort whose runs lacked a hint and a partition count that would have saved `share` of its time; None: nothing."""
    seconds = core_hours * 3600 / 8
    saved = (
        Prediction(seconds, seconds * (1 - share), seconds * (1 - 1.4 * share), seconds * (1 - 0.3 * share))
        if share
        else None
    )
    changes = (
        decided(HINT, Standing.TRIAL),
        decided(PARTITIONS, why="200 partitions of 1 MB: about 2.0 s less", evidence=()),
    )
    advised = (
        tuple(
            Advised(
                (one,), runs, replace(saved, after=saved.before - saved.gain * part), core_hours * (share or 0) * part
            )
            for one, part in zip(changes, (0.75, 0.25), strict=True)
        )
        if saved
        else ()
    )
    return CohortReplay(
        cohort=name,
        runs=runs,
        measured=runs,
        first_at=FIRST,
        last_at=FIRST + timedelta(days=runs - 1),
        query_seconds=seconds,
        core_hours=core_hours,
        saved=saved,
        saved_core_hours=core_hours * (share or 0),
        advised=advised,
        next=Decision(Mode.AUTO, changes if saved else ()),
        live=live,
        as_live=max(0, live - 1),
    )


def replay(
    *cohorts: CohortReplay, unread: Sequence[UnreadLog] = (), scored: bool = False, problems: Sequence[str] = ()
) -> Made:
    return Made(
        ReplaySummary(
            cohorts=cohorts,
            unread=tuple(unread),
            logs=sum(c.runs for c in cohorts) + len(unread),
            size_bytes=sum(c.runs for c in cohorts) * 3_000_000,
            problems=tuple(problems),
            backtest=Backtest(12, 4, 0.71, 0.75, 11 / 12, 0.08) if scored else None,
        )
    )


def store_cohort(store: Store, cohort: CohortReplay) -> None:
    """The runs of a cohort with the details of its newest, as a replay keeps them."""
    nights = [
        night(
            number,
            query("q1", 20 + number % 3, f"SELECT sum(amount) FROM sales -- {cohort.cohort}"),
            query("q2", 7.5),
            cohort=cohort.cohort,
            dag_id="",
        )
        for number in range(cohort.runs)
    ]
    insight = Insight(
        kind=InsightKind.IGNORED_HINT,
        query="q1",
        description="SELECT sum(amount)",
        operator="SortMergeJoin",
        seconds=3.0,
        reason="the hint names no table of the query",
        change="name the alias",
        evidence=(),
    )
    keep(store, *nights, details=RunDetails(cohort.next, (insight,), (sorted_join("q1"), sorted_join("q2"))))
