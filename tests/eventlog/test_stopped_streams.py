"""Which batches did not end because their stream was stopped."""

from __future__ import annotations

import pytest

from tuner.eventlog.stopped_streams import is_of_stopped_stream

from .samples import execution_end, execution_start, fold, job_end, job_start

RUN, OTHER = "5f586cae-5abe-4b4c-89b9-9ae520e8572c", "664e3450-6123-406a-8473-3324842bed4f"
BATCH = f"counts\nid = {OTHER}\nrunId = {RUN}\nbatch = 7"
INTERRUPTED = "java.lang.InterruptedException\n\tat java.base/java.util.concurrent.locks"


@pytest.mark.parametrize(
    ("error", "stopped"),
    [
        (INTERRUPTED, True),
        (f"[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred. Reason:\n: {INTERRUPTED}", True),
        (f"Job 3 cancelled part of cancelled job group {RUN}", True),
        (f"[SPARK_JOB_CANCELLED] Job 3 cancelled Query counts [id = {OTHER}, runId = {RUN}] was stopped", True),
        # Of a broadcast that took too long, before Spark 3.5.
        (f"Job 3 cancelled part of cancelled job group {OTHER}", False),
        ("[SPARK_JOB_CANCELLED] Job 3 cancelled as part of cancellation of all jobs SQLSTATE: XXKDA", False),
        ("[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012", False),
    ],
)
def test_the_stop_is_told_by_the_streams_own_group_and_its_thread(error: str, stopped: bool) -> None:
    assert is_of_stopped_stream(BATCH, ["Job aborted.", error]) is stopped
    assert not is_of_stopped_stream("nightly report", [error])


@pytest.mark.parametrize("old", [False, True])
def test_before_spark_3_4_the_job_alone_tells_it(old: bool) -> None:
    end = execution_end(error="" if old else "Job aborted.")
    end = end.replace(b',"errorMessage":""', b"") if old else end
    job = job_end(error=f"Job 0 cancelled part of cancelled job group {RUN}")
    (execution,) = fold([execution_start(description=BATCH), job_start(), job, end]).executions
    assert execution.stopped
