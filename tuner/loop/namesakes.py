"""Tasks of Airflow whose runs are one cohort though nobody asked for it: a DAG `a.b` with a task `c`, and `a` with `b.c`."""

from __future__ import annotations

from tuner.history.store import Store
from tuner.loop.turn import JobToRun


def namesakes(store: Store, job: JobToRun) -> list[tuple[str, str]]:
    """The others (dag_id, task_id) whose runs get into a job's cohort by what these are called by default, as its own do."""
    origin = job.origin
    if origin is None or not _is_by_default(job.cohort, (origin.dag_id, origin.task_id)):
        return []
    tasks = (task for summary in store.cohorts(cohort=job.cohort) for task in summary.tasks)
    return [task for task in tasks if task != (origin.dag_id, origin.task_id) and _is_by_default(job.cohort, task)]


def _is_by_default(cohort: str, task: tuple[str, str]) -> bool:
    """Whether a cohort is called what it is where its author named none: after its task, and the job, if that has several."""
    name = ".".join(task)
    return cohort == name or cohort.startswith(f"{name}.")
