"""GET api/cohort: a cohort on its own page."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from tuner.model.decision import Mode, Standing
from tuner.model.objective import Objective
from tuner.panel.models.answer import Answer
from tuner.panel.models.cohort_list import CohortItem


class ModeSetting(Answer):
    """The mode of the cohort's next run. `by` is empty where no person set it: then the job or configuration did. It `is_known`
    but where a person gave the cohort back to that and no run has started since: then it is the newest run's. `off` says why no
    mode changes anything: its job has steering switched off, or the server the tuner ("": modes do). `gives_back` are the sizes
    that the next run would no longer have in each mode that takes any back."""

    mode: Mode
    is_known: bool = True
    by: str = ""
    at: datetime | None = None
    reason: str = ""
    off: str = ""
    gives_back: dict[Mode, list[str]] = Field(default={})


class Held(Answer):
    """What a run holds of executors' cores and memory, busy or idle: as its job asks for them, and with the sizes that it has
    now."""

    core_hours_before: float
    core_hours: float
    gib_hours_before: float
    gib_hours: float


class Turned(Answer):
    """The latest time that Spark, the cluster or the data changed and queries would have got slower by that without the tuner:
    `difference` says in words what its `runs_since` then have in place of what was before, `since` that and when, and `prevented`
    what a run did not lose."""

    run_key: str
    at: datetime
    difference: str
    runs_since: int
    since: str
    prevented: str
    slower_seconds: float
    prevented_seconds: float


class Cohort(CohortItem):
    """A cohort on its own page, its state as the next run will have it (in a list: as the latest had it). Counts are of
    recommendations by standing; seconds are sums over queries. `next_decision` is what the next run would start with, in words,
    which may change where a run has ended since that was decided ("" where the tuner is switched off).

    `baseline_seconds` is what the latest measured run would have taken with nothing in
    force (None where nothing was), `latest_seconds` what it took. `held` is None where its runs have their job's sizes, `turned`
    where no such time is known.
    """

    next_decision: str
    next_decision_may_change: bool
    mode_setting: ModeSetting
    objective: Objective
    counts: dict[Standing, int]
    baseline_seconds: float | None
    latest_seconds: float | None
    queries: int
    spark_version: str
    held: Held | None = None
    turned: Turned | None = None
