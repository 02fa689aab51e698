"""Which filter values a change acts on, in words."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.decision import DecidedChange, LiteralRung
from tuner.model.query_values import is_computed
from tuner.policy.neutral_columns import ROWS_BOUND
from tuner.words.counts import counted

_MOST_COLUMNS = 3


def values_words(decided: DecidedChange) -> str:
    """As in "acts only on the filter values that it was measured with (2 sets)"; "" for what acts whatever the values are."""
    if not decided.change.is_on_joins:
        return ""
    if decided.rung is None and decided.fleeting:
        return "acts on no filter values: each run had others, and only orders of joins act on any"
    if decided.rung is None:
        return "acts on no filter values yet: it was measured with none"
    measured = f"acts only on the filter values that it was measured with ({counted(len(decided.literals), 'set')})"
    if decided.rung is LiteralRung.SAME_VALUES:
        return measured
    neutral = f"{_named(decided.neutral)}: row counts stayed within {ROWS_BOUND:g} times their median so far"
    if decided.rung is LiteralRung.MOVING_VALUES:
        return f"{measured}, and on any value of {neutral}"
    fleeting = f"acts on any value of {_named(decided.fleeting)}: each run had others; what it builds is counted first"
    return f"{fleeting}; and on any value of {neutral}" if decided.neutral else fleeting


def _named(several: Iterable[str]) -> str:
    columns = list(dict.fromkeys(_short(one) for each in several for one in each.split(",")))
    named = ", ".join(columns[:_MOST_COLUMNS])
    return (
        f"{named} and {counted(len(columns) - _MOST_COLUMNS, 'more column')}" if len(columns) > _MOST_COLUMNS else named
    )


def _short(column: str) -> str:
    """`table.column` of the whole name."""
    if is_computed(column):
        return "what the query computes or has as rows in its text"
    relation, _, name = column.rpartition(".")
    return f"{relation.rpartition('/')[2].rpartition('.')[2]}.{name}"
