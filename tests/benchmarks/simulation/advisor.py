"""An advisor that recommends what looks gainful by the latest run, and keeps quiet about what that run had in force."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tests.benchmarks.simulation.world import Candidate, World, target_of
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.measure import seconds_by_query, usable

# What the advisor takes for its own error, in log seconds: that of the shipped prices. It is less sure than that.
CLAIMED_ERROR = 0.31


def looks_gainful(candidate: Candidate) -> bool:
    """Whether even the slow end of the foretold interval gains (`tuner.advice.advise`)."""
    return candidate.foretold * math.exp(CLAIMED_ERROR) < 1


def recommend(world: World, runs: Sequence[Run]) -> tuple[Change, ...]:
    """What is recommended after these runs, largest gain first."""
    latest = next((run for run in reversed(runs) if usable(run)), None)
    if latest is None:
        return ()
    seconds = seconds_by_query(latest)
    there = {target_of(action) for action in latest.decision.actions}
    scale = _scale(world, latest)
    found = [
        _recommendation(candidate, scale, before)
        for candidate in world.candidates
        if candidate.target not in there
        and looks_gainful(candidate)
        and (before := sum(seconds.get(query, 0.0) for query in candidate.meant_for))
    ]
    return tuple(sorted(found, key=lambda change: -change.prediction.gain))


def _recommendation(candidate: Candidate, scale: float, before: float) -> Change:
    action, after = candidate.advised(scale), before * candidate.foretold
    spread = math.exp(CLAIMED_ERROR)
    return Change.of(
        "simulated",
        (action,),
        candidate.meant_for,
        Reason(ReasonCode.RECORDED, {"said": f"{before - after:.1f} s less"}),
        (Evidence("seconds", round(before, 3), "s", action.id),),
        Prediction(before, after, after / spread, after * spread),
    )


def _scale(world: World, run: Run) -> float:
    queries = run.outcome.queries if run.outcome else ()
    usual = {query.fingerprint: query.input_bytes for query in world.queries}
    return sum(q.input_bytes for q in queries) / max(1, sum(usual[q.fingerprint] for q in queries))
