"""What a cohort has proven, by all that its runs so far tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tuner.baseline.flaw import action_flaw, change_flaw
from tuner.baseline.in_force_by_runs import PROVEN, in_force_by_runs
from tuner.baseline.said import said_there
from tuner.baseline.told_names import ToldNames
from tuner.history.store import Store
from tuner.loop.decision_now import decision_now
from tuner.loop.known_runs import known_runs
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Standing
from tuner.model.exported_baseline import ExportedBaseline, ProvenGain, ProvenTrial, Ruled
from tuner.model.query import total_data_bytes
from tuner.model.run import Run
from tuner.model.trial import decided_by_trial
from tuner.model.verdict import Verdict
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.executions import executions
from tuner.policy.imported_changes import cores_to_compare
from tuner.policy.measured_gain import RunsSoFar
from tuner.policy.rulings import Rulings
from tuner.policy.usable import latest_usable, usable

_UNTOLD_VERSION = re.compile(r"[^0-9A-Za-z.+_-]")


def proven_baseline(store: Store, cohort: str) -> ExportedBaseline | None:
    """What is promoted or pinned, whatever the next run has of it, and what people said; None where no run of the cohort was
    measured and nobody said anything that holds."""
    runs, verdicts = known_runs(store, cohort), store.verdicts(cohort)
    said, latest = said_there(store, cohort, runs, verdicts), latest_usable(runs)
    if latest is None or latest.outcome is None:
        return ExportedBaseline(cohort, said.last_at.date(), "", Cluster(), (), said) if said.last_at else None
    found = _Proven(runs, verdicts)
    by_runs = (decided for decided in in_force_by_runs(runs, verdicts) if decided.standing in PROVEN)
    trials = found.trials([*by_runs, *_pinned(store, cohort)])
    version = _UNTOLD_VERSION.sub("", latest.outcome.spark_version)[:100]
    as_of = (latest.ended_at or latest.started_at).date()
    cluster = replace(latest.outcome.cluster, cores=cores_to_compare(latest, latest.outcome))
    return ExportedBaseline(cohort, as_of, version, cluster, tuple(trials), said)


def _pinned(store: Store, cohort: str) -> list[DecidedChange]:
    """Those that no run had yet, too."""
    return [d for d in decision_now(store, cohort).decision.changes if d.standing is Standing.PINNED]


class _Proven:
    """What is to be said of what a cohort has proven."""

    def __init__(self, runs: Sequence[Run], verdicts: Sequence[Verdict]) -> None:
        self._newest_first = [run for run in reversed(runs) if usable(run)]
        self._in_effect = [{decided.id for decided in changes_in_effect(run)} for run in self._newest_first]
        self._verdicts = verdicts
        self._so_far = RunsSoFar.of(runs)
        self._names = ToldNames(runs)

    def trials(self, proven: Iterable[DecidedChange]) -> list[ProvenTrial]:
        """In an order that does not hang on when each was proven; without what could not be imported anywhere."""
        once: Mapping[str, DecidedChange] = {decided.id: decided for decided in reversed(list(proven))}
        found = []
        for trial in decided_by_trial(once.values()):
            ordered = sorted(trial, key=lambda d: (bool(d.change.needs), d.id))
            if not ordered[0].change.needs and self._is_whole(ordered):
                found.append(self._trial(ordered))
        return sorted(found, key=lambda t: (sorted(t.names.values()), t.changes[0].id))

    def _is_whole(self, trial: Sequence[DecidedChange]) -> bool:
        changes = [decided.change for decided in trial]
        flaws = (action_flaw(action) for change in changes for action in change.actions)
        return bool(changes[0].queries) and not any(flaws) and not change_flaw(changes, changes[0].queries)

    def _trial(self, trial: Sequence[DecidedChange]) -> ProvenTrial:
        queries = trial[0].queries
        is_pinned = any(decided.standing is Standing.PINNED for decided in trial)
        rulings = Rulings.of(self._verdicts, (decided.change for decided in trial))
        said = [verdict for decided in trial if (verdict := rulings.on(decided.change))]
        last = max(said, key=lambda verdict: verdict.at, default=None)
        return ProvenTrial(
            tuple(decided.change for decided in trial),
            Standing.PINNED if is_pinned else Standing.PROMOTED,
            self._names.of(queries),
            self._gain(trial),
            Ruled(last.ruling, last.by, last.at, last.reason) if last else None,
            int(float(f"{self._input_bytes(trial):.1e}")),
        )

    def _input_bytes(self, trial: Sequence[DecidedChange]) -> int:
        """Of each query as it last ran with the changes in effect; as it last ran, where it never did."""
        ids = {decided.id for decided in trial}
        having = zip(self._newest_first, self._in_effect, strict=True)
        with_it = [run for run, in_effect in having if ids <= in_effect]
        return sum(_last_read(query, [*with_it, *self._newest_first]) for query in trial[0].queries)

    def _gain(self, trial: Sequence[DecidedChange]) -> ProvenGain | None:
        if gain := self._so_far.gain(trial):
            return ProvenGain(gain.seconds, gain.low, gain.high, gain.runs)
        last = next((d.gained_seconds for d in trial if d.gained_seconds is not None), None)
        return None if last is None else ProvenGain(last)


def _last_read(query: str, runs: Iterable[Run]) -> int:
    """What a query (fingerprint) read in the first of these runs in which it read anything; 0 where it did in none."""
    return next(filter(None, (total_data_bytes(executions(run, query)) for run in runs)), 0)
