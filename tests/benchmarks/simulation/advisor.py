"""An advisor that recommends what looks gainful by the latest run, and keeps quiet about what that run had in force."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tests.benchmarks.simulation.candidate import Candidate, target_of
from tests.benchmarks.simulation.night import Execution, Night
from tests.benchmarks.simulation.world import World
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.directive_result import DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.passing_queries import passing_queries
from tuner.policy.usable import usable

# What the advisor takes for its own error, in log seconds: that of the shipped prices. It is less sure than that.
CLAIMED_ERROR = 0.31

# Executions of the latest run, and the seconds that they took.
Took = Iterable[tuple[Execution, float]]


def looks_gainful(candidate: Candidate, took: Took) -> bool:
    """Whether even the slow end of the foretold interval gains (`tuner.advice.advise`)."""
    before, after = _foretold(candidate, took)
    return after * math.exp(CLAIMED_ERROR) < before


def recommend(world: World, runs: Sequence[Run]) -> tuple[Change, ...]:
    """What is recommended after these runs, largest gain first."""
    latest = next((run for run in reversed(runs) if usable(run)), None)
    if latest is None or latest.outcome is None:
        return ()
    queries = latest.outcome.queries
    night = world.nights[night_of(latest)]
    ran = [pair for pair in zip(night.executions, queries, strict=False) if pair[1].status is QueryStatus.SUCCEEDED]
    there = {target_of(action): action.id for action in latest.decision.actions}
    scale, passing = _scale(night), passing_queries(runs)
    found = []
    for candidate in (c for c in world.candidates if not (c.is_on_joins and passing.issuperset(c.meant_for))):
        id_ = there.get(candidate.target)
        lacked = [(execution, q.seconds) for execution, q in ran if id_ is None or _was_held(q, id_)]
        if looks_gainful(candidate, lacked):
            found.append(_recommendation(candidate, scale, lacked))
    return tuple(sorted(found, key=lambda change: -change.prediction.gain if change.prediction else 0.0))


def night_of(run: Run) -> int:
    """The number of the night that a run is of."""
    return int(run.key.split("/")[1])


def _foretold(candidate: Candidate, took: Took) -> tuple[float, float]:
    """Seconds of the queries that it is meant for, and what it makes of them."""
    before = after = 0.0
    for execution, seconds in took:
        if execution.query.fingerprint in candidate.meant_for:
            before += seconds
            after += seconds * candidate.foretold(execution)
    return before, after


def _was_held(query: Query, action_id: str) -> bool:
    return any(one.action_id == action_id and one.status is DirectiveStatus.HELD for one in query.directives)


def _recommendation(candidate: Candidate, scale: float, took: Took) -> Change:
    action = candidate.advised(scale)
    before, after = _foretold(candidate, took)
    spread = math.exp(CLAIMED_ERROR)
    return Change.of(
        "simulated",
        (action,),
        candidate.meant_for,
        Reason(ReasonCode.RECORDED, {"said": f"{before - after:.1f} s less"}),
        (Evidence("seconds", round(before, 3), "s", action.id),),
        Prediction(before, after, after / spread, after * spread),
    )


def _scale(night: Night) -> float:
    usual = sum(e.query.input_bytes * e.values.input for e in night.executions)
    return sum(int(e.query.input_bytes * night.scale * e.values.input) for e in night.executions) / max(1, usual)
