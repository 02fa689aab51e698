"""GET api/cohorts: the list of all cohorts."""

from __future__ import annotations

from datetime import datetime

from tuner.model.decision import CohortState, Mode
from tuner.model.run import RunState
from tuner.panel.models.answer import Answer
from tuner.panel.models.gain import GainItem
from tuner.panel.models.page import Page


class TaskRef(Answer):
    dag_id: str
    task_id: str


class CohortItem(Answer):
    """A cohort in a list. `may_act`: the user may approve, reject, pin, roll back and change the mode. `tags` are its DAG's.

    Seconds, hours, `cost` and `gained` are of its latest measured run, which began `measured_at` and may be older than its last
    one (then it is not `is_measured`; None: not known; `gained` also where nothing was in
    force); `trend` are the query seconds of its newest runs, oldest first. `waiting` changes are left to a person. Of the newest
    DAG run of which one has ended, `last_ended_state` is the worst that a run of it ended in, `last_round_at` when its first
    began (None: none has). The last run `last_has_ended`: one that is running, as its task saw, before its log was read.
    """

    cohort: str
    tasks: list[TaskRef]
    tags: list[str]
    runs: int
    state: CohortState
    mode: Mode
    in_force: int
    waiting: int
    last_run_at: datetime
    last_run_state: RunState
    last_ended_state: RunState | None = None
    last_round_at: datetime | None = None
    last_has_ended: bool = False
    measured_at: datetime | None = None
    is_measured: bool = True
    query_seconds: float | None
    application_seconds: float | None
    core_hours: float | None
    gib_hours: float | None
    cost: float | None
    gained: GainItem | None
    trend: list[float | None]
    may_act: bool


class CohortTotalsItem(Answer):
    """Sums of the latest measured run of each cohort that is listed, on all pages: `known` have one, `measured` were so in their
    last DAG run."""

    known: int
    measured: int
    query_seconds: float
    core_hours: float
    cost: float | None
    tuned: int
    gained: GainItem
    waiting: int
    failed: int


class CohortList(Page[CohortItem]):
    """A page of cohorts, their totals, and the tags that any readable cohort has. `off` says that the server has the tuner
    switched off ("": it has not)."""

    totals: CohortTotalsItem
    tags: list[str]
    off: str = ""
