"""Equations among the conditions that a join prints behind its keys."""

from __future__ import annotations

from tuner.plan.condition import Column, Comparison, Operand, Operator, Unknown, read_condition
from tuner.plan.expression import attributes, conjuncts, split_top_level
from tuner.plan.memoize_by_text import by_text

_EQUALS = " = "


@by_text
def equalities(conditions: str) -> tuple[tuple[str, str], ...]:
    """Both sides of each condition of a join that equates two expressions over columns.

    Spark makes keys of those whose sides need the columns of one input each (ExtractEquiJoinKeys): in another order of
    joins, those that are none here.
    """
    if _EQUALS not in conditions:
        return ()
    found = (equality(c) for part in split_top_level(conditions) if _EQUALS in part for c in conjuncts(part))
    return tuple(pair for pair in found if pair)


def equality(conjunct: str) -> tuple[str, str] | None:
    """Both sides of a condition that equates two expressions over columns; None of any other."""
    match read_condition(f"({conjunct})") if _EQUALS in conjunct else None:
        case Comparison(Operator.EQUAL, left, right):
            sides = _text(left), _text(right)
            return sides if all(map(attributes, sides)) else None
    return None


def _text(operand: Operand) -> str:
    match operand:
        case Column(name, id_):
            return f"{name}#{id_}"
        case Unknown(text):
            return text
    return ""
