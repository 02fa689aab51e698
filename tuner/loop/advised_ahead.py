"""Prices and advice of when the last run ended, where they still hold: a decision then learns nothing, and advises nothing."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.history.store import Store
from tuner.loop.known import reach_of
from tuner.loop.stamps import advice_stamp
from tuner.loop.turn import JobToRun
from tuner.model.run import RunMark
from tuner.steering.steering_method import choose_method


def is_advised_ahead(store: Store, job: JobToRun, marks: Sequence[RunMark]) -> bool:
    """Whether what was advised when the last run ended is what would be advised now."""
    ahead = store.look_ahead(job.cohort)
    if ahead is None or not ahead.is_for(job.instance):
        return False
    way = choose_method(job.steering, job.submission, ahead.spark_version, ahead.no_agent, ahead.beside)
    stamp = advice_stamp(marks, reach_of(job, way))
    return bool(stamp) and stamp == ahead.advice_stamp


def load_pricing() -> None:
    """Imports what a decision on such advice needs: of what `load_rules` does, a fifth."""
    import tuner.advice.order_bounds
    import tuner.advice.worst_day
    import tuner.cost.learned.calibrated_model  # noqa: F401
