"""Which of the actions in force are to blame for the queries of a run that lost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from tuner.model.action import ActionKind
from tuner.model.decision import DecidedAction, Standing
from tuner.model.failure import Failure
from tuner.model.query import QueryStatus
from tuner.model.run import Run
from tuner.policy.measure import Comparison, Comparisons, History, gainers, losers
from tuner.policy.suspects import from_outside, known_makers, suspects
from tuner.units import format_seconds

# Slower by this share and more than noise: one run is enough to undo what was proven.
FAR_SLOWER = 0.5


@dataclass(frozen=True, slots=True)
class Blame:
    """Why an action lost, and whether by so much that one run is enough to undo what was proven."""

    reason: str
    severe: bool

    @classmethod
    def of(cls, c: Comparison, run: Run) -> Self:
        """For a query that was slower."""
        return cls(f"slower: a query took {_words(c)} in run {run.key}", c.measured > (1 + FAR_SLOWER) * c.high)

    @classmethod
    def beside(cls, c: Comparison, run: Run) -> Self:
        """For a query that a property was not meant for: one alone may be slow by itself."""
        reason = f"slower: a query it was not meant for took {_words(c)} in run {run.key}"
        return cls(reason, severe=False)


def _words(c: Comparison) -> str:
    return f"{format_seconds(c.measured)} instead of {format_seconds(c.expected)} (noise {c.noise:.0%})"


def blamed(
    run: Run, group: Sequence[DecidedAction], found: Comparisons, history: History, blurred: Collection[str] = ()
) -> dict[str, Blame]:
    """The actions of `group` to blame, by id. Of the queries `blurred` nothing can be said of this group."""
    accused = [d for d in group if d.standing is not Standing.PINNED]
    blame: dict[str, Blame] = {}
    for comparison in losers(found.touched):
        for decided in _nearest(accused, comparison.fingerprint):
            blame.setdefault(decided.action.id, Blame.of(comparison, run))
    for decided in _of_bystanders(accused, found):
        worst = min(_bystanders(found), key=lambda c: c.gain)
        blame.setdefault(decided.action.id, Blame.beside(worst, run))
    for fingerprint in _newly_failed(run, history, blurred):
        failure = _failure_of(run, fingerprint)
        if from_outside(failure):
            continue
        known = known_makers(failure, accused)
        for decided in suspects(failure, _nearest(accused, fingerprint) or _global(accused)):
            reason = f"a query that succeeded before failed with it in run {run.key}"
            reason += f": {failure.words}" if failure else ""
            # Of what was proven only a failure that it is known to make says enough by itself.
            blame[decided.action.id] = Blame(reason, severe=decided in known)
    return blame


def _nearest(accused: Sequence[DecidedAction], fingerprint: str) -> list[DecidedAction]:
    """Of the actions that touch a query those that touch the fewest. What was set together goes together."""
    touching = [d for d in accused if fingerprint in d.queries]
    fewest = min((len(d.queries) for d in touching), default=0)
    return [d for d in touching if len(d.queries) == fewest]


def _global(accused: Sequence[DecidedAction]) -> list[DecidedAction]:
    """Properties reach every query, whichever they were meant for."""
    return [d for d in accused if d.action.kind is ActionKind.SET_CONF]


def _of_bystanders(accused: Sequence[DecidedAction], found: Comparisons) -> list[DecidedAction]:
    """The properties to blame when queries they were not meant for lost more than others, and those they were, gained."""
    lost = sum(c.measured - c.high for c in _bystanders(found))
    gained = sum(max(0.0, c.gain) for c in (*found.touched, *gainers(found.beside)))
    return _global(accused) if lost > gained else []


def _bystanders(found: Comparisons) -> list[Comparison]:
    return losers(found.untouched)


def _failure_of(run: Run, fingerprint: str) -> Failure | None:
    """Why the query failed, where it was the last that did."""
    failure = run.outcome.failure if run.outcome else None
    return failure if failure is not None and failure.query == fingerprint else None


def _newly_failed(run: Run, history: History, blurred: Collection[str]) -> Iterator[str]:
    """Queries that failed in a job that went on, and have succeeded before."""
    for query in run.outcome.queries if run.outcome else ():
        if query.status is QueryStatus.FAILED and query.fingerprint not in blurred and history.knows(query.fingerprint):
            yield query.fingerprint
