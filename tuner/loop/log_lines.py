"""What a turn of the loop says in a log: three lines before the run, three after it, and the details for who asks.

Texts come from event logs and from people: each becomes one printable line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tuner.loop.turn import Report, Turn
from tuner.model.decision import DecidedChange, Standing
from tuner.model.query import QueryStatus
from tuner.model.run import RunState
from tuner.model.trial import decided_by_trial, standing_of
from tuner.printable import visible
from tuner.steering.directives import Steering
from tuner.units import format_seconds
from tuner.words.actions import action_words
from tuner.words.changes import change_words
from tuner.words.counts import over_queries
from tuner.words.decisions import decision_summary
from tuner.words.failures import failure_words
from tuner.words.gains import gain_words, night_words
from tuner.words.query_names import QueryNames
from tuner.words.reasons import reason_words, why_words
from tuner.words.sizes import size_words
from tuner.words.standings import standing_words

if TYPE_CHECKING:
    from tuner.model.cohort_figures import Gained
    from tuner.policy.judgement import Judgement

# An order of joins spells its relations.
MAX_LINE = 1500
# What a reader wants to know of first.
_FIRST = (
    Standing.TRIAL,
    Standing.PROMOTED,
    Standing.PINNED,
    Standing.ROLLED_BACK,
    Standing.EXPIRED,
    Standing.PROPOSED,
    Standing.HELD,
)
_NEWS = (Standing.ROLLED_BACK, Standing.PROMOTED, Standing.HELD, Standing.TRIAL)


def turn_lines(turn: Turn) -> list[str]:
    """The decision, the change that is to gain most and why, how changes are carried out; then a line for each problem."""
    decision = turn.decision
    found = [f"{turn.job.cohort}: {decision_summary(decision)}" + (f" ({turn.taught})" if turn.taught else "")]
    if decision.changes:
        top = min(decision.changes, key=_rank)
        found.append(f"{_decided_words(top, turn.query_names)}{_and_more(decision.changes)}")
    found.extend(f"{size_words(one)}: {reason_words(one.why)}" for one in decision.sizes)
    if how := "; ".join(_how(turn)):
        found.append(how)
    return lines_of([*found, *turn.problems])


def report_lines(report: Report) -> list[str]:
    """What was measured, why it failed, what came of the changes, the one with most to tell; a line for each new problem."""
    found = [
        *_measured(report),
        *_failed(report),
        *_judged(report),
        *_not_followed(report),
    ]
    return lines_of([*found, *report.problems[len(report.turn.problems) :]])


def turn_details(turn: Turn) -> list[str]:
    """Every change with its standing and why, and what is not applied."""
    found = [_decided_words(decided, turn.query_names) for decided in sorted(turn.decision.changes, key=_rank)]
    return lines_of(
        [*found, *(f"not applied: {action_words(a, turn.query_names)}: {why}" for a, why in turn.directives.overruled)]
    )


def report_details(report: Report) -> list[str]:
    """Every change that was in force with its standing since, and why."""
    records = report.judgement.records if report.judgement else ()
    return lines_of(_decided_words(record.now, report.query_names) for record in records)


def _decided_words(decided: DecidedChange, names: QueryNames) -> str:
    return f"{standing_words(decided.standing)}: {change_words(decided.change, names)}: {why_words(decided, names)}"


def lines_of(texts: Iterable[str]) -> list[str]:
    """Of what is to be said, as a log has it."""
    return [f"spark-tuner: {visible(text, MAX_LINE)}" for text in texts]


def _rank(decided: DecidedChange) -> tuple[int, float]:
    predicted = decided.change.prediction
    return _FIRST.index(decided.standing), -(predicted.gain if predicted else 0.0)


def _and_more(of: Sequence[object]) -> str:
    return f" (and {len(of) - 1} more)" if len(of) > 1 else ""


def _how(turn: Turn) -> Iterable[str]:
    directives = turn.directives
    if directives.steering is Steering.OFF:
        yield "steering is off: nothing is changed"
    elif directives.why:
        yield f"steered by {directives.steering}, not by the agent: {directives.why}"
    elif directives.merged:
        yield "the agent applies changes to single joins"
    elif by := " and ".join(_means(turn)):
        yield f"carried out by {by}"
    if overruled := directives.overruled:
        action, why = overruled[0]
        yield f"not applied: {action_words(action, turn.query_names)}: {why}{_and_more(overruled)}"


def _means(turn: Turn) -> Iterable[str]:
    if turn.directives.conf:
        yield "properties"
    if turn.directives.statements not in ((), turn.job.statements):
        yield "hints in the SQL"


def _measured(report: Report) -> Iterable[str]:
    if (outcome := report.run.outcome if report.run else None) is None:
        return
    took = "" if outcome.duration_ms is None else f" in {format_seconds(outcome.duration_ms / 1e3)}"
    failed = sum(q.status is QueryStatus.FAILED for q in outcome.queries)
    how = f", {failed} of them failed" if failed else ""
    yield f"measured {over_queries(len(outcome.queries))}{took}{how} (Spark {outcome.spark_version}, {outcome.app_id})"
    if report.run and report.run.state is RunState.PARTIAL and outcome.problems:
        yield f"its log is not whole, so that it tells of no change: {outcome.problems[0]}"


def _failed(report: Report) -> Iterable[str]:
    if report.failure is not None:
        yield f"run {report.turn.job.key} failed: {failure_words(report.failure, report.query_names)}"


def _judged(report: Report) -> Iterable[str]:
    judgement, names = report.judgement, report.query_names
    if judgement is None or not judgement.records:
        return
    stand = [record.now for record in judgement.records]
    counts = Counter(map(standing_of, decided_by_trial(stand)))
    yield f"{_gain(judgement, report.gained)}{', '.join(f'{counts[s]} {standing_words(s)}' for s in _FIRST if counts[s])}"
    if news := [decided for decided in stand if decided.standing in _NEWS]:
        top = min(news, key=_weight)
        alike = [decided for decided in news if decided.standing is top.standing]
        yield f"{_decided_words(top, names)}{_and_more(alike)}"


def _gain(judgement: Judgement, booked: Gained | None) -> str:
    """Against that night; where none of the runs that are judged by was without the changes, as it is booked."""
    if (total := judgement.total) is None:
        return f"this run {gain_words(booked.seconds)}, as all runs so far tell: " if booked else "not measured: "
    queries = over_queries(judgement.queries, judgement.not_named)
    return f"{night_words(queries, total.expected, total.measured, total.gain_between)}; "


def _weight(decided: DecidedChange) -> tuple[int, float]:
    return _NEWS.index(decided.standing), -abs(decided.gained_seconds or 0.0)


def _not_followed(report: Report) -> Iterable[str]:
    if found := report.not_followed():
        _, words, why = found[0]
        yield f"not followed: {words}: {why}{_and_more(found)}"
