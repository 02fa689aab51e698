"""What a person would paste to make a change himself."""

from __future__ import annotations

import shlex

from tuner.model.action import Action, ActionKind
from tuner.words.actions import analyze_statement, hint_text


def copy_text(action: Action) -> str:
    """`--conf key=value`, a SQL hint or a statement; empty where there is none, as for an order of joins, whose value
    names relations by digests: the recommendation's sentence has their names.
    """
    match action.kind:
        case ActionKind.SET_CONF:
            return f"--conf {shlex.quote(f'{action.target}={action.value}')}"
        case ActionKind.HINT_JOIN:
            return hint_text(action)
        case ActionKind.ANALYZE_TABLE:
            return analyze_statement(action)
        case ActionKind.ORDER_JOINS:
            return ""
