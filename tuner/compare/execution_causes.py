"""Why one execution of a query took longer or shorter than another: its difference of seconds, cause by cause."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tuner.compare.cause import Cause, CauseCode, NotTold
from tuner.compare.execution_amounts import ExecutionAmounts
from tuner.compare.plan_change import PlanChange, plan_changes
from tuner.compare.surroundings import Surroundings
from tuner.compare.time_split import TimeSplit, log_ratio, time_split, within
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Number
from tuner.plan.relation import short_name
from tuner.policy.evidence.history import SAME_INPUT
from tuner.policy.evidence.log_ratio import Z_90
from tuner.policy.evidence.metric import WORK

# The work of one plan over one input differs by less from run to run: nine times of ten.
SAME_WORK = Z_90 * math.sqrt(2) * WORK.noise
# Of twice the rows on both sides a join makes up to four times as many: said where nothing but the input differs.
JOIN_POWER = 2
# Logs tell milliseconds: what is less is a rounding.
LEAST_SECONDS = 0.0005
# Columns and settings that one sentence can name.
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ComparedExecutions:
    """Two executions of a query. `work` is the log of how many times as much work the later one did, None where it is not known;
    `by_input` says that it is that of the input, for want of anything better. `values` says that their filters had other values,
    `changes_in` and `changes_out` are ids of the tuner's changes that one of both alone had.
    """

    query_before: Query
    query: Query
    before: ExecutionAmounts
    after: ExecutionAmounts
    input: float
    work: float | None
    plan: tuple[PlanChange, ...]
    values: bool
    changes_in: tuple[str, ...]
    changes_out: tuple[str, ...]

    @property
    def succeeded(self) -> bool:
        return all(query.status is QueryStatus.SUCCEEDED for query in (self.query_before, self.query))

    @property
    def difference(self) -> float:
        return self.after.seconds - self.before.seconds

    @property
    def is_steered_otherwise(self) -> bool:
        return bool(self.changes_in or self.changes_out)

    @property
    def same_plan(self) -> bool:
        return not self.plan and not self.is_steered_otherwise

    @property
    def clock(self) -> float | None:
        """The log of how many times as long it took."""
        return log_ratio(self.before.seconds, self.after.seconds)


def compared_executions(before: Query, after: Query, around: Surroundings) -> ComparedExecutions:
    # While a driver builds a broadcast, the same number of cores waits in both.
    cores = min(around.cores_before, around.cores)
    old, new = ExecutionAmounts.of(before, cores), ExecutionAmounts.of(after, cores)
    plan = plan_changes(before, after)
    values = bool(before.literals and after.literals) and before.literals != after.literals
    changes_in, changes_out = around.changes_of(after.fingerprint, other_plan=bool(plan))
    read = log_ratio(old.input_bytes, new.input_bytes)
    read = log_ratio(old.input_rows, new.input_rows) if read is None else read
    work = log_ratio(old.work_seconds, new.work_seconds)
    if work is None and not (plan or values or changes_in or changes_out):
        work = None if read is None else _beyond(read, SAME_INPUT)
    return ComparedExecutions(
        before,
        after,
        old,
        new,
        _beyond(read or 0.0, SAME_INPUT),
        None if work is None else _beyond(work, SAME_WORK),
        plan,
        values,
        changes_in,
        changes_out,
    )


def _beyond(log: float, least: float) -> float:
    return log if abs(log) > least else 0.0


def execution_causes(pair: ComparedExecutions, around: Surroundings, machine: float | None) -> list[Cause]:
    """They sum to the difference, in milliseconds. `machine` is the log of how many times as long other queries took for the
    same work, None where too few tell."""
    if not pair.succeeded:
        was, now = pair.query_before.status.value, pair.query.status.value
        return [Cause(CauseCode.FAILED, pair.difference, {"status": now, "status_before": was})]
    split = time_split(pair.before, pair.after, pair.work)
    causes = [*_of_work(pair, around, split)]
    if pair.same_plan:
        causes += _of_same_plan(pair, around, split)
    else:
        causes += _of_other_plan(pair, around, split, machine)
    return [cause for cause in causes if abs(cause.seconds) >= LEAST_SECONDS]


def _of_work(pair: ComparedExecutions, around: Surroundings, split: TimeSplit) -> Iterator[Cause]:
    """Other rows and bytes: as far as the input was another one, and whatever else there is for the rest."""
    if not pair.work or not split.work:
        return
    differs = not pair.same_plan or pair.values or around.plans_by_other_rules
    by_input = within(pair.input * (1 if differs else JOIN_POWER), pair.work)
    read = split.work * by_input / pair.work
    yield Cause(CauseCode.INPUT, read, _input_numbers(pair))
    yield _of_plan(pair, around, split.work - read)


def _of_plan(pair: ComparedExecutions, around: Surroundings, seconds: float) -> Cause:
    """For what is not in the size of the input: the first of what differs that can have done it."""
    numbers = _plan_numbers(pair)
    if pair.is_steered_otherwise:
        steered = {"changes_in": pair.changes_in, "changes_out": pair.changes_out}
        return Cause(CauseCode.CHANGES, seconds, numbers | steered)
    if pair.plan and not around.plans_by_other_rules:
        return Cause(CauseCode.PLAN, seconds, numbers)
    if pair.values and not pair.plan:
        return Cause(CauseCode.VALUES, seconds, _work_numbers(pair) | {"columns": _moved_columns(pair)})
    if around.plans_by_other_rules:
        return Cause(CauseCode.SETTINGS, seconds, numbers | _setting_numbers(around))
    return Cause(CauseCode.ROWS, seconds, _work_numbers(pair) | _grown_join(pair))


def _of_same_plan(pair: ComparedExecutions, around: Surroundings, split: TimeSplit) -> Iterator[Cause]:
    """What the same operators took longer for: processors, waiting, or too few tasks at once."""
    if around.has_other_version:
        yield Cause(CauseCode.NOT_TOLD, split.beside_work, {"why": NotTold.VERSION_OR_MACHINE})
        return
    before, after = pair.before, pair.after
    has_cpu = before.cpu_seconds > 0 and after.cpu_seconds > 0
    has_tasks = before.task_seconds > 0 and after.task_seconds > 0
    unknown = Cause(CauseCode.NOT_TOLD, 0.0, {"why": NotTold.UNMEASURED})
    if split.work is None or not has_cpu:
        yield Cause(unknown.code, split.processors + (0.0 if has_cpu else split.waiting), unknown.numbers)
    else:
        yield Cause(CauseCode.PROCESSORS, split.processors, _cpu_numbers(pair))
    if has_cpu:
        yield Cause(CauseCode.WAITING, split.waiting, _waiting_numbers(pair))
    by_cores = _by_cores(pair, around, split.rest)
    cores: dict[str, Number] = {"cores": around.cores, "cores_before": around.cores_before}
    yield Cause(CauseCode.CORES, by_cores, cores)
    rest = split.rest - by_cores
    if has_tasks:
        at_once = {
            "tasks_at_once": after.task_seconds / after.seconds if after.seconds else 0.0,
            "tasks_at_once_before": before.task_seconds / before.seconds if before.seconds else 0.0,
        }
        yield Cause(CauseCode.TASKS_AT_ONCE, rest, at_once)
    else:
        yield Cause(unknown.code, rest, unknown.numbers)


def _of_other_plan(
    pair: ComparedExecutions, around: Surroundings, split: TimeSplit, machine: float | None
) -> Iterator[Cause]:
    """Another plan waits and computes otherwise for what counts as the same work: other queries tell what the machine did."""
    beside, clock = split.beside_work, pair.clock
    if machine is None or not clock or not pair.difference:
        yield Cause(CauseCode.NOT_TOLD, beside, {"why": NotTold.PLAN_OR_MACHINE} | _plan_numbers(pair))
        return
    per_log = pair.difference / clock
    by_machine = per_log * within(machine, beside / per_log)
    yield Cause(CauseCode.MACHINE, by_machine, {"speed": math.exp(machine)})
    yield _of_plan(pair, around, beside - by_machine)


def _by_cores(pair: ComparedExecutions, around: Surroundings, rest: float) -> float:
    """With half the cores tasks that take as long in all take up to twice as long on the clock."""
    fewer, clock = log_ratio(around.cores, around.cores_before), pair.clock
    if not fewer or not clock or not pair.difference:
        return 0.0
    per_log = pair.difference / clock
    return per_log * within(fewer, rest / per_log)


Numbers = dict[str, Number]


def _input_numbers(pair: ComparedExecutions) -> Numbers:
    read = {
        "bytes": pair.after.input_bytes,
        "bytes_before": pair.before.input_bytes,
        "rows": pair.after.input_rows,
        "rows_before": pair.before.input_rows,
    }
    return read | {"values": pair.values, "table": _moved_table(pair)}


def _moved_table(pair: ComparedExecutions) -> str:
    """The table whose file bytes differ most, where there are several; "" where the log does not tell."""
    old, new = ({t.table: t.file_bytes for t in query.tables} for query in (pair.query_before, pair.query))
    moved = {table: abs(new.get(table, 0) - old.get(table, 0)) for table in old | new}
    largest = max(moved, key=lambda table: moved[table], default="")
    return short_name(largest) if len(moved) > 1 and moved[largest] else ""


def _plan_numbers(pair: ComparedExecutions) -> Numbers:
    if not pair.plan:
        return {"kind": ""}
    first = pair.plan[0]
    return {
        "kind": first.kind.value,
        "before": first.before,
        "after": first.after,
        "left": first.left,
        "right": first.right,
        "build_side_before": first.build_side_before,
        "build_side": first.build_side,
        "by_aqe": first.by_aqe,
        "more": len(pair.plan) - 1,
        "values": pair.values,
    }


def _setting_numbers(around: Surroundings) -> Numbers:
    named = around.planning[:MOST_NAMED]
    return {
        "version": around.version if around.has_other_version else "",
        "version_before": around.version_before if around.has_other_version else "",
        "properties": tuple(one.property for one in named),
        "values_after": tuple(one.after or "" for one in named),
        "values_before": tuple(one.before or "" for one in named),
        "more_settings": len(around.planning) - len(named),
    }


def _work_numbers(pair: ComparedExecutions) -> Numbers:
    return {"times": math.exp(min(50.0, pair.work or 0.0)), "same_input": not pair.input}


def _grown_join(pair: ComparedExecutions) -> Numbers:
    """The join whose rows differ most, in the direction of the work; none where the log does not tell of one."""
    old = {(join.signature, join.occurrence): join for join in pair.query_before.joins}
    best, most = None, 0
    for join in pair.query.joins:
        was = old.get((join.signature, join.occurrence))
        if was is None or was.output_rows is None or join.output_rows is None:
            continue
        grown = (join.output_rows - was.output_rows) * (1 if (pair.work or 0.0) > 0 else -1)
        if grown > most:
            best, most = (was, join), grown
    if best is None:
        return {"left": "", "right": ""}
    was, join = best
    sides = ("+".join(map(short_name, side.relations)) for side in join.sides)
    return dict(zip(("left", "right"), sides, strict=True)) | {
        "rows": join.output_rows,
        "rows_before": was.output_rows,
    }


def _moved_columns(pair: ComparedExecutions) -> tuple[str, ...]:
    """The columns whose values differ, without their relations' whole names; () where the log tells no columns."""
    old, new = set(pair.query_before.conditions or ()), set(pair.query.conditions or ())
    if pair.query_before.conditions is None or pair.query.conditions is None:
        return ()
    columns = sorted({column for one in old ^ new for column in one.columns.split(",") if column})
    return tuple(column.rpartition(".")[2] for column in columns[:MOST_NAMED])


def _cpu_numbers(pair: ComparedExecutions) -> Numbers:
    return {
        "cpu_seconds": pair.after.cpu_seconds,
        "expected_cpu_seconds": pair.before.cpu_seconds * math.exp(min(50.0, pair.work or 0.0)),
        "retries": pair.after.stage_retries,
        "retries_before": pair.before.stage_retries,
    }


def _waiting_numbers(pair: ComparedExecutions) -> Numbers:
    def waiting(one: ExecutionAmounts) -> float:
        return max(0.0, 1 - one.cpu_seconds / one.task_seconds) if one.task_seconds else 0.0

    return {
        "waiting_share": waiting(pair.after),
        "waiting_share_before": waiting(pair.before),
        "spilled_bytes": pair.after.spilled_bytes,
        "spilled_bytes_before": pair.before.spilled_bytes,
    }
