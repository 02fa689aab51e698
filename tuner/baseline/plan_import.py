"""What an import of a baseline will do: decided before anything is stored, and shown as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from tuner.baseline.importer import Importer, imported_from
from tuner.baseline.in_force_by_runs import PROVEN, in_force_by_runs
from tuner.baseline.plan_said import Here, plan_said
from tuner.history.store import Store
from tuner.loop.decision_now import decision_now
from tuner.loop.known_runs import known_runs
from tuner.loop.outlook import OUTLOOK_AMONG
from tuner.model.decision import TAKEN_OUT, DecidedChange, Decision, Standing
from tuner.model.exported_baseline import ExportedBaseline, ProvenTrial
from tuner.model.import_plan import Fate, ImportPlan, PlannedTrial
from tuner.model.imported_change import ImportedChange
from tuner.model.run import Outcome, Run
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.policy.context import context_of
from tuner.policy.imported_changes import imports_now, more_or_fewer_cores
from tuner.policy.rulings import Rulings
from tuner.policy.rulings_since import rulings_since
from tuner.policy.same_target import differ_on_target
from tuner.policy.usable import latest_usable

# Why a trial of the file is not taken though it is tried here.
_IS_HERE = {Fate.IMPORTED_BEFORE, Fate.TRIED_HERE}


def plan_import(store: Store, baseline: ExportedBaseline, cohort: str, importer: Importer) -> ImportPlan:
    """For a cohort of a store, which may have no runs yet."""
    runs = store.runs(cohort, OUTLOOK_AMONG)
    decision = decision_now(store, cohort).decision if runs else None
    before = {one.change.id: one for one in store.imports(cohort)}
    verdicts_here = store.verdicts(cohort)
    in_force = in_force_by_runs(known_runs(store, cohort), verdicts_here)
    here = _Here(latest_usable(runs), decision, verdicts_here, before, in_force)
    wanted = [(trial, _imported(trial, baseline, cohort, importer)) for trial in baseline.trials]
    out = {id(trial): found for trial, imported in wanted if (found := here.out(trial, imported, pins=importer.pins))}
    taken = [one for trial, imported in wanted if id(trial) not in out for one in imported]
    verdicts = [_pin(one, baseline) for one in taken if importer.pins and not here.is_pinned(one)]
    there = (trial for trial, _ in wanted if id(trial) not in out or out[id(trial)].fate in _IS_HERE)
    brought = frozenset(id_ for trial in there for id_ in trial.ids)
    said = plan_said(store, baseline, cohort, importer, here.for_words(brought))
    now = here.with_imports(taken, [*said.refusals, *verdicts], importer, said.mode)
    trials = tuple(out.get(id(trial)) or here.fate(trial, now) for trial, _ in wanted)
    differences = _differences(here.latest, baseline) if trials else ()
    return ImportPlan(cohort, trials, tuple(taken), tuple(verdicts), differences, said)


@dataclass(frozen=True, slots=True)
class _Here:
    """What the cohort has: `decision` is for a run that would start now, None where it has no runs; `before` what it imported,
    `in_force` what is so by all its runs."""

    latest: Run | None
    decision: Decision | None
    verdicts: Sequence[Verdict]
    before: Mapping[str, ImportedChange]
    in_force: Sequence[DecidedChange]

    def out(self, trial: ProvenTrial, imported: Sequence[ImportedChange], *, pins: bool) -> PlannedTrial | None:
        """What it is left out for, the gravest first; None where it is taken."""
        rulings = Rulings.of(self.verdicts, trial.changes)
        said = [verdict for change in trial.changes if (verdict := rulings.on(change))]
        if refused := next((verdict for verdict in said if verdict.is_refusal), None):
            return PlannedTrial(trial, Fate.REFUSED_HERE, ruled=refused)
        for fate, decided in (*self._pinned(trial), *(() if pins else self._measured(trial))):
            return PlannedTrial(trial, fate, decided)
        if all(self._is_known(one) and (not pins or self.is_pinned(one)) for one in imported):
            return PlannedTrial(trial, Fate.IMPORTED_BEFORE)
        own = (d for d in self._same(trial) if d.standing is Standing.TRIAL and d.id not in self.before)
        tried = None if pins else next(own, None)
        return PlannedTrial(trial, Fate.TRIED_HERE, tried) if tried else None

    def _pinned(self, trial: ProvenTrial) -> Iterator[tuple[Fate, DecidedChange]]:
        yield from ((Fate.PINNED_HERE, d) for d in self._same(trial) if d.standing is Standing.PINNED)
        yield from ((Fate.OTHER_PINNED_HERE, d) for d in self._instead(trial) if d.standing is Standing.PINNED)

    def _measured(self, trial: ProvenTrial) -> Iterator[tuple[Fate, DecidedChange]]:
        yield from ((Fate.PROVEN_HERE, d) for d in self._same(trial) if d.standing is Standing.PROMOTED)
        yield from ((Fate.OTHER_PROVEN_HERE, d) for d in self._instead(trial) if d.standing is Standing.PROMOTED)
        yield from ((Fate.OUT_HERE, d) for d in self._same(trial) if d.standing in TAKEN_OUT)

    def _same(self, trial: ProvenTrial) -> list[DecidedChange]:
        return [d for d in self._decided if d.id in trial.ids]

    def _instead(self, trial: ProvenTrial) -> list[DecidedChange]:
        return [d for d in self._decided if any(differ_on_target(d.change, change) for change in trial.changes)]

    def for_words(self, brought: frozenset[str]) -> Here:
        """What counts more than what people said elsewhere."""
        decided = (*self._decided, *self.in_force)
        known = (*(d.change for d in decided), *(one.change for one in self.before.values()))
        proven = tuple(d.change for d in self.in_force if d.standing in PROVEN)
        rulings = Rulings.of(self.verdicts, known)
        said = (rulings.on(d.change) for d in self._decided if d.is_in_force)
        is_steered = bool(self.in_force) or any(verdict is not None and verdict.is_asked_for for verdict in said)
        mode = self.decision.mode if self.decision and not self.decision.steering_off else None
        return Here(rulings, known, proven, is_steered, mode, brought)

    @property
    def _decided(self) -> tuple[DecidedChange, ...]:
        return self.decision.changes if self.decision else ()

    def _is_known(self, one: ImportedChange) -> bool:
        before = self.before.get(one.change.id)
        return before is not None and replace(before, by=one.by, at=one.at) == one

    def is_pinned(self, one: ImportedChange) -> bool:
        verdict = Rulings.of(self.verdicts, [one.change]).on(one.change)
        return verdict is not None and verdict.ruling is Ruling.PIN

    def with_imports(
        self,
        imported: Sequence[ImportedChange],
        verdicts: Sequence[Verdict],
        importer: Importer,
        given: ModeChange | None,
    ) -> dict[str, DecidedChange]:
        """What a run that starts then will have of them, by id; nothing of those that wait."""
        if self.decision is None:
            return {}
        imports = imports_now(imported, self.latest, [decided.change for decided in self._decided])
        before = importer.at - timedelta(microseconds=1)
        mode = given.mode if given and given.mode and not self.decision.steering_off else self.decision.mode
        now = rulings_since(self.decision, before, [*self.verdicts, *verdicts], mode, imports)
        there = {change.id for change in imports.changes}
        return {decided.id: decided for decided in now.changes if decided.id in there}

    def fate(self, trial: ProvenTrial, now: Mapping[str, DecidedChange]) -> PlannedTrial:
        """Of one that is taken."""
        if self.latest is None:
            return PlannedTrial(trial, Fate.WAITS_FOR_RUN)
        decided = now.get(trial.changes[0].id)
        return PlannedTrial(trial, Fate.DECIDED if decided else Fate.WAITS_FOR_QUERY, decided)


def _imported(
    trial: ProvenTrial, baseline: ExportedBaseline, cohort: str, importer: Importer
) -> tuple[ImportedChange, ...]:
    proven_with = (baseline.spark_version, baseline.cluster, trial.input_bytes)
    return tuple(ImportedChange(cohort, change, importer.by, importer.at, *proven_with) for change in trial.changes)


def _pin(one: ImportedChange, baseline: ExportedBaseline) -> Verdict:
    return Verdict(one.cohort, one.change.id, Ruling.PIN, one.by, one.at, imported_from(baseline))


def _differences(latest: Run | None, baseline: ExportedBaseline) -> tuple[str, ...]:
    """In words, what the latest run has in place of what the baseline was proven with."""
    if latest is None or latest.outcome is None:
        return ()
    here = context_of(latest.outcome, latest.decision.cuts)
    there = context_of(Outcome("", baseline.spark_version, None, baseline.cluster, ()))
    of_version = replace(here, cluster=there.cluster).difference(there)
    of_cluster = replace(here, version=there.version).difference(there)
    of_cores = more_or_fewer_cores(latest, latest.outcome, baseline.cluster)
    return tuple(filter(None, (of_version, of_cluster, of_cores)))
