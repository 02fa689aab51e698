"""Changes that were advised, and that a later run then had: predicted beside measured."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tuner.model.decision import DecidedAction
from tuner.model.run import Run
from tuner.policy.followed import in_effect
from tuner.policy.measure import (
    MAX_BASELINES,
    Comparison,
    Control,
    Key,
    Keys,
    Measured,
    comparison,
    machine_speed,
    measured_queries,
    median_seconds,
    noise,
    usable,
)
from tuner.replay.cohort_replay import Observed
from tuner.replay.has_action import has_action
from tuner.replay.with_changes import Change, Place, changes_of, with_changes, without_called_for


@dataclass(slots=True)
class _Open:
    """The newest advice on a change, and the run that it was given for."""

    change: Change
    advised_in: str


@dataclass(slots=True)
class Observer:
    """Takes the runs of a cohort in time order, each with the decision it was to have."""

    _advised: dict[Place, _Open] = field(default_factory=dict)
    _past: deque[Run] = field(default_factory=lambda: deque(maxlen=MAX_BASELINES))

    def take(self, run: Run, decided: Sequence[DecidedAction]) -> tuple[Observed, ...]:
        """The changes that this run had and the one before it had not. `decided` is what was advised for this run."""
        before = self._past[-1] if self._past else None
        for change in changes_of(decided):
            # Of what is in force already the prediction is that of when it was not.
            if before is None or not _has(change, before):
                self._advised[change.place] = _Open(change, run.key)
        if not usable(run):
            return ()
        found = tuple(self._observe(run, before)) if before else ()
        self._past.append(run)
        return found

    def _observe(self, run: Run, before: Run) -> Iterator[Observed]:
        new = [o for o in self._advised.values() if _has(o.change, run) and not _has(o.change, before)]
        for group in _sharing_queries(new):
            changes = [o.change for o in group]
            past = [r for r in self._past if not any(_has(change, r) for change in changes)]
            others = {q for o in new for q in o.change.queries}
            yield from self._compared(run, group, past, others)

    def _compared(self, run: Run, group: Sequence[_Open], past: Sequence[Run], others: set[str]) -> Iterator[Observed]:
        """`others` are the queries of all that is new in the run: the rest tells how fast the machine was."""
        changes = [o.change for o in group]
        touched = {q for change in changes for q in change.queries}
        measured, keys = dict[Key, list[Measured]](), Keys()
        for earlier in past:
            for query in measured_queries(earlier):
                measured.setdefault(keys.add(query), []).append(query)
        pairs = [(query, found) for query in measured_queries(run) if (found := measured.get(keys.of(query)))]
        speed, _ = machine_speed(
            [Control(q.seconds, median_seconds(q, p)) for q, p in pairs if q.fingerprint not in others]
        )
        compared = [comparison(q, p, speed, noise(p)) for q, p in pairs if q.fingerprint in touched]
        seconds = _by_query(compared)
        predicted = with_changes(seconds, changes)
        if predicted is None or not predicted.before:
            return
        yield Observed(
            actions=tuple(action.id for change in changes for action in change.actions),
            words=", ".join(change.words for change in changes),
            queries=tuple(sorted(seconds)),
            advised_in=group[0].advised_in,
            seen_in=run.key,
            predicted=predicted,
            before=predicted.before,
            after=sum(c.measured for c in compared),
            by_tuner=all(_by_tuner(change, run) for change in changes),
        )


def _has(change: Change, run: Run) -> bool:
    """Whether all of a change was in a run: what the tuner put there counts if it was followed."""
    if run.outcome is None:
        return False
    return _by_tuner(change, run) or all(
        has_action(run.outcome, action) for action in without_called_for(change.actions)
    )


def _by_tuner(change: Change, run: Run) -> bool:
    followed = {d.action.id for d in in_effect(run)}
    return {action.id for action in without_called_for(change.actions)} <= followed


def _sharing_queries(found: Sequence[_Open]) -> list[list[_Open]]:
    """Changes that came in one run and share queries are one: what each of them did cannot be told."""
    groups: list[tuple[set[str], list[_Open]]] = []
    for one in found:
        queries, members = set(one.change.queries), [one]
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
