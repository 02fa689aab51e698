"""Runs, recommendations and verdicts of one cohort, with as little said of each as a test needs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from tuner.model.action import ON_JOINS, Action, ActionKind, Hint
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.failure import Failure
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome, Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.decide import decide
from tuner.policy.record import Record
from tuner.policy.situation import Situation
from tuner.words.reasons import reason_words, why_words

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
) -> tuple[Change, ...]:
    """The changes of one trial: one of all properties, one of each hint or order; hints beside an order need that."""
    reason = said(f"{before - after:.1f} s less")
    evidence = (Evidence("rows", 1000, "rows", actions[0].id),)
    predicted = Prediction(before, after, min(after, high), high)
    order = next((action.id for action in actions if action.kind is ActionKind.ORDER_JOINS), "")
    of_joins = [(action,) for action in actions if action.kind in ON_JOINS]
    properties = tuple(action for action in actions if action.kind not in ON_JOINS)
    return tuple(
        Change.of("test", several, tuple(queries), reason, evidence, predicted, needs=needs)
        for several in ([properties] if properties else []) + of_joins
        for needs in [order if several[0].kind is ActionKind.HINT_JOIN else ""]
    )


def advised(*trials: Sequence[Change]) -> tuple[Change, ...]:
    return tuple(change for trial in trials for change in trial)


def situation(
    mode: Mode,
    try_number: int,
    runs: Sequence[Run],
    advice: Sequence[Sequence[Change]] = (),
    verdicts: Sequence[Verdict] = (),
    earlier_try_failed: bool = False,
    **known: Any,
) -> Situation:
    return Situation(mode, try_number, runs, advised(*advice), verdicts, earlier_try_failed, **known)


def told(found: DecidedChange | Record) -> str:
    """Why a change stands where it stands, as people read it."""
    return why_words(found) if isinstance(found, DecidedChange) else reason_words(found.why)


def said(sentence: str, code: ReasonCode = ReasonCode.RECORDED) -> Reason:
    return Reason(code, {"said": sentence})


def decided(
    action: Action,
    standing: Standing = Standing.TRIAL,
    queries: Sequence[str] = ("q1",),
    reason: str = "5.0 s less",
    needs: str = "",
    code: ReasonCode = ReasonCode.RECORDED,
) -> DecidedChange:
    change = Change.of("test", (action,), tuple(queries), said(reason, code), (), None, needs=needs)
    return DecidedChange(change, standing, change.reason)


def outcome(
    seconds: Seconds, input_bytes: int = GB, failed: Sequence[str] = (), failure: Failure | None = None
) -> Outcome:
    """`seconds` by fingerprint, one query after the other; each reads `input_bytes`."""
    ends = list(accumulate(int(took * 1000) for took in seconds.values()))
    queries = tuple(
        Query(
            id=number,
            root_id=number,
            fingerprint=fingerprint,
            description="",
            start_ms=ends[number] - int(took * 1000),
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
    *changes: DecidedChange,
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
        decision=Decision(mode, changes),
        event_log_dir="",
        ended_at=None if state is RunState.RUNNING else started + timedelta(minutes=10),
        outcome=None if seconds is None else outcome(seconds, input_bytes, failed, failure),
    )


def verdict(action: Action, ruling: Ruling, night: float = 0.9) -> Verdict:
    """What ana said, by default in the day after the first night."""
    return Verdict("etl", action.id, ruling, "ana", MIDNIGHT + timedelta(days=night))


def standings(decision: Decision) -> dict[str, Standing]:
    return {d.id: d.standing for d in decision.changes}


def in_force(decision: Decision) -> set[str]:
    return {d.id for d in decision.in_force}


@dataclass
class Cohort:
    """A job that runs night after night: decides, runs, remembers.

    `effects` are the factors by which an action in force changes its queries' seconds; `noise` the standard deviation
    of each query's and of the machine's of the day.
    """

    seconds: Seconds
    recommendations: Sequence[Sequence[Change]]
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
            self.mode,
            try_number,
            recent,
            advised(*self.recommendations),
            self.verdicts,
            earlier_try_failed=earlier_try_failed,
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
        found = run(number, took, *decision.changes, state=state, input_bytes=input_bytes, mode=self.mode)
        self.runs.append(found)
        return found

    def nights(self, count: int, **kwargs: object) -> None:
        for _ in range(count):
            self.night(**kwargs)  # type: ignore[arg-type]

    def _factor(self, query: str, decision: Decision) -> float:
        factor = 1.0
        for action in decision.actions:
            factor *= self.effects.get(action.id, {}).get(query, 1.0)
        return factor

    def nights_in_force(self, action: Action) -> list[int]:
        return [n for n, r in enumerate(self.runs) if action.id in in_force(r.decision)]


def late_upstream(night: int, *changes: DecidedChange, queries: Sequence[str] = ("q1", "q2"), **kwargs: Any) -> Run:
    """A run whose queries found nothing to read, and so were done at once."""
    return run(night, dict.fromkeys(queries, 0.3), *changes, input_bytes=0, **kwargs)


def of_relations(found: Run) -> Run:
    """A run whose queries read a relation."""
    assert found.outcome is not None
    queries = tuple(replace(query, relations=("db.sales",)) for query in found.outcome.queries)
    return replace(found, outcome=replace(found.outcome, queries=queries))
