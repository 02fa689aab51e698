"""Whether a plan has what the agent says of it. Each check yields a line for whatever it has not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tuner.model.directive_result import DirectiveStatus
from tuner.plan.hint_result import hint_result
from tuner.plan.joins import Join, every_join

from .agent_log import Steered, agent_events
from .names_of_tuner import joins_of

Sides = tuple[tuple[str, ...], ...]


def failures(logs: Path) -> Iterator[str]:
    """Errors of the agent's own in runs that are traced: it leaves plans as they were, and the rows are the same."""
    for event in agent_events(logs, "AgentFailed"):
        yield f"execution {event['executionId']}: {event['reason']}"


def unlike_signatures(executions: Iterable[Steered]) -> Iterator[str]:
    """Executions whose joins the agent names otherwise than the event log does."""
    for steered in executions:
        expected = Counter(join.signature for join in joins_of(steered.plan))
        for event in steered.events:
            if (found := Counter(join["signature"] for join in event["trace"]["joins"])) != expected:
                ours, theirs = _shown(steered, expected - found), _told(event, found - expected)
                yield f"{steered.label}: only the log has {ours}, only the agent {theirs}"


def _shown(steered: Steered, signatures: Counter[str]) -> list[object]:
    joins = (join for join in every_join(steered.plan) if join.signature in signatures)
    return [(str(join.type), join.left.relations, join.right.relations, join.keys) for join in joins]


def _told(event: dict[str, Any], signatures: Counter[str]) -> list[object]:
    joins = (join for join in event["trace"]["joins"] if join["signature"] in signatures)
    return [(join["type"], join["left"], join["right"], join["keys"]) for join in joins]


def unlike_orders(steered: Steered, directives: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Orders said to be applied that the plan does not have."""
    executed = Counter(_sides(join.left.relations, join.right.relations) for join in every_join(steered.plan))
    for query in directives:
        for order in query["orders"]:
            status, _ = steered.outcomes.get(order["id"], ("", ""))
            if status == "applied" and (missing := Counter(directed_sides(order)) - executed):
                yield f"{steered.label}: {order['id']} is said to be applied, and {list(missing)} is not in the plan"


def directed_sides(order: dict[str, Any]) -> list[Sides]:
    """What the sides of the joins of an order read, whichever is left."""
    found: list[Sides] = []

    def read(part: Any) -> tuple[str, ...]:
        if isinstance(part, int):
            return tuple(order["items"][part])
        left, right = map(read, part)
        found.append(_sides(left, right))
        return tuple(sorted(left + right))

    read(order["order"])
    return found


def _sides(one: tuple[str, ...], other: tuple[str, ...]) -> Sides:
    return (one, other) if one <= other else (other, one)


def unlike_hints(steered: Steered, directives: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Hints said to be applied to joins that run otherwise."""
    joins: dict[str, list[Join]] = {}
    for join in every_join(steered.plan):
        joins.setdefault(join.signature, []).append(join)
    for hint in (hint for query in directives for hint in query["hints"]):
        status, _ = steered.outcomes.get(hint["id"], ("", ""))
        if status == "applied":
            outcome, why = hint_result(hint["hint"], hint["side"], joins.get(hint["join"], ()))
            if outcome is not DirectiveStatus.APPLIED or why:
                yield f"{steered.label}: {hint['id']} is said to be applied: {why}"
