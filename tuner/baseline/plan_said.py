"""What of the words of people an import says again, in the importer's name: nothing where people or runs here have spoken."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from tuner.baseline.importer import Importer, imported_from
from tuner.history.store import Store
from tuner.model.change import Change, properties_of_id
from tuner.model.decision import Mode
from tuner.model.exported_baseline import ExportedBaseline, Refused, Ruled
from tuner.model.import_plan import LeftOut, PlannedWords
from tuner.model.verdict import ModeChange, ObjectiveChange, Verdict
from tuner.policy.rulings import Rulings

# From the one that does least to the one that does most.
_MODES = (Mode.OBSERVE, Mode.SUGGEST, Mode.AUTO)


@dataclass(frozen=True, slots=True)
class Here:
    """What people here ruled on changes that are `known` here, and which of these runs have `proven`: that stays in force.
    `is_steered`: anything is in force, or asked for. `mode` is that of the latest decision, None where there is none, or where
    steering is off. `brought` are the ids of the file's changes that it brings here, or that are tried here."""

    rulings: Rulings
    known: tuple[Change, ...]
    proven: tuple[Change, ...]
    is_steered: bool
    mode: Mode | None
    brought: frozenset[str]

    def takes_out_proven(self, refusal: Verdict) -> bool:
        """Whether it is on one of these, or on a thing that one does."""
        alone = Rulings.of([refusal], self.known)
        return any(alone.on(change) is not None for change in self.proven)


def plan_said(store: Store, baseline: ExportedBaseline, cohort: str, importer: Importer, here: Here) -> PlannedWords:
    """For a cohort that stands as `here` tells."""
    refused = {one.change_id: _refusal(one, baseline, cohort, importer) for one in baseline.said.refused}
    unsaid = [refusal for id_, refusal in refused.items() if here.rulings.on_id(id_) is None]
    set_there = {name for id_ in here.brought for name in properties_of_id(id_)}
    why = {refusal.change_id: _left_out(refusal, here, set_there) for refusal in unsaid}
    mode = None if store.mode_changes(cohort) else baseline.said.mode
    mode_left_out = _mode_left_out(mode.mode, here) if mode and mode.mode else None
    return PlannedWords(
        _mode(mode, baseline, cohort, importer) if mode and mode_left_out is None else None,
        _objective(store, baseline, cohort, importer),
        tuple(refusal for refusal in unsaid if why[refusal.change_id] is None),
        {id_: left_out for id_, left_out in why.items() if left_out is not None},
        mode_left_out,
    )


def _left_out(refusal: Verdict, here: Here, set_there: Set[str]) -> LeftOut | None:
    """`set_there` are the properties that the file brings a proven value of. There its record spoke for that; here it has none,
    and a refusal of one value keeps out all."""
    if here.takes_out_proven(refusal):
        return LeftOut.PROVEN_HERE
    return None if set_there.isdisjoint(properties_of_id(refusal.change_id)) else LeftOut.PROVEN_THERE


def _mode_left_out(there: Mode, here: Here) -> LeftOut | None:
    """A file holds back, where nothing was done yet; that more is done to a job, or less, somebody says where it runs."""
    if there is Mode.AUTO:
        return LeftOut.AUTO
    if here.mode is not None and _MODES.index(there) >= _MODES.index(here.mode):
        return LeftOut.AS_STRICT
    return LeftOut.IN_FORCE_HERE if here.is_steered else None


def _mode(said: ModeChange, baseline: ExportedBaseline, cohort: str, importer: Importer) -> ModeChange:
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
