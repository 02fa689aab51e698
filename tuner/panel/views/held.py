"""What a cohort's runs hold of cores and memory with other sizes than its job asks for, and without."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tuner.model.run import Run
from tuner.model.size_change import values_of
from tuner.panel.models.cohort import Held
from tuner.policy.asked_executors import asked_executors
from tuner.policy.idle_runs import without_idle
from tuner.policy.usable import usable


def held(runs: Sequence[Run]) -> Held | None:
    """Medians over runs as the latest one's job asks for them, and over those with its sizes; `runs` are oldest first. None where
    the latest has its job's own sizes, or no log tells of both."""
    measured = without_idle([run for run in runs if usable(run)])
    told = [run for run in measured if run.outcome and run.outcome.allocated_core_hours is not None]
    if not told or not (sizes := _sizes(told[-1])):
        return None
    alike = [run for run in told if asked_executors(run) == asked_executors(told[-1])]
    before, after = _medians([r for r in alike if not _sizes(r)]), _medians([r for r in alike if _sizes(r) == sizes])
    if before is None or after is None:
        return None
    return Held(core_hours_before=before[0], core_hours=after[0], gib_hours_before=before[1], gib_hours=after[1])


def _sizes(run: Run) -> frozenset[tuple[str, str]]:
    return values_of(run.decision.sizes)


def _medians(runs: Sequence[Run]) -> tuple[float, float] | None:
    outcomes = [run.outcome for run in runs if run.outcome]
    cores = [hours for outcome in outcomes if (hours := outcome.allocated_core_hours) is not None]
    memory = [hours for outcome in outcomes if (hours := outcome.allocated_gib_hours) is not None]
    return (median(cores), median(memory)) if cores and memory else None
