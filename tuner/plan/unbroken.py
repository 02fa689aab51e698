"""A logical plan's text with one line for each operator."""

from __future__ import annotations

_RELATION, _END = "JDBCRelation(", ") [numPartitions="


def unbroken(logical_plan: str) -> str:
    """The same, but for the line breaks of queries that are sent to databases, which Spark shows as they are."""
    found, done = list[str](), 0
    while (start := logical_plan.find(_RELATION, done)) >= 0 and (end := logical_plan.find(_END, start)) >= 0:
        found += logical_plan[done:start], " ".join(logical_plan[start:end].splitlines())
        done = end
    return "".join((*found, logical_plan[done:]))
