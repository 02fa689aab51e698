"""What became of the directives for one query: what the agent says, held against the plan that ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.model.agent_message import QueryDirectives
from tuner.model.agent_record import NOT_LOADED, UNSTEERED, AgentRecord
from tuner.model.application import Execution
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_site import JoinSite
from tuner.plan.hint_result import hint_result
from tuner.plan.join_blocks import join_graphs
from tuner.plan.joins import Join
from tuner.plan.node import PlanNode
from tuner.plan.order_result import order_result

_NOT_MET = "the agent met no plan with the relations of this query"


@dataclass(frozen=True, slots=True)
class RanPlan:
    """A plan as it ran, its joins, and those of the plan before AQE, which leaves out joins with nothing to join."""

    final: PlanNode
    joins: Sequence[JoinSite]
    planned: Sequence[Join]

    def joins_of(self, signature: str) -> Sequence[JoinSite | Join]:
        """The joins of a signature, as planned where none of them ran."""
        return [j for j in self.joins if j.signature == signature] or [
            j for j in self.planned if j.signature == signature
        ]


def merged_query(
    execution: Execution, fingerprint: str, relations: Sequence[str], columns: str, steering: AgentRecord
) -> str:
    """The fingerprint of the query whose groups the agent made once in an execution; "" where it made none. The plan no longer
    tells which query it is; the agent does.

    Of a plan that was optimised before its execution began, or ran before, the agent said it then: of the one such query that
    reads these relations, and these columns of them.
    """
    if execution.steered or fingerprint in steering.by_query:
        return _merged_of(execution.steered)
    alike = [q for q in steering.directives if q.relations == relations and q.columns in ("", columns)]
    found = {merged for query in alike if (merged := _merged_of(steering.by_query.get(query.fingerprint, ())))}
    return found.pop() if len(found) == 1 else ""


def _merged_of(said: Sequence[DirectiveResult]) -> str:
    return next((one.merged for one in said if one.merged and one.status is DirectiveStatus.APPLIED), "")


def directive_results(
    execution: Execution, fingerprint: str, ran: RanPlan, steering: AgentRecord = UNSTEERED
) -> tuple[DirectiveResult, ...]:
    """One outcome for each directive that the query had, or else that the agent speaks of, in the order directed.

    Of a plan the agent speaks of the directives of all queries with its relations and joins: where the query's own are among
    them, the others' are not for it. What the agent says it did and the plan does not show counts as ignored.
    """
    said = {o.action_id: o for o in execution.steered or steering.by_query.get(fingerprint, ())}
    mine = [id_ for query in steering.directives_of(fingerprint) for id_ in query.ids]
    if not said.keys().isdisjoint(mine):
        said = {id_: said[id_] for id_ in mine if id_ in said}
    # Where the plan has changed, so has its fingerprint: then the agent's ids tell what it was directed to do.
    directed = [q for q in steering.directives if q.fingerprint == fingerprint or not said.keys().isdisjoint(q.ids)]
    joins = {hint.id: hint.join for query in directed for hint in query.hints}
    found = []
    for id_ in dict.fromkeys((*mine, *said)):
        status, reason = _held_against(said[id_], directed, ran) if id_ in said else _unsaid(steering)
        held = said[id_].held if id_ in said and status is DirectiveStatus.HELD else None
        found.append(DirectiveResult(id_, status, reason, joins.get(id_, ""), held))
    return tuple(found)


def _unsaid(steering: AgentRecord) -> tuple[DirectiveStatus, str]:
    if not steering.loaded:
        return DirectiveStatus.IGNORED, NOT_LOADED
    if steering.problem:
        # Most often a deployed jar of another version, which leaves all plans as they are: nothing is said of the change.
        return DirectiveStatus.HELD, f"the agent could not read its directives: {steering.problem}"
    return DirectiveStatus.IMPOSSIBLE, _NOT_MET


def _held_against(
    said: DirectiveResult, directed: Sequence[QueryDirectives], ran: RanPlan
) -> tuple[DirectiveStatus, str]:
    if said.status is not DirectiveStatus.APPLIED:
        return said.status, said.reason
    for query in directed:
        for hint in query.hints:
            if hint.id == said.action_id:
                return hint_result(hint.hint, hint.side, ran.joins_of(hint.join))
        for order in query.orders:
            if order.id == said.action_id:
                return order_result(order.items, order.order, join_graphs(ran.final))
    return said.status, said.reason
