"""Statistics that tests share, and conditions over them by column names."""

from __future__ import annotations

import re

from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.relation_statistics import RelationStatistics
from tuner.plan.condition import Condition, read_condition

IDS = {"a": 1, "b": 2, "s": 3, "d": 4, "flag": 5, "bare": 6, "empty": 7}
COLUMNS = {
    1: ColumnStatistics("int", 100, 1, 100, 0),
    2: ColumnStatistics("int", 10, 51, 150, 200),
    3: ColumnStatistics("string", 20, None, None, 0),
    4: ColumnStatistics("date", 50, 0, 99, 0),
    5: ColumnStatistics("boolean", 2, False, True, 0),
    6: ColumnStatistics("int"),
    7: ColumnStatistics("int", 0, None, None, 1000),
}


def table(rows: int = 1000, columns: dict[int, ColumnStatistics] | None = None) -> RelationStatistics:
    return RelationStatistics(rows, COLUMNS if columns is None else columns, leaf=True)


def where(text: str) -> Condition:
    """A condition with its columns' ids left out."""
    return read_condition(
        re.sub(r"\b(a|b|s|d|flag|bare|empty)\b(?!#)(?=[ ),]|$)", lambda m: f"{m[0]}#{IDS[m[0]]}", text)
    )
