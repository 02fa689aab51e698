"""A loss that one night showed: the change is left out of the next run, which tells whether that was the change or the night."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.after_trial import sure_loss
from tuner.policy.blame import blamed
from tuner.policy.comparisons import Comparisons
from tuner.policy.effect import Effect
from tuner.policy.evidence.history import History
from tuner.policy.measure import Measured
from tuner.policy.record import Record
from tuner.policy.same_target import differ_on_target

# What is said of the night.
NIGHT = ("query", "run", "seconds", "expected_seconds")


def is_doubtful(
    decided: DecidedChange, loss: Reason, before: Record | None, started_at: datetime, *, has_controls: bool
) -> bool:
    """Whether a run without a change is to tell, before a loss of seconds takes it out: of a property, which may have moved all
    that would tell how fast the machine was, of what is proven, and of any where nothing told that. Once; runs side by side had
    the same night."""
    goes_at_once = decided.change.is_on_joins and decided.standing is not Standing.PROMOTED and has_controls
    if loss.code is not ReasonCode.SLOWER or goes_at_once:
        return False
    if before is None or before.doubt is None:
        return True
    return before.judged_at is not None and started_at < before.judged_at


def as_doubt(loss: Reason) -> Reason:
    """Why a run is to be without a change that seemed to lose in the one before."""
    return Reason(ReasonCode.HELD_OUT, {name: loss.numbers[name] for name in NIGHT})


def judged_together(doubted: Iterable[Record]) -> Iterator[list[Record]]:
    """Changes whose doubts came of one run, as their trials were judged: properties on trial together, those to the joins of a
    query, what is proven as it was tried."""
    groups: dict[tuple[object, ...], list[Record]] = {}
    for record in doubted:
        if record.doubt is not None:
            change = record.decided.change
            group = change.trial if record.standing is Standing.PROMOTED else change.query
            groups.setdefault((record.doubt.why.numbers["run"], group), []).append(record)
    yield from groups.values()


def confirmed_losses(
    doubted: Sequence[Record], run: Run, queries: Sequence[Measured], history: History
) -> Iterator[tuple[Record, Reason]]:
    """Of changes that a run left out since they seemed to lose together, those that surely do, and why: by all runs, the latest
    included, which ran these queries without them."""
    group = [record.decided for record in doubted]
    others = [d.id for d in run.decision.in_force if any(differ_on_target(d.change, o.change) for o in group)]
    found = []
    for query in queries:
        ids = frozenset(decided.id for decided in group if query.literals not in decided.excluded)
        if ids and (one := history.left_out(query, ids, others)) is not None:
            found.append(one)
    meant = {fingerprint for decided in group for fingerprint in decided.queries}
    named = tuple(one for one in found if one.fingerprint in meant)
    reaches_all = any(not decided.change.is_on_joins for decided in group)
    comparisons = Comparisons(named, tuple(one for one in found if one not in named) if reaches_all else ())
    effect = Effect.of_all(comparisons)
    blame, together = blamed(run, group, comparisons), sure_loss(effect, effect.total, None, run)
    for record in doubted:
        loss = blame.get(record.decided.id) or together
        if loss and record.doubt:
            night = record.doubt.why.numbers
            yield (
                record,
                replace(loss, numbers={**loss.numbers, **night, "named": night["query"] in record.decided.queries}),
            )
