"""Orders of joins that would be slower with the rows of a day that their query has seen: the next day may be like that one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tuner.advice.facts import Facts
from tuner.model.action import ActionKind
from tuner.model.decision import Decision
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.evidence.comparison import MIN_SECONDS
from tuner.policy.measure import usable


def orders_worse_on_other_days(decision: Decision, facts: Facts, runs: Sequence[Run]) -> dict[str, Reason]:
    """Those in force that act on values which were never measured, by id, and why they had better not.

    Each is priced with the rows of every execution that its values had, in `runs` with classes of values
    (`tuner.policy.literal_classes`).
    """
    # It loads numpy, which parsing a DAG does not wait for.
    from tuner.advice.worst_day import worst_day

    found: dict[str, Reason] = {}
    for decided in (d for d in decision.in_force if d.change.kind is ActionKind.ORDER_JOINS and d.acts_on_any_values):
        by_class: dict[str, list[Query]] = {}
        for query in (q for run in runs if usable(run) and run.outcome for q in run.outcome.queries):
            # Of a merged query the blocks are those of an earlier day.
            is_known = bool(query.graphs) and not query.merged
            if query.fingerprint == decided.change.query and query.literals in decided.literals and is_known:
                by_class.setdefault(query.literals, []).append(query)
        for action, executions in product(decided.change.actions, by_class.values()):
            worst = worst_day(facts, action, executions)
            if worst and not worst.is_no_worse and worst.seconds - worst.replaced > MIN_SECONDS:
                seconds = {"seconds": worst.seconds, "replaced_seconds": worst.replaced}
                found[decided.id] = Reason(ReasonCode.WORSE_ON_OTHER_DAYS, {**seconds, "executions": len(executions)})
    return found
