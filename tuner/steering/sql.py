"""Spark SQL text: taking scripts apart and writing join hints into statements."""

from __future__ import annotations

from tuner.steering.sql_hints import HintedStatement, JoinHintRequest, SkippedHint, add_join_hints
from tuner.steering.sql_script import SqlTextError, split_statements

__all__ = [
    "HintedStatement",
    "JoinHintRequest",
    "SkippedHint",
    "SqlTextError",
    "add_join_hints",
    "split_statements",
]
