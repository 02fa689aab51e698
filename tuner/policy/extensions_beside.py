"""Where Spark finds the agent only by its name, the name stands beside the extensions that a service sets for its jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from tuner.model.agent_message import EXTENSIONS_CLASS
from tuner.model.run import Outcome, Run
from tuner.spark.properties import EXTENSIONS
from tuner.spark.version import parse_version

# Before it, Python makes its session past META-INF/services, where the jar names the agent (SPARK-35380; seen in 3.5.9, and no
# longer in 4.0.5).
FINDS_BY_JAR = (4, 0, 0)
_CLASS = re.compile(r"[\w.$]+")


def extensions_beside(runs: Sequence[Run], within: timedelta) -> str | None:
    """The extensions that the agent's is to be named beside, as the latest of a cohort's runs had them, oldest first; None where
    the jar is enough, where naming it did not help `within` the last time, or where nothing tells which the service sets.

    Of where the service's own are seen it says nothing: there the agent's always is beside them.
    """
    had = [run for run in runs if was_to_have_agent(run)]
    latest = next((run.outcome for run in reversed(runs) if run.outcome and run.outcome.conf), None)
    version = parse_version(latest.spark_version) if latest else None
    if not had or latest is None or version is None or version >= FINDS_BY_JAR:
        return None
    if not had_by_name(had[-1]) and not _is_missed_once(had, within):
        return None
    listed = _listed(latest)
    return ",".join(name for name in listed if name != EXTENSIONS_CLASS) if all(map(_CLASS.fullmatch, listed)) else None


def was_to_have_agent(run: Run) -> bool:
    """Whether there was something that the agent was told in this run, or should have been."""
    outcome = run.outcome
    return outcome is not None and (outcome.agent_missing or any(query.directives for query in outcome.queries))


def had_by_name(run: Run) -> bool:
    """Whether the run's session was made with the agent's extension by its name, loaded or not."""
    return run.outcome is not None and EXTENSIONS_CLASS in _listed(run.outcome)


def _listed(outcome: Outcome) -> list[str]:
    return [name for part in outcome.conf.get(EXTENSIONS, "").split(",") if (name := part.strip())]


def _is_missed_once(had: Sequence[Run], within: timedelta) -> bool:
    """Whether the latest run lacked the agent, and not because a program that sets extensions itself took the name away."""
    *before, latest = had
    if latest.outcome is None or not latest.outcome.agent_missing:
        return False
    missed_before = bool(before) and before[-1].outcome is not None and before[-1].outcome.agent_missing
    return not (missed_before and latest.started_at - before[-1].started_at < within)
