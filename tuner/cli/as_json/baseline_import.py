"""What an import of a baseline does, as `baseline import --json` prints it."""

from __future__ import annotations

from typing import Any

from tuner.model.exported_baseline import ExportedBaseline
from tuner.model.import_plan import ImportPlan, PlannedTrial
from tuner.words.changes import trial_words
from tuner.words.imports import fate_words
from tuner.words.query_names import QueryNames
from tuner.words.short_ids import short_id


def plan_json(plan: ImportPlan, baseline: ExportedBaseline, *, dry_run: bool) -> dict[str, Any]:
    return {
        "cohort": plan.cohort,
        "from": baseline.cohort,
        "as_of": baseline.as_of,
        "dry_run": dry_run,
        "differences": plan.differences,
        "changes": [_json(one) for one in plan.trials],
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
