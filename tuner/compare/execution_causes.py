"""Why one execution of a query took longer or shorter than another: its difference of seconds, cause by cause."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tuner.compare.cause import Cause, CauseCode, NotTold
from tuner.compare.cause_numbers import (
    Numbers,
    at_once_numbers,
    cpu_numbers,
    edited_numbers,
    grown_join_numbers,
    input_numbers,
    moved_columns,
    plan_numbers,
    setting_numbers,
    waiting_numbers,
    work_numbers,
)
from tuner.compare.compared_executions import ComparedExecutions
from tuner.compare.surroundings import Surroundings
from tuner.compare.time_split import TimeSplit, log_ratio, time_split, within
from tuner.model.reason import Number

# Of twice the rows on both sides a join makes up to four times as many: said where nothing but the input differs.
JOIN_POWER = 2
# Logs tell milliseconds: what is less is a rounding.
LEAST_SECONDS = 0.0005
NO_NUMBERS: Mapping[str, Number] = {}


def execution_causes(pair: ComparedExecutions, around: Surroundings, machine: float | None) -> list[Cause]:
    """They sum to the difference, in milliseconds; each code once. `machine` is the log of how many times as long other queries
    took for the same work, None where too few tell."""
    if not pair.succeeded:
        was, now = pair.query_before.status.value, pair.query.status.value
        return [Cause(CauseCode.FAILED, pair.difference, {"status": now, "status_before": was})]
    if pair.is_edited:
        return [Cause(CauseCode.EDITED, pair.difference, edited_numbers(pair, around))]
    split = time_split(pair.before, pair.after, pair.work)
    causes = [*_of_work(pair, around, split)]
    if pair.surely_same_plan:
        causes += _of_same_plan(pair, around, split)
    else:
        causes += _of_other_plan(pair, around, split, machine)
    seconds: dict[CauseCode, float] = {}
    for cause in causes:
        seconds[cause.code] = seconds.get(cause.code, 0.0) + cause.seconds
    each = {cause.code: replace(cause, seconds=seconds[cause.code]) for cause in causes}
    return [cause for cause in each.values() if abs(cause.seconds) >= LEAST_SECONDS]


def _of_work(pair: ComparedExecutions, around: Surroundings, split: TimeSplit) -> Iterator[Cause]:
    """Other rows and bytes: as far as the input was another one, and whatever else there is for the rest."""
    if not pair.work or not split.work:
        return
    differs = not pair.surely_same_plan or pair.values or around.plans_by_other_rules
    by_input = within(pair.input * (1 if differs else JOIN_POWER), pair.work)
    read = split.work * by_input / pair.work
    yield Cause(CauseCode.INPUT, read, input_numbers(pair))
    yield _of_plan(pair, around, split.work - read)


def _of_plan(pair: ComparedExecutions, around: Surroundings, seconds: float) -> Cause:
    """For what is not in the size of the input: the first of what differs that can have done it."""
    numbers = plan_numbers(pair)
    if pair.is_steered_otherwise:
        left_out = tuple(id_ for id_ in pair.changes_out if id_ in around.left_out)
        steered = {"changes_in": pair.changes_in, "changes_out": pair.changes_out, "left_out": left_out}
        return Cause(CauseCode.CHANGES, seconds, numbers | steered)
    if pair.plan and not around.plans_by_other_rules:
        return Cause(CauseCode.PLAN, seconds, numbers)
    if pair.values and not pair.plan:
        return Cause(CauseCode.VALUES, seconds, work_numbers(pair) | {"columns": moved_columns(pair)})
    if around.plans_by_other_rules:
        return Cause(CauseCode.SETTINGS, seconds, numbers | setting_numbers(around))
    if not pair.plan_is_told:
        return _not_told(seconds, NotTold.PLAN_NOT_KEPT)
    return Cause(CauseCode.ROWS, seconds, work_numbers(pair) | grown_join_numbers(pair))


def _of_same_plan(pair: ComparedExecutions, around: Surroundings, split: TimeSplit) -> Iterator[Cause]:
    """What the same operators took longer for: processors, waiting, or too few tasks at once."""
    before, after = pair.before, pair.after
    by_cores = _by_cores(pair, around, split.rest)
    cores: Numbers = {"cores": around.cores, "cores_before": around.cores_before}
    yield Cause(CauseCode.CORES, by_cores, cores)
    if around.has_other_version:
        yield _not_told(split.beside_work - by_cores, NotTold.VERSION_OR_MACHINE)
        return
    untold = 0.0
    if before.cpu_seconds and after.cpu_seconds:
        yield Cause(CauseCode.WAITING, split.waiting, waiting_numbers(pair))
    else:
        untold += split.waiting
    if before.cpu_seconds and after.cpu_seconds and split.work is not None:
        yield Cause(CauseCode.PROCESSORS, split.processors, cpu_numbers(pair))
    else:
        untold += split.processors
    if before.task_seconds and after.task_seconds:
        yield Cause(CauseCode.TASKS_AT_ONCE, split.rest - by_cores, at_once_numbers(pair))
    else:
        untold += split.rest - by_cores
    yield _not_told(untold, NotTold.UNMEASURED)


def _of_other_plan(
    pair: ComparedExecutions, around: Surroundings, split: TimeSplit, machine: float | None
) -> Iterator[Cause]:
    """Another plan waits and computes otherwise for what counts as the same work: other queries tell what the machine did."""
    beside, clock = split.beside_work, pair.clock
    if machine is None or not clock or not pair.difference:
        # Where its work is another one, what differs in its plan is told there.
        why = NotTold.PLAN_OR_MACHINE if pair.plan_is_told else NotTold.PLAN_NOT_KEPT
        yield _not_told(beside, why, NO_NUMBERS if pair.work else plan_numbers(pair))
        return
    per_log = pair.difference / clock
    by_machine = per_log * within(machine, beside / per_log)
    yield Cause(CauseCode.MACHINE, by_machine, {"speed": math.exp(machine)})
    yield _of_plan(pair, around, beside - by_machine)


def _not_told(seconds: float, why: NotTold, numbers: Mapping[str, Number] = NO_NUMBERS) -> Cause:
    return Cause(CauseCode.NOT_TOLD, seconds, {"why": why, **numbers})


def _by_cores(pair: ComparedExecutions, around: Surroundings, rest: float) -> float:
    """With half the cores tasks that take as long in all take up to twice as long on the clock."""
    fewer, clock = log_ratio(around.cores, around.cores_before), pair.clock
    if not fewer or not clock or not pair.difference:
        return 0.0
    per_log = pair.difference / clock
    return per_log * within(fewer, rest / per_log)
