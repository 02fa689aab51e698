"""Two runs to what differs, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tuner.compare.cause import Cause, CauseCode, CauseKind
from tuner.compare.compared_executions import ComparedExecutions, compared_executions
from tuner.compare.execution_amounts import ExecutionAmounts
from tuner.compare.execution_causes import execution_causes
from tuner.compare.operator_difference import OperatorDifference, operator_differences
from tuner.compare.paired_executions import Pairs, paired_executions
from tuner.compare.run_comparison import CauseTotal, QueryComparison, RunComparison, RunTotals
from tuner.compare.surroundings import Surroundings, surroundings
from tuner.model.query import Query
from tuner.model.reason import Number
from tuner.model.run import Outcome, Run, RunState
from tuner.policy.evidence.comparison import MIN_SECONDS
from tuner.policy.evidence.history import MIN_CONTROL_SECONDS
from tuner.policy.evidence.log_ratio import Z_90
from tuner.policy.evidence.machine import FEW, Control, machine_speed
from tuner.policy.evidence.metric import CLOCK
from tuner.policy.overlap import clock_seconds

# Two runs of one query differ by less nine times of ten, where nothing but the night is another.
NOISE = Z_90 * math.sqrt(2) * CLOCK.noise
# Queries that ran one after the other sum to no more of the clock than this many times what they covered of it.
OVERLAP = 1.05
# Of a difference that is noise at most this share has a cause but the machine.
MOST_CAUSED = 0.5
# What less of a query's seconds comes from is not counted as a query that a cause reached.
LEAST_SECONDS = 0.1


class NotMeasuredError(ValueError):
    """A run without an outcome: nothing was measured that could be compared."""


def compare_runs(before: Run, after: Run) -> RunComparison:
    """What differs from the run `before` to the one `after`. Raises NotMeasuredError for a run whose log never came."""
    old, new = _totals(before), _totals(after)
    around = surroundings(before, after)
    pairs = paired_executions(_queries(before), _queries(after))
    compared = {one.fingerprint: [compared_executions(*both, around) for both in one.both] for one in pairs}
    machine = _machine(pair for several in compared.values() for pair in several)
    queries = [_query(one, compared[one.fingerprint], around, machine, after.state) for one in pairs]
    outside = _outside(old, new)
    whole = sum(query.difference for query in queries) + (outside.seconds if outside else 0.0)
    queries = [replace(query, share=_share(query.difference, whole)) for query in queries]
    queries.sort(key=lambda query: (-abs(query.difference), query.fingerprint))
    causes = _by_kind(queries, outside)
    found = RunComparison(
        before=old,
        after=new,
        is_same=before.key == after.key or (old.app_id == new.app_id != "" and old.started_at == new.started_at),
        is_noise=False,
        causes=causes,
        queries=tuple(queries),
        settings=around.settings,
        changes={change.id: change for change in (*around.changes_in, *around.changes_out)},
        changes_in=tuple(change.id for change in around.changes_in),
        changes_out=tuple(change.id for change in around.changes_out),
        left_out=tuple(change.id for change in around.changes_out if change.id in around.left_out),
    )
    return replace(found, is_noise=_is_chance(*found.seconds) and _is_by_machine(causes, found.difference))


def _queries(run: Run) -> Sequence[Query]:
    return _outcome(run).queries


def _outcome(run: Run) -> Outcome:
    if run.outcome is None:
        raise NotMeasuredError(run.key)
    return run.outcome


def _totals(run: Run) -> RunTotals:
    outcome = _outcome(run)
    amounts = ExecutionAmounts.together(ExecutionAmounts.of(query, outcome.cluster.cores) for query in outcome.queries)
    took = None if outcome.duration_ms is None else outcome.duration_ms / 1e3
    covered = clock_seconds(outcome.queries)
    return RunTotals(
        key=run.key,
        cohort=run.cohort,
        app_id=outcome.app_id,
        started_at=run.started_at,
        state=run.state,
        application_seconds=took,
        outside_seconds=None if took is None else max(0.0, took - covered),
        core_hours=outcome.allocated_core_hours,
        gc_share=outcome.resources.gc_share,
        amounts=amounts,
        queries=len(outcome.queries),
        overlaps=amounts.seconds > OVERLAP * covered + MIN_SECONDS,
        spark_version=outcome.spark_version,
        cluster=outcome.cluster,
    )


def _outside(before: RunTotals, after: RunTotals) -> Cause | None:
    was, now = before.outside_seconds, after.outside_seconds
    if was is None or now is None or was == now:
        return None
    return Cause(CauseCode.OUTSIDE, now - was, {"seconds": now, "seconds_before": was})


def _machine(pairs: Iterable[ComparedExecutions]) -> float | None:
    """The log of how many times as long queries took for the same work with the same plan; None where too few tell."""
    controls = []
    for pair in pairs:
        clock, shorter = pair.clock, min(pair.before.seconds, pair.after.seconds)
        if clock is None or pair.work is None or shorter < MIN_CONTROL_SECONDS:
            continue
        if pair.succeeded and pair.surely_same_plan:
            controls.append(Control(clock - pair.work, 2 * (CLOCK.noise**2 + (CLOCK.least / shorter) ** 2)))
    if len(controls) < FEW:
        return None
    return machine_speed(controls, math.sqrt(2) * CLOCK.machine).log


def _query(
    pairs: Pairs,
    compared: Sequence[ComparedExecutions],
    around: Surroundings,
    machine: float | None,
    state: RunState,
) -> QueryComparison:
    causes = [cause for pair in compared for cause in execution_causes(pair, around, machine)]
    causes += _of_unpaired(pairs, state)
    largest = max(compared, key=lambda pair: abs(pair.difference), default=None)
    before, after = ([pair[at] for pair in pairs.both] for at in (0, 1))
    old, new = _together([*before, *pairs.only_before], around), _together([*after, *pairs.only_after], around)
    is_same_work = all(pair.succeeded and pair.same_plan and not pair.work for pair in compared)
    paired = not pairs.only_before and not pairs.only_after
    return QueryComparison(
        fingerprint=pairs.fingerprint,
        executions_before=len(before) + len(pairs.only_before),
        executions_after=len(after) + len(pairs.only_after),
        before=old,
        after=new,
        share=None,
        is_noise=bool(paired and is_same_work and old and new and _is_chance(old.seconds, new.seconds)),
        causes=_merged(causes),
        plan=largest.plan if largest else (),
        operators=_operators(largest),
    )


def _operators(pair: ComparedExecutions | None) -> tuple[OperatorDifference, ...]:
    return operator_differences(pair.query_before, pair.query) if pair and pair.plan_is_told else ()


def _together(queries: Sequence[Query], around: Surroundings) -> ExecutionAmounts | None:
    cores = min(around.cores_before, around.cores)
    return ExecutionAmounts.together(ExecutionAmounts.of(query, cores) for query in queries) if queries else None


def _of_unpaired(pairs: Pairs, state: RunState) -> list[Cause]:
    more, fewer = (sum(q.seconds for q in several) for several in (pairs.only_after, pairs.only_before))
    if not pairs.only_after and not pairs.only_before:
        return []
    executions: dict[str, Number] = {
        "executions": len(pairs.both) + len(pairs.only_after),
        "executions_before": len(pairs.both) + len(pairs.only_before),
        "state": state.value,
    }
    if pairs.both:
        return [Cause(CauseCode.EXECUTIONS, more - fewer, executions)]
    return [Cause(CauseCode.APPEARED if pairs.only_after else CauseCode.DISAPPEARED, more - fewer, executions)]


def _merged(causes: Iterable[Cause]) -> tuple[Cause, ...]:
    """Causes of one code as one, the largest first."""
    found: dict[CauseCode, list[Cause]] = {}
    for cause in causes:
        found.setdefault(cause.code, []).append(cause)
    return tuple(sorted(map(_as_one, found.values()), key=lambda cause: -abs(cause.seconds)))


def _as_one(several: Sequence[Cause]) -> Cause:
    """Seconds add up; numbers are those of the largest, and of how many executions it is that."""
    if len(several) == 1:
        return several[0]
    largest = max(several, key=lambda cause: abs(cause.seconds))
    numbers = {**largest.numbers, "largest_of": len(several)}
    return Cause(largest.code, sum(cause.seconds for cause in several), numbers)


def _by_kind(queries: Sequence[QueryComparison], outside: Cause | None) -> tuple[CauseTotal, ...]:
    found: dict[CauseKind, list[tuple[Cause, str]]] = {}
    for query in queries:
        for cause in query.causes:
            found.setdefault(cause.kind, []).append((cause, query.fingerprint))
    if outside is not None:
        found[outside.kind] = [(outside, "")]
    totals = [_total(kind, several) for kind, several in found.items()]
    return tuple(sorted(totals, key=lambda total: (-abs(total.seconds), total.kind)))


def _total(kind: CauseKind, several: Sequence[tuple[Cause, str]]) -> CauseTotal:
    seconds = sum(cause.seconds for cause, _ in several)
    sign = -1 if seconds < 0 else 1
    largest, fingerprint = max(several, key=lambda one: sign * one[0].seconds)
    reached = {query for cause, query in several if query and sign * cause.seconds >= LEAST_SECONDS}
    return CauseTotal(kind, seconds, len(reached | {fingerprint} - {""}), largest, fingerprint)


def _share(difference: float, whole: float) -> float | None:
    return difference / whole if abs(whole) >= MIN_SECONDS and difference * whole > 0 else None


def _is_chance(before: float, after: float) -> bool:
    if abs(after - before) < MIN_SECONDS:
        return True
    return before > 0 and after > 0 and abs(math.log(after / before)) < NOISE


def _is_by_machine(causes: Iterable[CauseTotal], difference: float) -> bool:
    by_chance = (CauseKind.MACHINE, CauseKind.SCHEDULING, CauseKind.OUTSIDE, CauseKind.UNKNOWN)
    caused = sum(abs(total.seconds) for total in causes if total.kind not in by_chance)
    return caused <= max(MIN_SECONDS, MOST_CAUSED * abs(difference))
