"""A decision carried out by one of the ways of steering: what it adds to the submit, and what of it cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tuner.model.action import ON_JOINS, Action, ActionKind
from tuner.model.decision import Decision
from tuner.model.query import Query
from tuner.steering.agent.agent_directives import AgentDirectives
from tuner.steering.agent.handover import Handover, hand_over
from tuner.steering.agent.route import Route
from tuner.steering.directives import Directives, Steering
from tuner.steering.order_sensitive import PROPERTY, OrderSensitive
from tuner.steering.submit_conf import steering_conf


def by_agent(
    decision: Decision,
    user_conf: Mapping[str, str],
    found: AgentDirectives,
    route: Route,
    order_sensitive: OrderSensitive = OrderSensitive.STABLE,
) -> Directives:
    """Properties by conf, all that is of single joins by the agent, which comes along only if there is any of that.

    `found` is what the agent is told of the decision. Raises TunerError where the agent cannot be handed over.
    """
    directives = steering_conf(decision, user_conf)
    handover = hand_over(route, found.text) if found.text else Handover()
    stricter = found.text and order_sensitive is not OrderSensitive.STABLE and PROPERTY not in user_conf
    return replace(
        directives,
        conf={**directives.conf, **handover.conf, **({PROPERTY: order_sensitive} if stricter else {})},
        merged=dict(handover.merged),
        overruled=(*directives.overruled, *found.skipped),
        steering=Steering.AGENT,
        fetched_jar=route.fetched_jar if found.text else "",
    )


def by_conf(
    decision: Decision,
    user_conf: Mapping[str, str],
    statements: Sequence[str],
    queries: Sequence[Query],
    spark_version: str,
    why: str = "",
) -> Directives:
    """Properties by conf, and hints in the text of a `sql=` job, for this Spark ("" if unknown); `why` says what kept the agent
    from being used."""
    directives = replace(steering_conf(decision, user_conf), why=why)
    if statements:
        # It loads a parser of SQL, which no other job waits for.
        from tuner.steering.statement_hints import hint_statements

        hinted = hint_statements(decision, statements, queries, spark_version)
        directives = replace(directives, statements=hinted.statements)
        skipped = (
            *hinted.skipped,
            *_left(decision, {ActionKind.ORDER_JOINS}, why or "the agent does not steer this job"),
        )
    else:
        skipped = _left(decision, ON_JOINS, why or "the job is no longer SQL text")
    return replace(directives, overruled=(*directives.overruled, *skipped))


def only_carried_out(decision: Decision, directives: Directives) -> Decision:
    """The decision without what could not be applied: only what is in force may be judged later."""
    out = {action.id for action, _ in directives.overruled}
    left = tuple(d for d in decision.changes if out.isdisjoint(a.id for a in d.change.actions))
    return replace(decision, changes=left)


def _left(
    decision: Decision, kinds: frozenset[ActionKind] | set[ActionKind], why: str
) -> tuple[tuple[Action, str], ...]:
    return tuple((action, why) for action in decision.actions if action.kind in kinds)
