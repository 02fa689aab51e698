"""Changes that were advised, and that a later run then had: predicted beside measured."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tuner.model.decision import DecidedChange
from tuner.model.run import Run
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.evidence.comparison import Comparison
from tuner.policy.evidence.history import History
from tuner.policy.judging.queries_beside import QueriesBeside
from tuner.policy.measure import measured_queries
from tuner.policy.usable import usable
from tuner.replay.cohort_replay import Observed
from tuner.replay.has_action import has_action
from tuner.replay.trials import Place, Trial, trials_of, with_trials
from tuner.words.changes import change_words
from tuner.words.query_names import QueryNames

# Older runs than these say little of tonight.
MAX_PAST = 10


@dataclass(slots=True)
class _Open:
    """The newest advice on a trial, and the run that it was given for."""

    trial: Trial
    advised_in: str


@dataclass(slots=True)
class Observer:
    """Takes the runs of a cohort in time order, each with the decision it was to have."""

    _advised: dict[Place, _Open] = field(default_factory=dict)
    _past: deque[Run] = field(default_factory=lambda: deque(maxlen=MAX_PAST))

    def take(self, run: Run, decided: Sequence[DecidedChange]) -> tuple[Observed, ...]:
        """The changes that this run had and the one before it had not. `decided` is what was advised for this run."""
        before = self._past[-1] if self._past else None
        for trial in trials_of(decided):
            # Of what is in force already the prediction is that of when it was not.
            if before is None or not _has(trial, before):
                self._advised[trial.place] = _Open(trial, run.key)
        if not usable(run):
            return ()
        found = tuple(self._observe(run, before)) if before else ()
        self._past.append(run)
        return found

    def _observe(self, run: Run, before: Run) -> Iterator[Observed]:
        new = [o for o in self._advised.values() if _has(o.trial, run) and not _has(o.trial, before)]
        for group in _sharing_queries(new):
            trials = [o.trial for o in group]
            past = [r for r in self._past if not any(_has(trial, r) for trial in trials)]
            others = {q for o in new for q in o.trial.queries}
            yield from self._compared(run, group, past, others)

    def _compared(self, run: Run, group: Sequence[_Open], past: Sequence[Run], others: set[str]) -> Iterator[Observed]:
        """`others` are the queries of all that is new in the run: the rest tells how fast the machine was."""
        trials = [o.trial for o in group]
        touched = {q for trial in trials for q in trial.queries}
        history, beside = History(), QueriesBeside()
        for earlier in past:
            history.add(measured_queries(earlier), beside=beside.add(earlier))
        # What is new, whoever put it there; what else is new in the run is another's.
        new = frozenset(["the trials of the group"])
        elsewhere = frozenset(["trials of other groups"])
        queries = [
            replace(
                q, changes=new if q.fingerprint in touched else elsewhere if q.fingerprint in others else frozenset()
            )
            for q in measured_queries(run)
        ]
        history.add(queries, beside=beside.add(run))
        mine = (history.compared(q, new) for q in queries if q.changes == new)
        compared = [found for found in mine if found is not None]
        seconds = _by_query(compared)
        predicted = with_trials(seconds, trials)
        if predicted is None or not predicted.before:
            return
        names = QueryNames(run.outcome.queries if run.outcome else ())
        yield Observed(
            actions=tuple(action.id for trial in trials for action in trial.actions),
            words=", ".join(change_words(d.change, names) for trial in trials for d in trial.decided),
            queries=tuple(sorted(seconds)),
            advised_in=group[0].advised_in,
            seen_in=run.key,
            predicted=predicted,
            before=predicted.before,
            after=sum(c.measured for c in compared),
            by_tuner=all(_by_tuner(trial, run) for trial in trials),
            advisors=tuple(dict.fromkeys(d.change.advisor for trial in trials for d in trial.leading)),
        )


def _has(trial: Trial, run: Run) -> bool:
    """Whether all of a trial was in a run: what the tuner put there counts if it was followed."""
    if run.outcome is None:
        return False
    actions = (action for decided in trial.leading for action in decided.change.actions)
    return _by_tuner(trial, run) or all(has_action(run.outcome, action) for action in actions)


def _by_tuner(trial: Trial, run: Run) -> bool:
    return {decided.id for decided in trial.leading} <= {decided.id for decided in changes_in_effect(run)}


def _sharing_queries(found: Sequence[_Open]) -> list[list[_Open]]:
    """Changes that came in one run and share queries are one: what each of them did cannot be told."""
    groups: list[tuple[set[str], list[_Open]]] = []
    for one in found:
        queries, members = set(one.trial.queries), [one]
        apart = []
        for others, group in groups:
            if queries.isdisjoint(others):
                apart.append((others, group))
            else:
                queries |= others
                members = group + members
        groups = [*apart, (queries, members)]
    return [members for _, members in groups]


def _by_query(compared: Sequence[Comparison]) -> dict[str, float]:
    """What the queries would have taken without the change, on the machine of this run."""
    seconds: dict[str, float] = {}
    for found in compared:
        seconds[found.fingerprint] = seconds.get(found.fingerprint, 0.0) + found.expected
    return seconds
