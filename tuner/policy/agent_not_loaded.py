"""A cohort whose Spark does not load the agent does without it for a while."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tuner.model.run import Run

# Then it is tried again: another jar may have been deployed meanwhile.
DOES_WITHOUT = timedelta(days=7)


def why_no_agent(runs: Sequence[Run], now: datetime) -> str:
    """Why the next run is not to have the agent; "" where it may. `runs` are the latest of a cohort, oldest first.

    A jar that is for another Spark or Scala does not link: Spark starts without the extension, or the agent leaves all plans
    alone. The latest run that was to have the agent tells.
    """
    told = next((run for run in reversed(runs) if _was_to_have_agent(run)), None)
    if told is None or told.outcome is None or not told.outcome.agent_missing or now - told.started_at > DOES_WITHOUT:
        return ""
    if any(run.outcome and run.outcome.spark_version != told.outcome.spark_version for run in runs[runs.index(told) :]):
        return ""
    until = told.started_at + DOES_WITHOUT
    return (
        f"it did not load in run {told.key} (Spark {told.outcome.spark_version}), or could not read what it was told; deploy a "
        f"jar for that Spark and its Scala; it is tried again from {until:%Y-%m-%d} on, or with another Spark"
    )


def _was_to_have_agent(run: Run) -> bool:
    outcome = run.outcome
    return outcome is not None and (outcome.agent_missing or any(query.directives for query in outcome.queries))
