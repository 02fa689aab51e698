"""About how much memory it takes to keep what a log has begun and not ended."""

from __future__ import annotations

from tuner.eventlog.fragment import Fragment
from tuner.eventlog.open_work import OpenExecution, OpenJob, OpenStage

# Of Python's dicts, lists and structs, as measured: an entry, and what stands for one thing.
_ENTRY, _THING = 100, 700
# Plans are most of what a busy server has open: a real one may have hundreds of megabytes of them.
_PLAN_SHARE = 8


def open_bytes(fragment: Fragment) -> int:
    """An estimate for a stretch of a log. Of plans that are not packed an eighth counts."""
    entries = sum(heap.entries for heap in fragment.resources.heaps.values()) + len(fragment.parallelism.held_ms)
    return (
        sum(map(_of_execution, fragment.executions.values()))
        + sum(map(_of_job, fragment.jobs.values()))
        + sum(map(_of_stage, fragment.stages.values()))
        + len(fragment.handed_on) * _THING
        + (entries + len(fragment.executor_changes)) * 2 * _ENTRY
    )


def _of_execution(execution: OpenExecution) -> int:
    plans = execution.start_bytes + execution.replan_bytes(packed=False)
    packed = execution.replan_bytes(packed=True)
    return _THING + len(execution.driver_updates) * _ENTRY + plans // _PLAN_SHARE + packed


def _of_job(job: OpenJob) -> int:
    return _THING + (len(job.stage_ids) + len(job.stages) + len(job.ran)) * _ENTRY


def _of_stage(stage: OpenStage) -> int:
    entries = len(stage.updates) + 4 * len(stage.by_partition)
    for attempt in stage.attempts.values():
        entries += len(attempt.info.accumulables) + len(attempt.info.rdds) + len(attempt.job_ids)
    pages = sum(map(len, stage.counted.values()))
    return _THING + len(stage.attempts) * _THING + len(stage.counted) * _ENTRY + entries * _ENTRY + pages
