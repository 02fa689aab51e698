"""Two executions of a query, and what is not the same in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tuner.compare.execution_amounts import ExecutionAmounts, input_sizes
from tuner.compare.plan_change import PlanChange, plan_changes, plans_are_told
from tuner.compare.surroundings import Surroundings
from tuner.compare.time_split import log_ratio
from tuner.compare.told_values import told_values
from tuner.model.directive_result import DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.policy.evidence.known_query import SAME_INPUT
from tuner.policy.evidence.log_ratio import Z_90
from tuner.policy.evidence.metric import WORK

# The work of one plan over one input differs by less from run to run: nine times of ten.
SAME_WORK = Z_90 * math.sqrt(2) * WORK.noise


@dataclass(frozen=True, slots=True)
class ComparedExecutions:
    """Two executions of a query. `input` and `work` are logs of how many times as much the later one read and did: 0 where that
    is as much, and of work None where it is not known. `plan` is what is not the same in their plans, as far as these are told:
    `plan_is_told`. `values` says that their filters had other values, `changes_in` and
    `changes_out` are ids of the tuner's changes that one of both alone had.
    """

    query_before: Query
    query: Query
    before: ExecutionAmounts
    after: ExecutionAmounts
    input: float
    work: float | None
    plan: tuple[PlanChange, ...]
    plan_is_told: bool
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
    def is_edited(self) -> bool:
        """Whether its statement is another one; what only writes elsewhere is none."""
        before, after = self.query_before, self.query
        writes_elsewhere = bool(after.statement) and before.statement == after.statement
        return before.fingerprint != after.fingerprint and not writes_elsewhere

    @property
    def same_plan(self) -> bool:
        """Whether nothing tells that they had other plans."""
        return not (self.plan or self.is_steered_otherwise or self.is_edited)

    @property
    def surely_same_plan(self) -> bool:
        return self.same_plan and self.plan_is_told

    @property
    def clock(self) -> float | None:
        """The log of how many times as long it took."""
        return log_ratio(self.before.seconds, self.after.seconds)


def compared_executions(before: Query, after: Query, around: Surroundings) -> ComparedExecutions:
    # While a driver builds a broadcast, the same number of cores waits in both.
    cores = min(around.cores_before, around.cores)
    old, new = ExecutionAmounts.of(before, cores), ExecutionAmounts.of(after, cores)
    plan, plan_is_told = plan_changes(before, after), plans_are_told(before, after)
    values = _have_other_values(before, after)
    changes_in, changes_out = around.changes_of(before.fingerprint, after.fingerprint, other_plan=bool(plan))
    changes_out = tuple(id_ for id_ in changes_out if id_ not in _followed(after))
    read = log_ratio(*input_sizes(before, after))
    read = log_ratio(old.input_rows, new.input_rows) if read is None else read
    work = log_ratio(old.work_seconds, new.work_seconds)
    if work is None and plan_is_told and not (plan or values or changes_in or changes_out):
        work = None if read is None else _beyond(read, SAME_INPUT)
    return ComparedExecutions(
        before,
        after,
        old,
        new,
        _beyond(read or 0.0, SAME_INPUT),
        None if work is None else _beyond(work, SAME_WORK),
        plan,
        plan_is_told,
        values,
        changes_in,
        changes_out,
    )


def _followed(query: Query) -> set[str]:
    """The ids of changes to joins that it was given, also where it was taken for another query."""
    return {result.action_id for result in query.directives if result.status is DirectiveStatus.APPLIED}


def _have_other_values(before: Query, after: Query) -> bool:
    """Whether their values are known, and differ."""
    told = told_values(before, after)
    differ = before.literals != after.literals and (told is None or told[0] != told[1])
    return bool(before.literals and after.literals) and differ


def _beyond(log: float, least: float) -> float:
    return log if abs(log) > least else 0.0
