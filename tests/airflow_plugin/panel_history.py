"""A history for the panel to show: cohorts of three DAGs, of two DAGs at once, of no DAG, and of one that Airflow lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.history.samples import MIDNIGHT, full_decision, full_outcome, running
from tuner.history.store import Store
from tuner.model.run import Origin, RunState

DAGS = ("etl", "sales", "secret")
SHARED = "shared"
OF_DAGS = {"etl.nightly", "sales.nightly", "secret.nightly"}
UNSEEN = {"gone.nightly", "laptop"}

CHANGE_ID = full_decision().changes[0].id
LITERAL = "select 'ü"


def fill(url: str) -> None:
    """Stores one finished run of each task."""
    with Store.open(url) as store:
        for minute, (cohort, dag_id) in enumerate(_tasks()):
            _add(store, cohort, dag_id, minute)


def _tasks() -> list[tuple[str, str | None]]:
    own = [(f"{dag_id}.nightly", dag_id) for dag_id in (*DAGS, "gone")]
    return [*own, (SHARED, "etl"), (SHARED, "sales"), ("laptop", None)]


def _add(store: Store, cohort: str, dag_id: str | None, minute: int) -> None:
    run = running(f"{cohort}/{minute}", cohort, minute)
    origin = Origin(dag_id, f"manual__{minute}", "nightly") if dag_id else None
    store.begin(replace(run, decision=full_decision(), origin=origin))
    store.finish(run.key, RunState.SUCCEEDED, MIDNIGHT + timedelta(minutes=minute + 1), full_outcome())
