"""Bytes of a row in memory, from the columns an operator puts out."""

from __future__ import annotations

import re

from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.expression import bracketed, split_top_level, without_ids
from tuner.plan.node import PlanNode
from tuner.plan.relation import is_scan

# UnsafeRow: a word for each 64 fields tells which are null, a word for each field; a variable-length one takes its
# bytes besides, in whole words. Of texts we take 20 bytes, as StringType.defaultSize does.
_WORD = 8
_TEXT_BYTES = 24
_FIELD = re.compile(r"(?<![^\s:<>,])([^\s:<>,]++):(string|binary|varchar|char)\b")
_PASSING = frozenset({"Filter", "Sort", "Exchange", "ShuffleExchange", "BroadcastExchange", "ReusedExchange"})


def row_bytes(node: PlanNode) -> int:
    """The bytes of one UnsafeRow of a relation: an estimate from its list of columns and the types its scan read."""
    columns = _columns(node)
    texts = _texts(node)
    variable = sum(name in texts for name in columns)
    return _WORD * (-(-len(columns) // 64) + len(columns)) + _TEXT_BYTES * variable


def _columns(node: PlanNode) -> list[str]:
    """The names of the columns an operator puts out, as far as texts tell."""
    while True:
        if aggregate := aggregate_parts(node) if node.name in AGGREGATES else None:
            return [_name(part) for found in aggregate for part in split_top_level(found)]
        if node.name == "Project" or is_scan(node) or not node.children:
            found = bracketed(node.text.removeprefix(node.full_name)) or bracketed(node.text)
            return [_name(part) for part in split_top_level(found[0])] if found else []
        if len(node.children) > 1 or node.name not in _PASSING:
            return [name for child in node.children for name in _columns(child)]
        node = node.children[0]


def _name(part: str) -> str:
    return without_ids(part.rpartition(" AS ")[2].partition("#")[0])


def _texts(node: PlanNode) -> set[str]:
    """The columns of variable length that the scans below read."""
    return {name for below in node.walk() for name, _ in _FIELD.findall(below.metadata.get("ReadSchema", ""))}
