"""What of the words of people an import says again, in the importer's name: nothing where people or runs here have spoken."""

from __future__ import annotations

from collections.abc import Container

from tuner.baseline.importer import Importer, imported_from
from tuner.history.store import Store
from tuner.model.decision import Mode
from tuner.model.exported_baseline import ExportedBaseline, Refused, Ruled
from tuner.model.import_plan import PlannedWords
from tuner.model.verdict import ModeChange, ObjectiveChange, Verdict
from tuner.policy.rulings import Rulings


def plan_said(
    store: Store, baseline: ExportedBaseline, cohort: str, importer: Importer, here: Rulings, proven: Container[str]
) -> PlannedWords:
    """`here` is what people here ruled, `proven` are the ids of what runs here have proven: that stays in force."""
    unsaid = [one for one in baseline.said.refused if here.on_id(one.change_id) is None]
    return PlannedWords(
        _mode(store, baseline, cohort, importer),
        _objective(store, baseline, cohort, importer),
        tuple(_refusal(one, baseline, cohort, importer) for one in unsaid if one.change_id not in proven),
        frozenset(one.change_id for one in unsaid if one.change_id in proven),
    )


def _mode(store: Store, baseline: ExportedBaseline, cohort: str, importer: Importer) -> ModeChange | None:
    said = baseline.said.mode
    # A file holds back; that changes are made to a job, somebody says where it runs.
    if said is None or said.mode is Mode.AUTO or store.mode_changes(cohort):
        return None
    return ModeChange(cohort, said.mode, importer.by, importer.at, _why(said, baseline))


def _objective(store: Store, baseline: ExportedBaseline, cohort: str, importer: Importer) -> ObjectiveChange | None:
    said = baseline.said.objective
    if said is None or store.objective_changes(cohort):
        return None
    return ObjectiveChange(cohort, said.objective, importer.by, importer.at, _why(said, baseline))


def _refusal(one: Refused, baseline: ExportedBaseline, cohort: str, importer: Importer) -> Verdict:
    return Verdict(cohort, one.change_id, one.ruled.ruling, importer.by, importer.at, _why(one.ruled, baseline))


def _why(said: Ruled | ModeChange | ObjectiveChange, baseline: ExportedBaseline) -> str:
    """Who said it there, when, and why."""
    because = f": {said.reason}" if said.reason else ""
    return f"{imported_from(baseline)}; {said.by} said so there on {said.at:%Y-%m-%d}{because}"
