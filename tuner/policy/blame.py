"""Which of the changes in force are to blame for the queries of a run that were slower."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.comparisons import Comparisons
from tuner.policy.evidence.comparison import Comparison, gainers, losers


def slower(c: Comparison, run: Run, *, named: bool) -> Reason:
    """Of a query that was slower, which a change names, or a property was not meant for."""
    numbers: dict[str, Number] = {"query": c.fingerprint, "named": named, "run": run.key}
    sure: dict[str, Number] = {"loss_probability": c.loss_probability}
    return Reason(ReasonCode.SLOWER, {**numbers, **sure, "seconds": c.measured, "expected_seconds": c.expected})


def blamed(run: Run, group: Sequence[DecidedChange], found: Comparisons) -> dict[str, Reason]:
    """The changes of `group` to blame for what was slower, by id, and why."""
    accused = [d for d in group if d.standing is not Standing.PINNED]
    blame: dict[str, Reason] = {}
    for comparison in losers(found.touched):
        for decided in _nearest(accused, comparison.fingerprint):
            blame.setdefault(decided.id, slower(comparison, run, named=True))
    for decided in _of_bystanders(accused, found):
        worst = min(_bystanders(found), key=lambda c: c.usual_gain)
        blame.setdefault(decided.id, slower(worst, run, named=False))
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
    """The properties to blame when queries they were not meant for lost more than others, and those they were, gained:
    by all runs, for one night of either is its own."""
    lost = sum(-c.usual_gain for c in _bystanders(found))
    gained = sum(max(0.0, c.usual_gain) for c in (*found.touched, *gainers(found.beside)))
    return _global(accused) if lost > gained else []


def _bystanders(found: Comparisons) -> list[Comparison]:
    return losers(found.beside)
