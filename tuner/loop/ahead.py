"""What was decided when the last run ended, and the way in which a job would be steered by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.advice.steering_reach import Reach
from tuner.history.store import Store
from tuner.loop.known import reach_of
from tuner.loop.stamps import advice_stamp
from tuner.loop.turn import JobToRun
from tuner.model.look_ahead import LookAhead
from tuner.model.run import RunMark
from tuner.steering.steering_method import SteeringMethod, choose_method


@dataclass(frozen=True, slots=True)
class Ahead:
    """`advice` is the stamp of what would be advised now."""

    look_ahead: LookAhead
    way: SteeringMethod
    reach: Reach
    advice: str

    @property
    def is_advised(self) -> bool:
        """Whether prices and advice of when the last run ended still hold: a decision learns nothing, and advises nothing."""
        return bool(self.advice) and self.advice == self.look_ahead.advice_stamp


def ahead_of(store: Store, job: JobToRun, marks: Sequence[RunMark]) -> Ahead | None:
    """None where nothing was decided ahead, or for another instance of the job."""
    found = store.look_ahead(job.cohort)
    if found is None or not found.is_for(job.instance):
        return None
    way = choose_method(job.steering, job.submission, found.spark_version, found.no_agent, found.beside)
    reach = reach_of(job, way)
    return Ahead(found, way, reach, advice_stamp(marks, reach))
