"""Which filter values a change acts on, in words."""

from __future__ import annotations

from tuner.model.decision import DecidedChange, LiteralRung
from tuner.policy.neutral_columns import ROWS_BOUND
from tuner.words.counts import counted

_MOST_COLUMNS = 3


def values_words(decided: DecidedChange) -> str:
    """As in "acts only on the filter values that it was measured with (2 sets)"; "" for what acts whatever the values are."""
    if not decided.change.is_on_joins:
        return ""
    if decided.rung is None:
        return "acts on no filter values yet: it was measured with none"
    measured = f"acts only on the filter values that it was measured with ({counted(len(decided.literals), 'set')})"
    if decided.rung is LiteralRung.SAME_VALUES:
        return measured
    columns = list(dict.fromkeys(_short(one) for several in decided.neutral for one in several.split(",")))
    named = ", ".join(columns[:_MOST_COLUMNS])
    more = f" and {counted(len(columns) - _MOST_COLUMNS, 'more column')}" if len(columns) > _MOST_COLUMNS else ""
    return f"{measured}, and on any value of {named}{more}: row counts stayed within {ROWS_BOUND:g} times their median so far"


def _short(column: str) -> str:
    """`table.column` of the whole name."""
    relation, _, name = column.rpartition(".")
    return f"{relation.rpartition('/')[2].rpartition('.')[2]}.{name}"
