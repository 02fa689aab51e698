"""What the tuner does, among Airflow's own metrics: StatsD, Datadog or OpenTelemetry, as `[metrics]` says.

| name | kind | of |
|---|---|---|
| spark_tuner.runs.<state> | counter | runs by what was decided: observing, trial, tuned, rolled_back, held |
| spark_tuner.actions.trial | counter | changes that were tried |
| spark_tuner.actions.<standing> | counter | changes that a run promoted, rolled_back, expired |
| spark_tuner.gained_seconds | gauge | what the latest run gained by its changes; less than 0: lost |
| spark_tuner.saved_seconds, spark_tuner.saved_core_hours | gauge | the same, as all runs of its cohort tell: its savings |
| spark_tuner.decide.duration, spark_tuner.harvest.duration | timer | what the tuner took before and after the job |
| spark_tuner.problems | counter | what failed in the tuner, and did not stop the job |

Tags are those of Airflow's task metrics, `dag_id` and `task_id` among them. Nothing here raises.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tuner.model.decision import Standing

if TYPE_CHECKING:
    from tuner.loop.loop import Report, Turn

_log = logging.getLogger(__name__)
_PREFIX = "spark_tuner"
_NEWS = (Standing.PROMOTED, Standing.ROLLED_BACK, Standing.EXPIRED)


@contextmanager
def timed(name: str, ti: Any) -> Iterator[None]:
    """Times the block; an error of it counts as a problem, and goes on."""
    start = time.monotonic()
    try:
        yield
    except Exception:
        _send(lambda stats: stats.incr(f"{_PREFIX}.problems", tags=_tags(ti)))
        raise
    finally:
        took = timedelta(seconds=time.monotonic() - start)
        _send(lambda stats: stats.timing(f"{_PREFIX}.{name}.duration", took, tags=_tags(ti)))


def decided(turn: Turn, ti: Any) -> None:
    """Counts a run by what was decided for it, and the changes that are tried in it."""
    _count(f"runs.{turn.decision.state}", 1, ti)
    _count(
        "actions.trial",
        sum(d.standing is Standing.TRIAL for d in turn.decision.changes),
        ti,
    )
    _count("problems", len(turn.problems), ti)


def harvested(report: Report, ti: Any) -> None:
    """Counts what became of a run's changes, and tells what they gained."""
    if (judgement := report.judgement) is not None:
        news = Counter(r.standing for r in judgement.records if r.standing is not r.decided.standing)
        for standing in _NEWS:
            _count(f"actions.{standing}", news[standing], ti)
        if (gained := judgement.gained_seconds) is not None:
            _send(lambda stats: stats.gauge(f"{_PREFIX}.gained_seconds", gained, tags=_tags(ti)))
    if (saved := report.gained) is not None:
        _send(lambda stats: stats.gauge(f"{_PREFIX}.saved_seconds", saved.seconds, tags=_tags(ti)))
        if (hours := saved.core_hours) is not None:
            _send(lambda stats: stats.gauge(f"{_PREFIX}.saved_core_hours", hours, tags=_tags(ti)))
    _count("problems", len(report.problems) - len(report.turn.problems), ti)


def _count(name: str, count: int, ti: Any) -> None:
    if count > 0:
        _send(lambda stats: stats.incr(f"{_PREFIX}.{name}", count, tags=_tags(ti)))


def _tags(ti: Any) -> dict[str, str]:
    return {**getattr(ti, "stats_tags", {}), "dag_id": ti.dag_id, "task_id": ti.task_id}


def _send(metric: Callable[[Any], None]) -> None:
    try:
        metric(_stats())
    except Exception as error:
        _log.debug("could not send a metric (%s)", type(error).__name__)


def _stats() -> Any:
    try:
        from airflow.sdk.observability.stats import Stats
    except ImportError:  # Airflow 3.1
        from airflow.stats import Stats
    return Stats
