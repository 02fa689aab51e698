"""What may go wrong with a change, in words: what its runs, its prediction and its reach tell, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import ReasonCode
from tuner.policy.evidence.comparison import MIN_GAIN_SECONDS
from tuner.policy.measured_gain import MeasuredGain
from tuner.units import format_seconds
from tuner.words.counts import counted

_FAILED = frozenset({ReasonCode.RUN_FAILED, ReasonCode.QUERY_FAILED})


@dataclass(frozen=True, slots=True)
class RiskWords:
    """`may_harm`: a run may take longer or fail; else it tells how far the change reaches."""

    words: str
    may_harm: bool = False


def risk_words(trial: Sequence[DecidedChange], gain: MeasuredGain | None, queries: int) -> list[RiskWords]:
    """Of changes that are tried together, the gravest first. `gain` is what their runs tell so far, `queries` how many the
    cohort's latest run had."""
    return [*_failed(trial), *_losing(trial, gain), *_pinned(trial), *_reach(trial, queries), *_parts(trial)]


def _failed(trial: Sequence[DecidedChange]) -> Iterator[RiskWords]:
    if any(decided.is_in_force and decided.why.code in _FAILED for decided in trial):
        yield RiskWords("a run failed with it", may_harm=True)


def _losing(trial: Sequence[DecidedChange], gain: MeasuredGain | None) -> Iterator[RiskWords]:
    """By what was measured, as soon as it was: a prediction says nothing more then."""
    measured = next((d.gained_seconds for d in trial if d.gained_seconds is not None), None)
    predicted = next((d.change.prediction for d in trial if d.change.prediction), None)
    if gain is not None:
        if gain.low < -MIN_GAIN_SECONDS:
            yield RiskWords(f"may cost up to {format_seconds(-gain.low)} (measured)", may_harm=True)
    elif measured is not None:
        if measured < -MIN_GAIN_SECONDS:
            yield RiskWords(f"cost {format_seconds(-measured)} in the latest run that measured it", may_harm=True)
    elif predicted is not None and predicted.high - predicted.before > MIN_GAIN_SECONDS:
        loss = format_seconds(predicted.high - predicted.before)
        yield RiskWords(f"may cost up to {loss} (predicted)", may_harm=True)


def _pinned(trial: Sequence[DecidedChange]) -> Iterator[RiskWords]:
    if any(decided.standing is Standing.PINNED for decided in trial):
        yield RiskWords("pinned: stays in force whatever it measures")


def _reach(trial: Sequence[DecidedChange], queries: int) -> Iterator[RiskWords]:
    meant_for = len({query for decided in trial for query in decided.queries})
    if queries > meant_for and any(decided.change.sets_properties for decided in trial):
        yield RiskWords(f"reaches all {counted(queries, 'query')}, meant for {meant_for}")


def _parts(trial: Sequence[DecidedChange]) -> Iterator[RiskWords]:
    if len(trial) > 1:
        yield RiskWords(f"{len(trial)} changes that stand or fall together")
    if excluded := {literals for decided in trial for literals in decided.excluded}:
        yield RiskWords(f"left out for {counted(len(excluded), 'set')} of filter values, where it lost or failed")
