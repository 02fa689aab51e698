"""A comparison as `compare --json` prints it: a contract, so every name is written out here."""

from __future__ import annotations

from typing import Any

from tuner.compare.cause import Cause
from tuner.compare.execution_amounts import ExecutionAmounts
from tuner.compare.operator_difference import OperatorAmounts, OperatorDifference
from tuner.compare.plan_change import PlanChange
from tuner.compare.run_comparison import CauseTotal, QueryComparison, RunComparison, RunTotals
from tuner.model.run import Run
from tuner.words.causes import cause_words
from tuner.words.changes import change_words
from tuner.words.comparisons import headline, other_differences, total_words
from tuner.words.query_names import QueryNames


def comparison_json(found: RunComparison, names: QueryNames, newer: Run | None) -> dict[str, Any]:
    """docs/compare.md says what each is."""
    return {
        "before": _run(found.before),
        "after": _run(found.after),
        "is_same": found.is_same,
        "is_noise": found.is_noise,
        "difference_seconds": found.difference,
        "words": headline(found),
        "causes": [_total(total, found, names) for total in found.causes],
        "queries": [_query(query, found, names) for query in found.queries],
        "settings": [
            {"property": s.property, "before": s.before, "after": s.after, "by_tuner": s.by_tuner}
            for s in found.settings
        ],
        "changes": [
            {
                "id": id_,
                "words": change_words(change, names),
                "in_effect": "after" if id_ in found.changes_in else "before",
            }
            for id_, change in found.changes.items()
        ],
        "other_differences": list(other_differences(found, names)),
        "newer": _newer(newer) if newer else None,
    }


def _newer(run: Run) -> dict[str, Any]:
    ended_at = run.ended_at.isoformat() if run.ended_at else None
    return {"key": run.key, "started_at": run.started_at.isoformat(), "ended_at": ended_at, "state": run.state.value}


def _run(run: RunTotals) -> dict[str, Any]:
    cluster = run.cluster
    return {
        "key": run.key,
        "cohort": run.cohort,
        "app_id": run.app_id,
        "started_at": run.started_at.isoformat(),
        "state": run.state.value,
        "application_seconds": run.application_seconds,
        "outside_seconds": run.outside_seconds,
        "queries": run.queries,
        "queries_overlap": run.overlaps,
        "allocated_core_hours": run.core_hours,
        "gc_share": run.gc_share,
        "spark_version": run.spark_version,
        "cluster": {
            "cores": cluster.cores,
            "executors": cluster.executors,
            "cores_per_executor": cluster.cores_per_executor,
            "executor_memory_bytes": cluster.executor_memory_bytes,
            "driver_memory_bytes": cluster.driver_memory_bytes,
        },
        "amounts": _amounts(run.amounts),
    }


def _amounts(amounts: ExecutionAmounts | None) -> dict[str, Any] | None:
    if amounts is None:
        return None
    return {
        "seconds": amounts.seconds,
        "task_seconds": amounts.task_seconds,
        "cpu_seconds": amounts.cpu_seconds,
        "work_seconds": amounts.work_seconds,
        "input_bytes": amounts.input_bytes,
        "input_rows": amounts.input_rows,
        "spilled_bytes": amounts.spilled_bytes,
        "stage_retries": amounts.stage_retries,
    }


def _total(total: CauseTotal, found: RunComparison, names: QueryNames) -> dict[str, Any]:
    return {
        "kind": total.kind.value,
        "seconds": total.seconds,
        "queries": total.queries,
        "largest": total.fingerprint or None,
        "words": total_words(total, found, names),
    }


def _query(query: QueryComparison, found: RunComparison, names: QueryNames) -> dict[str, Any]:
    return {
        "fingerprint": query.fingerprint,
        "name": names[query.fingerprint],
        "executions_before": query.executions_before,
        "executions_after": query.executions_after,
        "difference_seconds": query.difference,
        "share": query.share,
        "is_noise": query.is_noise,
        "before": _amounts(query.before),
        "after": _amounts(query.after),
        "causes": [_cause(cause, found, names) for cause in query.causes],
        "plan": [_plan_change(change) for change in query.plan],
        "operators": [_operator(operator) for operator in query.operators],
    }


def _cause(cause: Cause, found: RunComparison, names: QueryNames) -> dict[str, Any]:
    return {
        "kind": cause.kind.value,
        "code": cause.code.value,
        "seconds": cause.seconds,
        "numbers": dict(cause.numbers),
        "words": cause_words(cause, names, found.changes),
    }


def _plan_change(change: PlanChange) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "before": change.before,
        "after": change.after,
        "left": change.left,
        "right": change.right,
        "build_side_before": change.build_side_before,
        "build_side": change.build_side,
        "by_aqe": change.by_aqe,
    }


def _operator(one: OperatorDifference) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "left": one.left,
        "right": one.right,
        "before": _operator_amounts(one.before),
        "after": _operator_amounts(one.after),
    }


def _operator_amounts(amounts: OperatorAmounts | None) -> dict[str, Any] | None:
    if amounts is None:
        return None
    return {
        "rows": amounts.rows,
        "bytes": amounts.bytes,
        "seconds": amounts.seconds,
        "how": amounts.how,
        "build_side": amounts.build_side,
    }
