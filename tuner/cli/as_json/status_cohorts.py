"""What `status --json` prints of each cohort."""

from __future__ import annotations

from typing import Any

from tuner.history.cohort_rows import CohortSummary


def summary_json(summary: CohortSummary) -> dict[str, Any]:
    """A cohort in the list of all; seconds and hours are of its latest measured run, null where they are not known.

    That run began `measured_at`, and may be older than the last round (then it is not `is_measured`), of which `last_ended_state`
    is the worst that a run ended in, and `last_ended_badly` are the keys of the runs that did not succeed, worst first. The
    last run `last_has_ended`: one that is running, as its task saw, before its log was read."""
    figures, stance = summary.figures, summary.stance
    gained = figures.gained if figures else None
    return {
        "cohort": summary.cohort,
        "runs": summary.runs,
        "last_started_at": summary.last_started_at,
        "last_state": summary.last_state,
        "last_has_ended": summary.last_has_ended,
        "last_ended_state": summary.last_round.state if summary.last_round else None,
        "last_ended_badly": list(summary.last_round.badly) if summary.last_round else [],
        "measured_at": figures.measured_at if figures else None,
        "is_measured": summary.is_measured,
        "tasks": [{"dag_id": dag_id, "task_id": task_id} for dag_id, task_id in summary.tasks],
        "tags": list(summary.tags),
        "state": stance.state,
        "mode": stance.mode,
        "in_force": stance.in_force,
        "waiting": stance.waiting,
        "query_seconds": figures.query_seconds if figures else None,
        "core_hours": figures.core_hours if figures else None,
        "gib_hours": figures.gib_hours if figures else None,
        "gained_seconds": gained.seconds if gained else None,
    }
