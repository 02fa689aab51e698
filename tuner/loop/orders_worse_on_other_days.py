"""Orders of joins that would be slower with the rows of a day that their query has seen: the next day may be like that one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.decision import DecidedChange, Decision
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.evidence.comparison import MIN_SECONDS
from tuner.policy.measure import usable

if TYPE_CHECKING:
    from tuner.advice.order_worth import Worth


def orders_worse_on_other_days(decision: Decision, facts: Facts, runs: Sequence[Run]) -> dict[str, Reason]:
    """Those in force that act on values which were never measured, by id, and why they had better not.

    Each is priced with the rows of every execution that its values had, in `runs` with classes of values
    (`tuner.policy.literal_classes`); for values that are others in each run with some times fewer and more, too.
    """
    found: dict[str, Reason] = {}
    orders = (d for d in decision.in_force if d.change.kind is ActionKind.ORDER_JOINS and d.acts_on_any_values)
    for decided in orders:
        for executions, action in product(_by_class(decided, runs), decided.change.actions):
            for code, worst in _worst(facts, decided, action, executions).items():
                if worst and not worst.is_no_worse and worst.seconds - worst.replaced > MIN_SECONDS:
                    seconds = {"seconds": worst.seconds, "replaced_seconds": worst.replaced}
                    found[decided.id] = Reason(code, {**seconds, "executions": len(executions)})
    return found


def _worst(
    facts: Facts, decided: DecidedChange, action: Action, executions: Sequence[Query]
) -> dict[ReasonCode, Worth | None]:
    """What an order is worth at worst, by what is to be said of it; the last that is worse is said."""
    # They load numpy, which parsing a DAG does not wait for.
    from tuner.advice.worst_day import worst_day, worst_within_reach

    of_days = {ReasonCode.WORSE_ON_OTHER_DAYS: worst_day(facts, action, executions)}
    if not decided.fleeting:
        return of_days
    within_reach = worst_within_reach(facts, action, executions, decided.fleeting)
    return {ReasonCode.WORSE_WITHIN_REACH: within_reach, **of_days}


def _by_class(decided: DecidedChange, runs: Sequence[Run]) -> list[list[Query]]:
    """The executions of a change's query that had values which it acts on, by class."""
    found: dict[str, list[Query]] = {}
    for query in (q for run in runs if usable(run) and run.outcome for q in run.outcome.queries):
        # Of a merged query the blocks are those of an earlier day.
        is_known = bool(query.graphs) and not query.merged
        if query.fingerprint == decided.change.query and query.literals in decided.literals and is_known:
            found.setdefault(query.literals, []).append(query)
    return list(found.values())
