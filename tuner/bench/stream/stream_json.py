"""A stream's result as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tuner.bench.stream.executed import Executed, JobNight
from tuner.bench.stream.stream_result import StreamResult


def stream_json(result: StreamResult, done: Sequence[JobNight], machine: str) -> dict[str, Any]:
    """What `spark-tuner bench --stream --json` prints: the result, and every execution and job's night it comes from."""
    return {
        **asdict(result),
        "machine": machine,
        "job_nights": [
            {
                "night": each.night,
                "job": each.job.name,
                "tuning_seconds": dict(each.tuning),
                "application_seconds": dict(each.applications),
                "exit_codes": dict(each.exit_codes),
                "executions": [_execution(one) for one in each.executions],
            }
            for each in done
        ],
    }


def _execution(one: Executed) -> dict[str, Any]:
    return {
        "query": one.of.name,
        "template": one.of.query.template.number,
        "relations": len(one.of.query.tree),
        "every": one.of.every,
        "keeps_literals": one.of.keeps,
        "seconds": {name: time.seconds for name, time in one.times.items()},
        "rows": {name: time.rows for name, time in one.times.items()},
        "errors": {name: time.error for name, time in one.times.items() if time.error},
        "other_rows": [name for name in one.times if one.other_rows(name)],
    }
