"""GET api/cohort/runs: the runs of a cohort."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from tuner.model.decision import Mode
from tuner.model.run import RunState
from tuner.panel.models.answer import Answer
from tuner.panel.models.in_force import InForce


class Band(Answer):
    """Seconds that a run would have taken with nothing in force, by the runs before it that had nothing in force."""

    low: float
    expected: float
    high: float


class SizeItem(Answer):
    """A size that a run had in place of its job's own, and why."""

    words: str
    why: str


class LeftOut(Answer):
    """What had been in force, and a run was without on purpose, to compare; and why then."""

    words: str
    why: str


class RunItem(Answer):
    """A run. With an `ended_at` one that is running has ended: its task saw it succeed, and its log has not told yet what it
    measured. `query_seconds` sums its queries' times (None: not measured), `application_seconds` is start to end,
    `allocated_core_hours` and `allocated_gib_hours` are what its executors held, busy or idle (None: its log does not tell),
    `cost` what the first of these are worth at the price that people gave (None: they gave none). `failure` is why it failed
    ("": it did not, or nothing tells), `sizes` are what it had in place of its job's own, `left_out` what it was without to
    compare.

    `href` is the page of the Airflow task instance, relative to Airflow's root; empty elsewhere.
    """

    key: str
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    try_number: int
    state: RunState
    started_at: datetime
    query_seconds: float | None
    application_seconds: float | None
    allocated_core_hours: float | None
    allocated_gib_hours: float | None
    cost: float | None
    band: Band | None
    mode: Mode
    decision: str
    in_force: list[InForce]
    failure: str = ""
    sizes: list[SizeItem] = Field(default=[])
    left_out: list[LeftOut] = Field(default=[])
    href: str = ""
    ended_at: datetime | None = None
