"""What of the words of people an import says again, in the importer's name: nothing where people or runs here have spoken."""

from __future__ import annotations

from collections.abc import Container, Set

from tuner.baseline.importer import Importer, imported_from
from tuner.history.store import Store
from tuner.model.change import properties_of_id
from tuner.model.decision import Mode
from tuner.model.exported_baseline import ExportedBaseline, Refused, Ruled
from tuner.model.import_plan import LeftOut, PlannedWords
from tuner.model.verdict import ModeChange, ObjectiveChange, Verdict
from tuner.policy.rulings import Rulings


def plan_said(
    store: Store, baseline: ExportedBaseline, cohort: str, importer: Importer, here: Rulings, proven: Container[str]
) -> PlannedWords:
    """`here` is what people here ruled, `proven` are the ids of what runs here have proven: that stays in force."""
    unsaid = [one for one in baseline.said.refused if here.on_id(one.change_id) is None]
    set_there = {name for trial in baseline.trials for id_ in trial.ids for name in properties_of_id(id_)}
    why = {one.change_id: _left_out(one, proven, set_there) for one in unsaid}
    return PlannedWords(
        _mode(store, baseline, cohort, importer),
        _objective(store, baseline, cohort, importer),
        tuple(_refusal(one, baseline, cohort, importer) for one in unsaid if why[one.change_id] is None),
        {id_: left_out for id_, left_out in why.items() if left_out is not None},
    )


def _left_out(one: Refused, proven: Container[str], set_there: Set[str]) -> LeftOut | None:
    """`set_there` are the properties that the file has proven a value of. There its record spoke for that; here it has none yet,
    and a refusal of one value keeps out all."""
    if one.change_id in proven:
        return LeftOut.PROVEN_HERE
    return None if set_there.isdisjoint(properties_of_id(one.change_id)) else LeftOut.PROVEN_THERE


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
