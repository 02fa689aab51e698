"""The numbers behind causes: what sentences say of two executions."""

from __future__ import annotations

import math

from tuner.compare.compared_executions import ComparedExecutions
from tuner.compare.execution_amounts import ExecutionAmounts, input_sizes
from tuner.compare.plan_change import by_site
from tuner.compare.scanned_tables import scanned_tables
from tuner.compare.side_label import side_label
from tuner.compare.surroundings import Surroundings
from tuner.compare.told_values import told_values
from tuner.model.reason import Number
from tuner.plan.relation import short_name

# Columns and settings that one sentence can name.
MOST_NAMED = 3

Numbers = dict[str, Number]


def input_numbers(pair: ComparedExecutions) -> Numbers:
    """What was read, and the table that it differs most of."""
    before, after = input_sizes(pair.query_before, pair.query)
    read = {
        "bytes": after,
        "bytes_before": before,
        "rows": pair.after.input_rows,
        "rows_before": pair.before.input_rows,
    }
    return read | {"values": pair.values, "table": _moved_table(pair)}


def _moved_table(pair: ComparedExecutions) -> str:
    """The table whose file bytes differ most, where there are several; "" where the log does not tell."""
    both = (scanned_tables(query) for query in (pair.query_before, pair.query))
    old, new = ({name: table.file_bytes for name, table in found.items()} for found in both)
    moved = {table: abs(new.get(table, 0) - old.get(table, 0)) for table in old | new}
    largest = max(moved, key=lambda table: moved[table], default="")
    return short_name(largest) if len(moved) > 1 and moved[largest] else ""


def plan_numbers(pair: ComparedExecutions) -> Numbers:
    """The first change of its plan, and how many more there are; no kind where there is none."""
    if not pair.plan:
        return {"kind": ""}
    first = pair.plan[0]
    return {
        "kind": first.kind.value,
        "before": first.before,
        "after": first.after,
        "left": first.left,
        "right": first.right,
        "build_side_before": first.build_side_before,
        "build_side": first.build_side,
        "by_aqe": first.by_aqe,
        "more": len(pair.plan) - 1,
        "values": pair.values,
    }


def edited_numbers(pair: ComparedExecutions, around: Surroundings) -> Numbers:
    """What its statement reads that it did not, and no longer reads; the tuner's changes that it lost, the first change of its
    plan, and what it was before."""
    before, after = set(pair.query_before.relations), set(pair.query.relations)
    return plan_numbers(pair) | {
        "fingerprint_before": pair.query_before.fingerprint,
        "reads_now": tuple(short_name(relation) for relation in sorted(after - before)),
        "read_before": tuple(short_name(relation) for relation in sorted(before - after)),
        "by_other_rules": around.plans_by_other_rules,
        "changes_out": pair.changes_out,
    }


def setting_numbers(around: Surroundings) -> Numbers:
    """What planners read otherwise: the version of Spark, and properties."""
    named = around.planning[:MOST_NAMED]
    return {
        "version": around.version if around.has_other_version else "",
        "version_before": around.version_before if around.has_other_version else "",
        "properties": tuple(one.property for one in named),
        "values_after": tuple(one.after or "" for one in named),
        "values_before": tuple(one.before or "" for one in named),
        "more_settings": len(around.planning) - len(named),
    }


def work_numbers(pair: ComparedExecutions) -> Numbers:
    """How many times as much work it did, and whether that was from as much input."""
    return {"times": math.exp(min(50.0, pair.work or 0.0)), "same_input": not pair.input}


def grown_join_numbers(pair: ComparedExecutions) -> Numbers:
    """The join whose rows differ most, in the direction of the work; no names where the log does not tell of one."""
    old, new = by_site(pair.query_before.joins), by_site(pair.query.joins)
    sign = 1 if (pair.work or 0.0) > 0 else -1
    grown = [
        (sign * (join.output_rows - was.output_rows), was, join)
        for site, join in new.items()
        if (was := old.get(site)) and was.output_rows is not None and join.output_rows is not None
    ]
    most, was, join = max(grown, key=lambda one: one[0], default=(0, None, None))
    if most <= 0 or was is None or join is None:
        return {"left": "", "right": ""}
    return {
        "left": side_label(join.left),
        "right": side_label(join.right),
        "rows": join.output_rows,
        "rows_before": was.output_rows,
    }


def moved_columns(pair: ComparedExecutions) -> tuple[str, ...]:
    """The columns whose values differ, without their relations' whole names; () where the log tells no columns."""
    told = told_values(pair.query_before, pair.query)
    if told is None:
        return ()
    old, new = told
    columns = sorted({column for one in old ^ new for column in one.columns.split(",") if column})
    return tuple(column.rpartition(".")[2] for column in columns[:MOST_NAMED])


def cpu_numbers(pair: ComparedExecutions) -> Numbers:
    """What processors took, and would have taken as before for the work."""
    return {
        "cpu_seconds": pair.after.cpu_seconds,
        "expected_cpu_seconds": pair.before.cpu_seconds * math.exp(min(50.0, pair.work or 0.0)),
        "retries": pair.after.stage_retries,
        "retries_before": pair.before.stage_retries,
    }


def at_once_numbers(pair: ComparedExecutions) -> Numbers:
    """How many tasks ran at once, on average."""

    def at_once(one: ExecutionAmounts) -> float:
        return one.task_seconds / one.seconds if one.seconds else 0.0

    return {"tasks_at_once": at_once(pair.after), "tasks_at_once_before": at_once(pair.before)}


def waiting_numbers(pair: ComparedExecutions) -> Numbers:
    """The share of their time that tasks did not compute in, and what they spilled to disks."""

    def waiting(one: ExecutionAmounts) -> float:
        return max(0.0, 1 - one.cpu_seconds / one.task_seconds) if one.task_seconds else 0.0

    return {
        "waiting_share": waiting(pair.after),
        "waiting_share_before": waiting(pair.before),
        "spilled_bytes": pair.after.spilled_bytes,
        "spilled_bytes_before": pair.before.spilled_bytes,
    }
