"""What a person would paste to make a change himself."""

from __future__ import annotations

import re
import shlex

from tuner.advice.model import Action, ActionKind

_WORD = re.compile(r"[()]|[^\s()]+")


def copy_text(action: Action) -> str:
    """`--conf key=value`, a SQL hint, a statement, or relations in the order to join them; empty where there is none."""
    match action.kind:
        case ActionKind.SET_CONF:
            return f"--conf {shlex.quote(f'{action.target}={action.value}')}"
        case ActionKind.HINT_JOIN:
            return action.hint_text
        case ActionKind.ANALYZE_TABLE:
            return action.words
        case ActionKind.ORDER_JOINS:
            return _order_in_words(action.value)


def _order_in_words(order: str) -> str:
    """`((a b) (c d))`, as tuner.plan.order_text writes it, as `join a, b, (c, d) in this order`."""
    words = _WORD.findall(order)
    stack: list[list[str]] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")" and len(stack) > 1:
            stack[-2].append(_joined(stack.pop()))
        else:
            stack[-1].append(word)
    return f"join in this order: {', '.join(stack[0])}" if len(stack) == 1 and words else ""


def _joined(inputs: list[str]) -> str:
    """The left input's joins come first as they are; those of the others need brackets."""
    first, *others = inputs or [""]
    return ", ".join([first, *(f"({other})" if ", " in other else other for other in others)])
