"""How large relations may be for the hints and orders of a decision to hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tuner.advice.facts import Facts, PastRun
from tuner.advice.head_room import head_room
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import Decision
from tuner.policy.known_queries import KnownQueries
from tuner.steering.agent.agent_directives import SizeLimits


def size_limits(facts: Facts, decision: Decision, newest: KnownQueries) -> SizeLimits:
    """Of each hint and order by the executions that it is for, and those of earlier runs: other values, and other nights, make
    relations of other sizes. `facts` are those that the decision rests on, `newest` the queries of its cohort."""
    # It loads numpy, which parsing a DAG does not wait for.
    from tuner.advice.most_counted import measured_bytes, most_counted
    from tuner.advice.most_together import most_together
    from tuner.advice.order_bounds import SizeRange, order_bounds

    orders = [action for action in decision.actions if action.kind is ActionKind.ORDER_JOINS]
    hints = [action for action in decision.actions if action.kind is ActionKind.HINT_JOIN]
    of_hints: dict[str, int] = {}
    of_orders: dict[str, Sequence[SizeRange]] = {}
    counted: dict[str, int] = {}
    broadcasts: dict[Action, int] = {}
    known = replace(facts, earlier=_with_classes(facts.earlier, newest))
    for decided in decision.in_force:
        for action in decided.change.actions:
            of_it = (q for q in newest.all if q.fingerprint == action.query)
            mine = tuple(q for q in of_it if q.literals in decided.literals) or facts.queries
            measured = replace(known, queries=mine)
            if action.kind is ActionKind.HINT_JOIN:
                each = [replace(known, queries=(query,)) for query in mine] if decided.fleeting else [measured]
                of_hints |= _head_room(each, action, orders)
                if action.value == Hint.BROADCAST:
                    broadcasts[action] = measured_bytes(measured, action, orders)
                if decided.fleeting and (most := most_counted(measured, action, orders)):
                    counted[action.id] = most
            elif action.kind is ActionKind.ORDER_JOINS:
                of_orders |= order_bounds(measured, [action, *hints])
    for hint, most in most_together(known, broadcasts).items():
        counted[hint] = min(most, counted.get(hint, most))
    return SizeLimits(of_hints, facts.cap.one_bytes, counted, of_orders)


def _with_classes(earlier: Sequence[PastRun], newest: KnownQueries) -> tuple[PastRun, ...]:
    """The runs before the latest, each execution of the class that its values are of now."""
    pairs = zip(reversed(earlier), reversed(newest.of_earlier), strict=False)
    return tuple(replace(past, queries=queries) for past, queries in reversed(list(pairs)))


def _head_room(each: Iterable[Facts], hint: Action, orders: Sequence[Action]) -> dict[str, int]:
    """The most that one of these allows: where values are others in each run, rows are counted, and only files may outgrow it."""
    rooms = [room for facts in each for room in head_room(facts, [hint, *orders]).values()]
    return {hint.id: max(rooms)} if rooms else {}
