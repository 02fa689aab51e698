"""Which of the changes in force are to blame for the queries of a run that lost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from tuner.model.decision import DecidedChange, Standing
from tuner.model.failure import Failure
from tuner.model.query import QueryStatus
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.compare import Comparisons
from tuner.policy.comparison import Comparison, gainers, losers
from tuner.policy.evidence.history import History
from tuner.policy.suspects import from_outside, known_makers, suspects

# Slower by this share and more than noise: one run is enough to undo what was proven.
FAR_SLOWER = 0.5


@dataclass(frozen=True, slots=True)
class Blame:
    """Why a change lost, and whether by so much that one run is enough to undo what was proven."""

    reason: Reason
    severe: bool

    @classmethod
    def of(cls, c: Comparison, run: Run) -> Self:
        """For a query that was slower."""
        return cls(_slower(c, run, named=True), severe=True)

    @classmethod
    def beside(cls, c: Comparison, run: Run) -> Self:
        """For a query that a property was not meant for: one alone may be slow by itself."""
        return cls(_slower(c, run, named=False), severe=False)


def _slower(c: Comparison, run: Run, *, named: bool) -> Reason:
    numbers: dict[str, Number] = {"query": c.fingerprint, "named": named, "run": run.key}
    sure: dict[str, Number] = {"loss_probability": c.loss_probability}
    return Reason(ReasonCode.SLOWER, {**numbers, **sure, "seconds": c.measured, "expected_seconds": c.expected})


def blamed(
    run: Run, group: Sequence[DecidedChange], found: Comparisons, history: History, blurred: Collection[str] = ()
) -> dict[str, Blame]:
    """The changes of `group` to blame, by id. Of the queries `blurred` nothing can be said of this group."""
    accused = [d for d in group if d.standing is not Standing.PINNED]
    blame: dict[str, Blame] = {}
    for comparison in losers(found.touched):
        for decided in _nearest(accused, comparison.fingerprint):
            blame.setdefault(decided.id, Blame.of(comparison, run))
    for decided in _of_bystanders(accused, found):
        worst = min(_bystanders(found), key=lambda c: c.gain)
        blame.setdefault(decided.id, Blame.beside(worst, run))
    for fingerprint in _newly_failed(run, history, blurred):
        failure = _failure_of(run, fingerprint)
        if from_outside(failure):
            continue
        known = known_makers(failure, accused)
        for decided in suspects(failure, _nearest(accused, fingerprint) or _global(accused)):
            numbers = {"query": fingerprint, "run": run.key, "failure": failure.words if failure else ""}
            # Of what was proven only a failure that it is known to make says enough by itself.
            blame[decided.id] = Blame(Reason(ReasonCode.QUERY_FAILED, numbers), severe=decided in known)
    return blame


def _nearest(accused: Sequence[DecidedChange], fingerprint: str) -> list[DecidedChange]:
    """Of the changes that touch a query those that touch the fewest. What was set together goes together."""
    touching = [d for d in accused if fingerprint in d.queries]
    fewest = min((len(d.queries) for d in touching), default=0)
    return [d for d in touching if len(d.queries) == fewest]


def _global(accused: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Properties reach every query, whichever they were meant for."""
    return [d for d in accused if not d.change.is_on_joins]


def _of_bystanders(accused: Sequence[DecidedChange], found: Comparisons) -> list[DecidedChange]:
    """The properties to blame when queries they were not meant for lost more than others, and those they were, gained."""
    lost = sum(-c.gain for c in _bystanders(found))
    gained = sum(max(0.0, c.gain) for c in (*found.touched, *gainers(found.beside)))
    return _global(accused) if lost > gained else []


def _bystanders(found: Comparisons) -> list[Comparison]:
    return losers(found.beside)


def _failure_of(run: Run, fingerprint: str) -> Failure | None:
    """Why the query failed, where it was the last that did."""
    failure = run.outcome.failure if run.outcome else None
    return failure if failure is not None and failure.query == fingerprint else None


def _newly_failed(run: Run, history: History, blurred: Collection[str]) -> Iterator[str]:
    """Queries that failed in a job that went on, and have succeeded before."""
    for query in run.outcome.queries if run.outcome else ():
        if query.status is QueryStatus.FAILED and query.fingerprint not in blurred and history.knows(query.fingerprint):
            yield query.fingerprint
