"""Tables whose statistics would pay, what gathering them takes, and the actions that do it. For all levers that need them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tuner.advice.facts import Facts
from tuner.cost.analyze_seconds import analyze_seconds
from tuner.model.action import Action, ActionKind
from tuner.model.change import Evidence
from tuner.model.query import TableRead

# Statistics are taken to stay true for as many runs: what gathering them takes must come back within these.
RUNS_PER_ANALYZE = 10


def catalog_tables(facts: Facts) -> dict[str, TableRead]:
    """The catalog tables that the run's queries read, with every column that any of them filters, joins or groups by.

    By their own names: where relations are named with `*`, the next run has another table, without the statistics of this one.
    """
    found: dict[str, TableRead] = {}
    for table in (table for query in facts.queries for table in query.tables):
        known = found.get(table.table, TableRead(table.table, ()))
        columns = tuple(sorted({*known.columns, *table.columns}))
        rows, file_bytes = max(known.rows, table.rows), max(known.file_bytes, table.file_bytes)
        found[table.table] = TableRead(table.table, columns, rows, file_bytes)
    return found


def analyze_actions(tables: Iterable[TableRead]) -> tuple[Action, ...]:
    """One ANALYZE for each table."""
    return tuple(Action(ActionKind.ANALYZE_TABLE, table.table, ",".join(table.columns)) for table in tables)


def analyze_evidence(tables: Collection[TableRead], facts: Facts) -> tuple[Evidence, ...]:
    """What is read to gather the statistics, and what that takes."""
    return (
        Evidence("rows that ANALYZE reads", sum(t.rows for t in tables), "rows", ", ".join(t.table for t in tables)),
        Evidence("bytes that ANALYZE reads, at most", sum(t.file_bytes for t in tables), "bytes"),
        Evidence("ANALYZE once", seconds_once(tables, facts), "seconds"),
        Evidence("runs that share it", RUNS_PER_ANALYZE, "runs"),
    )


def seconds_once(tables: Iterable[TableRead], facts: Facts) -> float:
    """Wall seconds of gathering the statistics."""
    return analyze_seconds(tables, facts.cluster.cores)


def seconds_per_run(tables: Iterable[TableRead], facts: Facts) -> float:
    """The share of it that each run must save."""
    return seconds_once(tables, facts) / RUNS_PER_ANALYZE
