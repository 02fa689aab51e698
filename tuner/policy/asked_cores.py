"""The cores that a run's job asks for, whatever it was given in their place."""

from __future__ import annotations

from tuner.model.reason import ReasonCode
from tuner.model.run import Outcome, Run


def asked_cores(run: Run, outcome: Outcome) -> int:
    """Where executors were taken that tasks never kept busy, those of the author's number: a run is not shorter for having had
    less. Else, and where dynamic allocation had more than in any of these, all that it had."""
    cluster = outcome.cluster
    had = (one.why.numbers.get("executors") for one in run.decision.cuts if one.why.code is ReasonCode.EXECUTORS_CUT)
    executors = next((number for number in had if isinstance(number, int)), None)
    return max(cluster.cores, (executors or 0) * cluster.cores_per_executor)


def has_fewer_executors(run: Run) -> bool:
    return any(one.why.code is ReasonCode.EXECUTORS_CUT for one in run.decision.cuts)
