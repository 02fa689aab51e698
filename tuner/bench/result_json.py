"""A bench's result as JSON: for programs, and for its own page."""

from __future__ import annotations

from typing import Any

from tuner.bench.bench_result import BenchResult, ContenderResult, QueryResult, RunResult


def result_json(result: BenchResult, machine: str) -> dict[str, Any]:
    """What `spark-tuner bench --json` prints."""
    return {
        "title": result.title,
        "machine": machine,
        "learning_runs": result.learning_runs,
        "repeats": result.repeats,
        "left_out": dict(result.left_out),
        "contenders": [_contender(contender) for contender in result.contenders],
    }


def _contender(contender: ContenderResult) -> dict[str, Any]:
    return {
        "name": contender.name,
        "title": contender.title,
        "speed_up": contender.total_speed_up,
        "geometric_mean": contender.geometric_mean,
        "best_geometric_mean": contender.best_geometric_mean,
        "runs_to_90_percent": contender.runs_to_most,
        "slower": [query.name for query in contender.slower],
        "only_finished_by_default": list(contender.only_default),
        "not_finished_by_default": list(contender.only_mine),
        "tested_for_slower": contender.tested,
        "preparing_seconds": contender.preparing_seconds,
        "cumulative_seconds": contender.cumulative_seconds,
        "allocated_core_seconds": contender.allocated_core_seconds,
        "cpu_seconds": contender.cpu_seconds,
        "runs": [_run(run) for run in contender.runs],
        "queries": [_query(query) for query in contender.queries],
    }


def _run(run: RunResult) -> dict[str, Any]:
    return {
        "run": run.number,
        "started_at": run.started_at,
        "exit_code": run.exit_code,
        "seconds": run.seconds,
        "speed_up": run.speed_up,
        "tuning_seconds": run.tuning_seconds,
        "cumulative_seconds": run.cumulative_seconds,
        "allocated_core_seconds": run.allocated_core_seconds,
        "cpu_seconds": run.cpu_seconds,
        "failed": list(run.failed),
        "said": list(run.said),
    }


def _query(query: QueryResult) -> dict[str, Any]:
    return {
        "query": query.name,
        "default_seconds": query.default_seconds,
        "final_seconds": query.final_seconds,
        "speed_up": query.speed_up,
        "seconds": list(query.seconds),
        "p_slower": query.p_slower,
        "slower": query.slower,
        "seems_slower": query.seems_slower,
        "other_rows": query.other_rows,
        "rows_vary": query.rows_vary,
        "numbers_vary": query.numbers_vary,
        "finished": query.finished,
        "default_finished": query.default_finished,
    }
