"""A cohort's runs with what was in force at each, and the band of what they would have taken with nothing."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from tuner.model.run import Origin, Run
from tuner.panel.models.home import Home
from tuner.panel.models.runs import Band, LeftOut, RunItem, SizeItem
from tuner.panel.recent_runs import RunsInView
from tuner.panel.views.in_force import in_words
from tuner.panel.views.texts import shortened
from tuner.policy.baseline import Baseline
from tuner.policy.held_out import held_out
from tuner.policy.measure import query_seconds
from tuner.words.changes import change_words
from tuner.words.decisions import decision_summary
from tuner.words.failures import failure_words
from tuner.words.query_names import QueryNames
from tuner.words.reasons import reason_words
from tuner.words.sizes import size_words

# A run that was tuned for this many runs still has its band: it rests on the runs before those.
RUNS_BEFORE = 100


def run_items(
    runs: Sequence[Run],
    view: RunsInView,
    names: QueryNames,
    home: Home,
    core_hour_price: float | None,
    *,
    may_read_code: bool,
) -> list[RunItem]:
    """Runs with bands that rest on the others in view."""
    return [
        _item(
            run,
            view.baselines.get(run.key),
            names,
            home,
            core_hour_price,
            _failure(run, names, may_read_code=may_read_code),
        )
        for run in runs
    ]


def _failure(run: Run, names: QueryNames, *, may_read_code: bool) -> str:
    """What failed may be named by the job's own words."""
    if (failure := run.failure) is None:
        return ""
    return shortened(failure_words(failure, names) if may_read_code else failure.words)


def _item(
    run: Run, band: Baseline | None, names: QueryNames, home: Home, core_hour_price: float | None, failure: str
) -> RunItem:
    origin = run.origin or Origin("", "", "")
    took = run.outcome.duration_ms if run.outcome else None
    return RunItem(
        key=run.key,
        dag_id=origin.dag_id,
        run_id=origin.run_id,
        task_id=origin.task_id,
        map_index=origin.map_index,
        try_number=run.try_number,
        state=run.state,
        started_at=run.started_at,
        query_seconds=query_seconds(run),
        application_seconds=None if took is None else took / 1e3,
        allocated_core_hours=run.outcome.allocated_core_hours if run.outcome else None,
        allocated_gib_hours=run.outcome.allocated_gib_hours if run.outcome else None,
        cost=run.outcome.cost(core_hour_price) if run.outcome else None,
        band=Band(low=band.low, expected=band.expected, high=band.high) if band else None,
        mode=run.decision.mode,
        decision=shortened(decision_summary(run.decision)),
        in_force=in_words(run.decision.in_force, names),
        failure=failure,
        sizes=[
            SizeItem(words=shortened(size_words(one)), why=shortened(reason_words(one.why, names)))
            for one in run.decision.sizes
        ],
        left_out=[
            LeftOut(words=shortened(change_words(d.change, names)), why=shortened(reason_words(d.held, names)))
            for d in held_out(run)
            if d.held
        ],
        href=_href(run.origin, run.try_number) if home is Home.AIRFLOW and run.origin else "",
        ended_at=run.ended_at,
    )


def _href(origin: Origin, try_number: int) -> str:
    """The task instance's page in Airflow 3, below Airflow's own address."""
    dag_id, run_id, task_id = (quote(part, safe="") for part in (origin.dag_id, origin.run_id, origin.task_id))
    mapped = f"/mapped/{origin.map_index}" if origin.map_index >= 0 else ""
    return f"dags/{dag_id}/runs/{run_id}/tasks/{task_id}{mapped}?try_number={try_number}"
