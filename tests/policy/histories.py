"""Runs, recommendations and verdicts of one cohort, with as little said of each as a test needs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Evidence, Prediction, Recommendation, Risk
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedAction, Decision, Mode, Standing
from tuner.model.failure import Failure
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome, Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.decide import Situation, decide

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
GB = 10**9

Seconds = Mapping[str, float]


def conf(target: str = "spark.sql.shuffle.partitions", value: str = "16") -> Action:
    return Action(ActionKind.SET_CONF, target, value)


def hint(query: str = "q1", target: str = "join", value: Hint = Hint.BROADCAST) -> Action:
    return Action(ActionKind.HINT_JOIN, target, value, query, ("dim",))


def analyze(table: str = "db.sales", columns: str = "day,item") -> Action:
    return Action(ActionKind.ANALYZE_TABLE, table, columns)


def reorder(query: str = "q1", graph: str = "block", order: str = "((a c) b)") -> Action:
    return Action(ActionKind.ORDER_JOINS, graph, order, query)


def recommend(
    *actions: Action, queries: Sequence[str] = ("q1",), before: float = 10, after: float = 5, high: float = 9
) -> Recommendation:
    return Recommendation(
        actions=actions,
        queries=tuple(queries),
        reason=f"{before - after:.1f} s less",
        evidence=(Evidence("rows", 1000, "rows", actions[0].id),),
        predicted_seconds=Prediction(before, after, min(after, high), high),
        risk=Risk.LOW,
    )


def decided(
    action: Action, standing: Standing = Standing.TRIAL, queries: Sequence[str] = ("q1",), reason: str = "5.0 s less"
) -> DecidedAction:
    return DecidedAction(action, standing, reason, tuple(queries))


def outcome(
    seconds: Seconds, input_bytes: int = GB, failed: Sequence[str] = (), failure: Failure | None = None
) -> Outcome:
    """`seconds` by fingerprint; each query reads `input_bytes`."""
    queries = tuple(
        Query(
            id=number,
            root_id=number,
            fingerprint=fingerprint,
            description="",
            start_ms=0,
            duration_ms=int(took * 1000),
            status=QueryStatus.FAILED if fingerprint in failed else QueryStatus.SUCCEEDED,
            input_bytes=input_bytes,
        )
        for number, (fingerprint, took) in enumerate(seconds.items())
    )
    duration = int(sum(seconds.values()) * 1000)
    return Outcome("app", "4.0.1", duration, Cluster(cores=8), queries, failure=failure)


def run(
    night: int,
    seconds: Seconds | None = None,
    *actions: DecidedAction,
    state: RunState = RunState.SUCCEEDED,
    input_bytes: int = GB,
    failed: Sequence[str] = (),
    try_number: int = 1,
    mode: Mode = Mode.AUTO,
    failure: Failure | None = None,
) -> Run:
    started = MIDNIGHT + timedelta(days=night, minutes=30 * (try_number - 1))
    return Run(
        key=f"etl/{night}/{try_number}",
        cohort="etl",
        try_number=try_number,
        started_at=started,
        state=state,
        decision=Decision(mode, "as told", actions),
        event_log_dir="",
        ended_at=None if state is RunState.RUNNING else started + timedelta(minutes=10),
        outcome=None if seconds is None else outcome(seconds, input_bytes, failed, failure),
    )


def verdict(action: Action, ruling: Ruling, night: float = 0.9) -> Verdict:
    """What ana said, by default in the day after the first night."""
    return Verdict("etl", action.id, ruling, "ana", MIDNIGHT + timedelta(days=night))


def standings(decision: Decision) -> dict[str, Standing]:
    return {d.action.id: d.standing for d in decision.actions}


def in_force(decision: Decision) -> set[str]:
    return {action.id for action in decision.in_force}


@dataclass
class Cohort:
    """A job that runs night after night: decides, runs, remembers.

    `effects` are the factors by which an action in force changes its queries' seconds; `noise` the standard deviation
    of each query's and of the machine's of the day.
    """

    seconds: Seconds
    recommendations: Sequence[Recommendation]
    effects: Mapping[str, Mapping[str, float]]
    noise: float = 0.0
    machine_noise: float = 0.0
    mode: Mode = Mode.AUTO
    seed: int = 0
    window: int = 60
    verdicts: list[Verdict] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    def night(
        self,
        input_bytes: int = GB,
        machine: float = 1.0,
        fails: Callable[[Decision], bool] = lambda _: False,
        try_number: int = 1,
        earlier_try_failed: bool = False,
    ) -> Run:
        recent = self.runs[-self.window :]
        situation = Situation(
            self.mode, try_number, recent, self.recommendations, self.verdicts, earlier_try_failed=earlier_try_failed
        )
        decision = decide(situation)
        number = len(self.runs)
        chance = random.Random(f"{self.seed}/{number}")
        of_the_day = machine * max(0.5, chance.gauss(1, self.machine_noise)) * input_bytes / GB
        took = {
            q: base * of_the_day * self._factor(q, decision) * max(0.5, chance.gauss(1, self.noise))
            for q, base in self.seconds.items()
        }
        state = RunState.FAILED if fails(decision) else RunState.SUCCEEDED
        found = run(number, took, *decision.actions, state=state, input_bytes=input_bytes, mode=self.mode)
        self.runs.append(found)
        return found

    def nights(self, count: int, **kwargs: object) -> None:
        for _ in range(count):
            self.night(**kwargs)  # type: ignore[arg-type]

    def _factor(self, query: str, decision: Decision) -> float:
        factor = 1.0
        for action in decision.in_force:
            factor *= self.effects.get(action.id, {}).get(query, 1.0)
        return factor

    def nights_in_force(self, action: Action) -> list[int]:
        return [n for n, r in enumerate(self.runs) if action.id in in_force(r.decision)]
