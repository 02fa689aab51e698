"""What an import of a baseline does, as `baseline import --json` prints it."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from tuner.model.exported_baseline import ExportedBaseline, Refused
from tuner.model.import_plan import ImportPlan, PlannedTrial
from tuner.words.changes import trial_words
from tuner.words.imports import fate_words
from tuner.words.query_names import QueryNames
from tuner.words.short_ids import short_id


def plan_json(plan: ImportPlan, baseline: ExportedBaseline, *, dry_run: bool) -> dict[str, Any]:
    mode, objective = baseline.said.mode, baseline.said.objective
    refused_here = {verdict.change_id for verdict in plan.said.refusals}
    return {
        "cohort": plan.cohort,
        "from": baseline.cohort,
        "as_of": baseline.as_of,
        "dry_run": dry_run,
        "differences": plan.differences,
        "changes": [_json(one) for one in plan.trials],
        "mode": {"there": mode.mode, "imported": plan.said.mode is not None} if mode else None,
        "objective": {"there": objective.objective, "imported": plan.said.objective is not None} if objective else None,
        "refused": [_refused(one, refused_here) for one in baseline.said.refused],
    }


def _json(one: PlannedTrial) -> dict[str, Any]:
    changes = one.trial.changes
    return {
        "ids": [change.id for change in changes],
        "short_id": short_id(changes[0].id),
        "words": trial_words(changes, QueryNames.known(one.trial.names)),
        "imported": one.is_taken,
        "fate": one.fate,
        "standing": one.here.standing if one.here else None,
        "here": fate_words(one),
    }


def _refused(one: Refused, refused_here: Container[str]) -> dict[str, Any]:
    return {
        "id": one.change_id,
        "short_id": short_id(one.change_id),
        "words": one.words,
        "ruling": one.ruled.ruling,
        "imported": one.change_id in refused_here,
    }
