"""What changes do to the core time that a run's executors hold, busy or idle: what a cluster is paid for."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.model.objective import Objective
from tuner.model.query import total_data_bytes
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.asked_cores import has_fewer_executors
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.evidence.comparison import SURE_GAIN, Comparison
from tuner.policy.evidence.history import History
from tuner.policy.evidence.metric import CLOCK, METRICS
from tuner.policy.evidence.spread import Spread
from tuner.policy.idle_runs import is_quiet
from tuner.policy.measure import Measured
from tuner.spark.knobs import DYNAMIC_ALLOCATION
from tuner.spark.settings import Settings
from tuner.units import SECONDS_PER_HOUR

# Neither time nor core time may be worse by more than this share for the other's sake.
MOST_WORSE = 0.05
# Executors come and go by back-offs and idle timeouts of seconds to minutes (ExecutorAllocationManager), and by what a cluster
# has free: of one program what they hold differs by so much from run to run until runs tell (a standard deviation of the log).
NOISE = 0.2
# It is one number a run, looked at after each: of 40 jobs of 30 runs whose change did nothing to it none was blamed at a noise of
# 0.15, 3 at 0.3 (with 0.90 after one run 10 % and 28 %); of what held 30 % and 50 % more at these, 18 and 29.
SURE_MORE, LEAST_RUNS = 0.99, 3


@dataclass(frozen=True, slots=True)
class Allocation:
    """Core time held with changes, beside what it would be without, by all runs so far; `comparison` is in core seconds."""

    comparison: Comparison

    @property
    def is_surely_more(self) -> bool:
        """By more than what any objective allows."""
        found = self.comparison
        return found.runs >= LEAST_RUNS and found.ratio.above(1 + MOST_WORSE) > SURE_MORE

    def is_worth(self, objective: Objective) -> bool:
        """Whether a gain of time is worth what executors then hold."""
        return objective is not Objective.COST or self.comparison.ratio.above(1.0) <= 0.5

    def is_gain(self, objective: Objective) -> bool:
        """Whether it is reason enough for the changes by itself."""
        found = self.comparison
        return objective is not Objective.TIME and found.runs >= LEAST_RUNS and found.ratio.below(1.0) > SURE_GAIN

    def reason(self, code: ReasonCode, run: Run) -> Reason:
        """In what the latest run measured."""
        found, ratio = self.comparison, self.comparison.ratio
        numbers: dict[str, Number] = {
            "run": run.key,
            "core_hours": found.measured / SECONDS_PER_HOUR,
            "expected_core_hours": found.expected / SECONDS_PER_HOUR,
            "probability": ratio.below(1.0) if code is ReasonCode.ALLOCATED_LESS else ratio.above(1.0),
        }
        return Reason(code, numbers)


def allocation_history() -> History:
    """For what `allocated` tells of the runs of one context."""
    return History(_spreads={m.name: Spread(NOISE if m is CLOCK else m.noise) for m in METRICS})


def allocated(run: Run) -> Measured | None:
    """What a run tells of what changes do to that: nothing with fewer executors, for what they hold less is no change's gain."""
    return None if has_fewer_executors(run) else held_by(run)


def held_by(run: Run) -> Measured | None:
    """A run as one query that takes the seconds for which its executors held cores; None where its log does not tell, or their
    number is fixed: then they hold what the clock says."""
    outcome = run.outcome
    if outcome is None or not outcome.allocated_core_ms or not Settings(outcome.conf)[DYNAMIC_ALLOCATION]:
        return None
    changes = frozenset(decided.id for decided in changes_in_effect(run))
    return Measured(
        fingerprint="",
        occurrence=0,
        seconds=outcome.allocated_core_ms / 1e3,
        input_bytes=total_data_bytes(outcome.queries),
        changes=changes,
        quiet=is_quiet(run),
    )
