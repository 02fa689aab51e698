"""Why something failed, by the texts that Spark's versions leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tuner.eventlog.application_fold import ApplicationFold
from tuner.eventlog.events import decode_event
from tuner.eventlog.failure_events import _MAX_FAILURES
from tuner.eventlog.failure_rules import is_of_python_memory, recognise
from tuner.eventlog.find import find_logs
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.read import read_application
from tuner.eventlog.root_cause import MOST_TOLD, root_cause
from tuner.model.application import Application
from tuner.model.failure import FailureKind, LoggedFailure

from .least_seconds import least_seconds

GOLDEN = Path(__file__).parents[1] / "golden" / "logs"
LOST_TASK = (
    "Job aborted due to stage failure: Task 3 in stage 7.0 failed 4 times, most recent failure: "
    "Lost task 3.3 in stage 7.0 (TID 41) (10.0.0.7 executor 2): "
)
YARN_KILLED = (
    "ExecutorLostFailure (executor 2 exited caused by one of the running tasks) Reason: Container killed by YARN for "
    "exceeding physical memory limits. 5.5 GB of 5.5 GB physical memory used. Consider boosting "
    "spark.executor.memoryOverhead."
)
# YarnAllocator: since 2.4.1 of a bad node, since 3.4 with what causes there may be.
ENDED_BY_SIGTERM = (
    "Container {}: container_1607965252297_0001_01_000034 on host: ip-10-0-0-7.ec2.internal. Exit status: 143. {}Diagnostics: "
    "[2020-12-15 15:17:18.802]Container killed on request. Exit code is 143\n[2020-12-15 15:17:18.803]Container exited with a "
    "non-zero exit code 143. \n[2020-12-15 15:17:18.803]Killed by external signal\n."
)
# KubernetesUtils.containersDescription.
CONTAINERS = (
    "\nThe API gave the following container statuses:\n\n\n\t container name: spark-kubernetes-executor\n\t container image: i"
    "\n\t container state: terminated\n\t container started at: 2026-01-01T00:00:00Z\n\t container finished at: "
    "2026-01-01T01:00:00Z\n\t exit code: 137\n\t termination reason: {}\n      "
)

NOT_FETCHED = (
    "Job aborted due to stage failure: ShuffleMapStage 5 (sql at A.java:1) has failed the maximum allowable number of times: 4. "
    "Most recent failure reason:\norg.apache.spark.shuffle.FetchFailedException: {}\n\nDriver stacktrace:\n\tat c.D"
)
NETTY_OOM = NOT_FETCHED.format("Block shuffle_1_12239_80 fetch failed after 10 retries due to Netty OOM\n\tat a.B")
NETTY_ERROR = (
    "io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 16777216 byte(s) of direct memory (used: 1056964608, "
    "max: 1073741824)\n\tat io.netty.util.internal.PlatformDependent.incrementMemoryCounter(PlatformDependent.java:802)"
)
# Java 8 and 11; 17.
DIRECT_BUFFERS = (
    "java.lang.OutOfMemoryError: Direct buffer memory",
    "java.lang.OutOfMemoryError: Cannot reserve 1048576 bytes of direct buffer memory (allocated: 1072693248, limit: 1073741824)",
)

ID = "5f586cae-5abe-4b4c-89b9-9ae520e8572c"
INTERRUPTED = (
    "java.lang.InterruptedException\n\tat org.apache.spark.scheduler.DAGScheduler.runJob(DAGScheduler.scala:1538)"
)
OF_STREAM = (
    "\n\tat org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution.runBatch(MicroBatchExecution.scala:1)"
)
FOREACH = (
    "[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function in foreach batch sink. Reason: An "
    "exception was raised by the Python Proxy. Return Message: Traceback (most recent call last):"
)
TEXTS = [
    (
        "Could not execute broadcast in 300 secs. You can increase the timeout for broadcasts via "
        "spark.sql.broadcastTimeout or disable broadcast join by setting spark.sql.autoBroadcastJoinThreshold to -1",
        FailureKind.BROADCAST_TIMEOUT,
        "broadcast timed out after 300 s",
    ),
    (
        "org.apache.spark.SparkException: Cannot broadcast the table that is larger than 8GB: 9 GB",
        FailureKind.BROADCAST_TOO_LARGE,
        "a table of 9 GB is too large to broadcast (Spark's limit is 8GB)",
    ),
    (
        "Cannot broadcast the table that is larger than 8.0 GiB: 9.1 GiB.",
        FailureKind.BROADCAST_TOO_LARGE,
        "a table of 9.1 GiB is too large to broadcast (Spark's limit is 8.0 GiB)",
    ),
    (
        "Cannot broadcast the table with 512 million or more rows: 600000000 rows",
        FailureKind.BROADCAST_TOO_LARGE,
        "a table of 600000000 rows is too large to broadcast",
    ),
    (
        "Cannot broadcast the table over 357913941 rows: 400000000 rows.",
        FailureKind.BROADCAST_TOO_LARGE,
        "a table of 400000000 rows is too large to broadcast",
    ),
    *(
        (
            f"{said} build a HashedRelation that is larger than 8G",
            FailureKind.BROADCAST_TOO_LARGE,
            "a table is too large to broadcast",
        )
        for said in (
            "java.lang.UnsupportedOperationException: Can not",
            "org.apache.spark.SparkUnsupportedOperationException: [_LEGACY_ERROR_TEMP_2110] Cannot",
        )
    ),
    # A task's own, of a shuffled hash join.
    (
        LOST_TASK + "java.lang.UnsupportedOperationException: Can not build a HashedRelation that is larger than 8G",
        FailureKind.UNKNOWN,
        "",
    ),
    (
        "java.lang.OutOfMemoryError: Not enough memory to build and broadcast the table to all worker nodes. As a "
        "workaround, you can either disable broadcast by setting spark.sql.autoBroadcastJoinThreshold to -1",
        FailureKind.BROADCAST_OUT_OF_MEMORY,
        "the driver had not enough memory to build a broadcast",
    ),
    (
        "Total size of serialized results of 12 tasks (1030.8 MiB) is bigger than spark.driver.maxResultSize (1024.0 MiB)",
        FailureKind.RESULT_TOO_LARGE,
        "results of 1030.8 MiB were too large for the driver (spark.driver.maxResultSize)",
    ),
    *(
        (LOST_TASK + text, FailureKind.EXECUTOR_OUT_OF_MEMORY, "a task ran out of memory")
        for text in (
            "java.lang.OutOfMemoryError: Java heap space\n\tat java.util.Arrays.copyOf",
            "org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/out.\n\tat org.apache"
            ".spark.sql.errors\nCaused by: java.lang.OutOfMemoryError: Java heap space\n\tat a.B\n\nDriver stacktrace:\n\tat c.D",
            "org.apache.spark.SparkException: [FAILED_EXECUTE_UDF] Failed to execute user defined function (`f`).\n\tat a.B\n"
            "Caused by: java.lang.OutOfMemoryError: GC overhead limit exceeded",
        )
    ),
    *(
        (text, FailureKind.EXECUTOR_OUT_OF_MEMORY, "an executor's direct memory was full")
        for text in (
            NETTY_OOM,
            NOT_FETCHED.format(
                f"failed to allocate 16777216 byte(s) of direct memory\n\tat a.B\nCaused by: {NETTY_ERROR}"
            ),
            LOST_TASK + NETTY_ERROR,
            *(f"{LOST_TASK}{text}\n\tat a.B" for text in DIRECT_BUFFERS),
        )
    ),
    *(
        (f"{text}\n\tat a.B", FailureKind.DRIVER_OUT_OF_MEMORY, "the driver ran out of memory")
        for text in DIRECT_BUFFERS
    ),
    # The driver's own.
    *(
        (before + NETTY_ERROR, FailureKind.UNKNOWN, "failed")
        for before in ("", "Job aborted due to stage failure: Exception while getting task result: ")
    ),
    # A larger heap heals none of these.
    *(
        (LOST_TASK + f"java.lang.OutOfMemoryError: {text}", FailureKind.UNKNOWN, "failed")
        for text in (
            "unable to create native thread: possibly out of memory or process/resource limits reached",
            "unable to create new native thread",
            "Requested array size exceeds VM limit",
            "Required length exceeds implementation limit",
            "Required array length 2147483640 + 16 is too large",
            "Required array size too large",
            "UTF16 String size is 1200000000, should be less than 1073741823",
            "Metaspace",
        )
    ),
    # Java 8 and 11 say it by the stack alone.
    *(
        (LOST_TASK + f"java.lang.OutOfMemoryError\n\tat {frame}(A.java:123)\n\tat a.B.c", FailureKind.UNKNOWN, "failed")
        for frame in (
            "java.io.ByteArrayOutputStream.hugeCapacity",
            "java.base/java.io.ByteArrayOutputStream.hugeCapacity",
            "java.base/jdk.internal.util.ArraysSupport.hugeLength",
        )
    ),
    (
        "java.lang.OutOfMemoryError: Required array length 2147483639 + 9 is too large\n\tat a.B",
        FailureKind.UNKNOWN,
        "failed",
    ),
    (LOST_TASK + "java.lang.OutOfMemoryError\n\tat a.B.c(A.java:1)", FailureKind.EXECUTOR_OUT_OF_MEMORY, ""),
    (
        LOST_TASK + "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
        "torch.cuda.OutOfMemoryError: CUDA out of memory.",
        FailureKind.DATA_OR_CODE,
        "the job's own data or code",
    ),
    (
        LOST_TASK + "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
        "subprocess.CalledProcessError: Command '['x']' returned non-zero exit status 137.",
        FailureKind.DATA_OR_CODE,
        "the job's own data or code",
    ),
    (
        LOST_TASK
        + "org.apache.spark.SparkException: Can't acquire 1048576 bytes memory to build hash relation, got 0 bytes",
        FailureKind.TASK_MEMORY,
        "a task could not get the memory it asked for",
    ),
    *(
        (
            "\nThe executor with id 3 exited with exit code 137(SIGKILL, possible container OOM).\n\n"
            f"The API gave the following brief reason: {brief}\nThe API gave the following message: {message}\n",
            kind,
            words,
        )
        for brief, message, kind, words in (
            (
                "Terminated",
                "Pod was terminated in response to imminent node shutdown.",
                FailureKind.EXECUTOR_PREEMPTED,
                "an executor was taken away",
            ),
            (
                "Preempting",
                "Preempted to admit critical pod",
                FailureKind.EXECUTOR_PREEMPTED,
                "an executor was taken away",
            ),
            (
                "Evicted",
                "The node was low on resource: ephemeral-storage.",
                FailureKind.LOCAL_DISK,
                "an executor's disk was full",
            ),
            (
                "Evicted",
                "The node was low on resource: memory.",
                FailureKind.EXECUTOR_OVER_LIMIT,
                "an executor needed more memory than its container has",
            ),
            (
                "N/A",
                "N/A\n  termination reason: OOMKilled",
                FailureKind.EXECUTOR_OVER_LIMIT,
                "an executor needed more memory than its container has",
            ),
            (
                "N/A",
                "N/A" + CONTAINERS.format("OOMKilled"),
                FailureKind.EXECUTOR_OVER_LIMIT,
                "an executor needed more memory than its container has",
            ),
            (
                "Evicted",
                "The node was low on resource: memory." + CONTAINERS.format("Error"),
                FailureKind.EXECUTOR_OVER_LIMIT,
                "an executor needed more memory than its container has",
            ),
            (
                "N/A",
                "N/A" + CONTAINERS.format("N/A"),
                FailureKind.EXECUTOR_OVER_LIMIT,
                "an executor needed more memory than its container has",
            ),
            *(
                (
                    "N/A",
                    "N/A" + CONTAINERS.format(why),
                    FailureKind.EXECUTOR_LOST,
                    "an executor was killed, not for its limit",
                )
                for why in ("Error", "ContainerStatusUnknown")
            ),
        )
    ),
    # LoggingPodStatusWatcherImpl, of a driver.
    (
        "Container final statuses:" + CONTAINERS.partition("statuses:")[2].format("Error"),
        FailureKind.EXECUTOR_OVER_LIMIT,
        "",
    ),
    (
        "The executor with id 4 exited with exit code 52(JVM OOM).\n" + CONTAINERS.format("Error").replace("137", "52"),
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        "",
    ),
    (
        LOST_TASK + "TaskResultLost (result lost from block manager)",
        FailureKind.RESULT_LOST,
        "a task's result was lost on its way to the driver",
    ),
    (
        LOST_TASK + "org.apache.spark.memory.SparkOutOfMemoryError: Unable to acquire 65536 bytes of memory, got 0",
        FailureKind.TASK_MEMORY,
        "a task could not get the memory it asked for",
    ),
    (
        "[UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire 262144 bytes of memory, got 0. SQLSTATE: 53200",
        FailureKind.TASK_MEMORY,
        "",
    ),
    ("There is not enough memory to build hash map", FailureKind.TASK_MEMORY, ""),
    (
        LOST_TASK + YARN_KILLED,
        FailureKind.EXECUTOR_OVER_LIMIT,
        "an executor needed more memory than its container has",
    ),
    (
        "Container killed by YARN for exceeding memory limits. 40.6 GB of 40 GB used.",
        FailureKind.EXECUTOR_OVER_LIMIT,
        "",
    ),
    (
        "The executor with id 13 exited with exit code 137(SIGKILL, possible container OOM).\n\n\ntermination reason: OOMKilled",
        FailureKind.EXECUTOR_OVER_LIMIT,
        "",
    ),
    ("Command exited with code 137", FailureKind.EXECUTOR_OVER_LIMIT, ""),
    (
        "The executor with id 4 exited with exit code 52(JVM OOM).",
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        "an executor ran out of memory",
    ),
    # A JVM with -XX:+ExitOnOutOfMemoryError, as many have it on Kubernetes, tells nobody.
    *(
        (text, FailureKind.EXECUTOR_OUT_OF_MEMORY, "an executor ran out of memory")
        for text in (
            "The executor with id 4 exited with exit code 3(unexpected).",
            "Command exited with code 3",
            LOST_TASK
            + "ExecutorLostFailure (executor 2 exited caused by one of the running tasks) Reason: Command exited with code 3",
        )
    ),
    ("Command exited with code 33", FailureKind.UNKNOWN, ""),
    # ApplicationMaster, LoggingPodStatusWatcherImpl: of a driver.
    *((f"User application exited with status {code}", FailureKind.UNKNOWN, "") for code in (3, 52, 137)),
    ("Container final statuses:\n\n\t exit code: 3\n\t termination reason: Error", FailureKind.UNKNOWN, ""),
    (
        "Container marked as failed: c_1 on host: h. Exit status: 52. Diagnostics: x",
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        "",
    ),
    (
        LOST_TASK + "java.lang.OutOfMemoryError: Java heap space\n\tat java.util.Arrays",
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        "a task ran out of memory",
    ),
    (LOST_TASK + "java.lang.OutOfMemoryError: GC overhead limit exceeded", FailureKind.EXECUTOR_OUT_OF_MEMORY, ""),
    *(
        (
            before + text,
            FailureKind.EXECUTOR_OUT_OF_MEMORY,
            "an executor was ended by SIGTERM, as on YARN where its heap is full",
        )
        for before in (
            "",
            LOST_TASK + "ExecutorLostFailure (executor 2 exited caused by one of the running tasks) Reason: ",
        )
        for text in (
            ENDED_BY_SIGTERM.format("from a bad node", ""),
            ENDED_BY_SIGTERM.format(
                "from a bad node", "Possible causes: Unknown executor exit code (143) (died from signal 15?) "
            ),
            ENDED_BY_SIGTERM.format("marked as failed", ""),
        )
    ),
    # By others than the JVM: a node that goes, a driver that gives its executor back, a worker or a pod that stops.
    *(
        (text, kind, "")
        for text, kind in (
            (
                "Container marked as failed: c_1 on host: h. Exit status: -100. Diagnostics: Container released on a *lost* node",
                FailureKind.EXECUTOR_PREEMPTED,
            ),
            ("Container c_1 exited from explicit termination request.", FailureKind.UNKNOWN),
            ("Command exited with code 143", FailureKind.UNKNOWN),
            ("The executor with id 4 exited with exit code 143(SIGTERM).", FailureKind.UNKNOWN),
            (
                "Executor decommission: " + ENDED_BY_SIGTERM.format("from a bad node", ""),
                FailureKind.EXECUTOR_PREEMPTED,
            ),
        )
    ),
    (
        "Diagnostics message: Max number of executor failures (6) reached\nLost executor 3: Exit status: 137. x",
        FailureKind.EXECUTOR_LOST,
        "6 executors were lost, which ends an application",
    ),
    ("Container container_9 on host: h was preempted.", FailureKind.EXECUTOR_PREEMPTED, "an executor was taken away"),
    (
        LOST_TASK + "ExecutorLostFailure (executor 2 exited unrelated to the running tasks) "
        "Reason: Executor decommission: worker decommissioned because of kill",
        FailureKind.EXECUTOR_PREEMPTED,
        "",
    ),
    ("Executor heartbeat timed out after 130023 ms", FailureKind.EXECUTOR_LOST, "an executor was lost"),
    (
        "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues.",
        FailureKind.EXECUTOR_LOST,
        "",
    ),
    (
        "org.apache.spark.shuffle.FetchFailedException: Failed to connect to h/10.0.0.7:7337",
        FailureKind.EXECUTOR_LOST,
        "",
    ),
    ("java.lang.OutOfMemoryError: Java heap space", FailureKind.DRIVER_OUT_OF_MEMORY, "the driver ran out of memory"),
    ("Job 4 cancelled killed via the Web UI", FailureKind.KILLED, "a person cancelled it"),
    ("Job 4 cancelled because SparkContext was shut down", FailureKind.STOPPED, "Spark was stopped while it ran"),
    # Spark 4.3.0, of a query whose driver got SIGTERM
    (
        "java.lang.InterruptedException\n\tat java.base/java.util.concurrent.locks.AbstractQueuedSynchronizer",
        FailureKind.STOPPED,
        "",
    ),
    ("[DIVIDE_BY_ZERO] Division by zero.", FailureKind.DATA_OR_CODE, ""),
    ("[CAST_INVALID_INPUT] The value cannot be cast. SQLSTATE: 22018", FailureKind.DATA_OR_CODE, ""),
    ("[FAILED_READ_FILE.NO_HINT] Encountered error. SQLSTATE: KD001", FailureKind.DATA_OR_CODE, ""),
    (
        "[USER_RAISED_EXCEPTION] Permission denied SQLSTATE: P0001",
        FailureKind.DATA_OR_CODE,
        "the job's own data or code",
    ),
    ("[NOT_NULL_ASSERT_VIOLATION] NULL value appeared. SQLSTATE: 42000", FailureKind.DATA_OR_CODE, ""),
    ("com.fasterxml.jackson.core.JsonParseException: Unexpected end", FailureKind.UNKNOWN, "failed"),
    ("[INVALID_CONF_VALUE.TIME_ZONE] refused. SQLSTATE: 22022", FailureKind.UNKNOWN, "Spark refused a property"),
    (
        "[PATH_NOT_FOUND] Path does not exist: file:/a. SQLSTATE: 42K03",
        FailureKind.INPUT_MISSING,
        "an input was missing",
    ),
    ("[FAILED_READ_FILE.FILE_NOT_EXIST] no file. SQLSTATE: KD001", FailureKind.INPUT_MISSING, ""),
    ("[TABLE_OR_VIEW_NOT_FOUND] The table or view `a` cannot be found.", FailureKind.INPUT_MISSING, ""),
    (LOST_TASK + "java.io.FileNotFoundException: /a/part-0 does not exist", FailureKind.INPUT_MISSING, ""),
    (
        LOST_TASK + "java.io.FileNotFoundException: /tmp/blockmgr-1/0c/shuffle_0_7_0.index (No such file or directory)",
        FailureKind.LOCAL_DISK,
        "a shuffle's or a spill's own file was lost",
    ),
    (
        LOST_TASK + "java.io.FileNotFoundException: /tmp/blockmgr-1/0c/temp_shuffle_9 (No space left on device)",
        FailureKind.LOCAL_DISK,
        "a disk was full",
    ),
    (LOST_TASK + "java.net.SocketException: Too many open files", FailureKind.LOCAL_DISK, "too many files were open"),
    (
        "org.apache.hadoop.security.AccessControlException: Permission denied: user=etl, access=READ_EXECUTE",
        FailureKind.ACCESS_DENIED,
        "access was denied",
    ),
    (LOST_TASK + "java.io.IOException: Mkdirs failed to create file:/a/_temporary", FailureKind.ACCESS_DENIED, ""),
    (
        "java.lang.IllegalArgumentException: java.net.UnknownHostException: nohost",
        FailureKind.UNREACHABLE,
        "a host could not be reached",
    ),
    ("org.postgresql.util.PSQLException: The connection attempt failed.", FailureKind.UNREACHABLE, ""),
    ("[UNRESOLVED_COLUMN.WITHOUT_SUGGESTION] SQLSTATE: 42703", FailureKind.CODE, "the job's own code"),
    ("org.apache.spark.sql.catalyst.parser.ParseException: \n[PARSE_SYNTAX_ERROR]", FailureKind.CODE, ""),
    ("org.apache.spark.api.python.PythonException: Traceback (most recent call last)", FailureKind.DATA_OR_CODE, ""),
    ("Exit status: 143. Diagnostics: Container killed on request. Exit code is 143", FailureKind.UNKNOWN, "failed"),
    ("Job 6 cancelled part of cancelled job group 7", FailureKind.UNKNOWN, "it was cancelled"),
    ("Job 6 cancelled as part of cancellation of all jobs", FailureKind.UNKNOWN, "it was cancelled"),
    (
        "[SPARK_JOB_CANCELLED] Job 6 cancelled The corresponding broadcast query has failed. SQLSTATE: XXKDA",
        FailureKind.UNKNOWN,
        "it was cancelled",
    ),
    (
        f"[SPARK_JOB_CANCELLED] Job 6 cancelled Query counts [id = {ID}, runId = {ID}] was stopped SQLSTATE: XXKDA",
        FailureKind.STOPPED,
        "its stream was stopped",
    ),
    (INTERRUPTED + OF_STREAM, FailureKind.STOPPED, "its stream was stopped"),
    (INTERRUPTED, FailureKind.STOPPED, "Spark was stopped while it ran"),
    (FOREACH + f"\n: {INTERRUPTED} SQLSTATE: 39000", FailureKind.STOPPED, "its stream was stopped"),
    (FOREACH + "\nZeroDivisionError: division by zero SQLSTATE: 39000", FailureKind.DATA_OR_CODE, ""),
    ("Executor killed by driver.", FailureKind.UNKNOWN, ""),
    ("", FailureKind.UNKNOWN, ""),
]


@pytest.mark.parametrize(("text", "kind", "words"), TEXTS)
def test_a_text_is_recognised(text: str, kind: FailureKind, words: str) -> None:
    found, said = recognise(text)
    assert (found, said if words else "") == (kind, words)


# As Gluten and Comet say it: their own errors, and as what calls them passes these on.
GLUTEN = (
    "Not enough spark off-heap execution memory. Acquired: 8.0 MiB, granted: 1024.0 KiB. Try tweaking config option "
    "spark.memory.offHeap.size to get larger space to run this application (if "
    "spark.gluten.memory.dynamic.offHeap.sizing.enabled is not enabled). \nCurrent config settings: \n"
    "\tspark.memory.offHeap.enabled=true\n\tat org.apache.gluten.memory.memtarget.ThrowOnOomMemoryTarget.borrow"
)
GLUTENS = "org.apache.gluten.memory.memtarget.ThrowOnOomMemoryTarget$OutOfMemoryException: " + GLUTEN
COMET = "org.apache.comet.CometNativeException: "
MOST_USED = "Additional allocation failed with top memory consumers (across reservations) as: HashJoinInput[0]. Error: "
NATIVE = (
    GLUTENS,
    "java.lang.UnsupportedOperationException: " + GLUTEN,
    "org.apache.arrow.memory.OutOfMemoryException: " + GLUTEN,
    "java.lang.RuntimeException: Error during calling Java code from native code: io.glutenproject.memory.alloc."
    "ManagedReservationListener$OutOfMemoryException: " + GLUTEN,
    "org.apache.gluten.exception.GlutenException: Error during calling Java code from native code: " + GLUTENS,
    "org.apache.gluten.exception.GlutenException: org.apache.gluten.exception.GlutenException: Exception: VeloxRuntimeError\n"
    "Error Source: RUNTIME\nError Code: INVALID_STATE\nReason: Operator::getOutput failed for [operator: TableScan, plan node "
    "ID: 0]: Error during calling Java code from native code: " + GLUTENS,
    COMET
    + "Resources exhausted: Failed to acquire 106560 bytes, only got 40160 bytes. Reserved: 16737056 bytes\n\tat a.B",
    COMET + "Resources exhausted: " + MOST_USED + "Failed to acquire 106560 bytes, only got 40160. Reserved: 16737056",
    COMET
    + "External error: Resources exhausted: Task 8 failed to acquire 106560 bytes, only got 0. Reserved: 16737056",
    COMET
    + "Resources exhausted: Failed to acquire 64 bytes where 9 bytes already reserved and the fair limit is 70 bytes, 2 "
    "registered",
    COMET
    + "Resources exhausted: Failed to acquire 64 bytes for ExternalSorter[0] where 9 bytes are already reserved by that "
    "consumer and the fair limit is 70 bytes, 2 registered (18 bytes reserved pool-wide)",
)


@pytest.mark.parametrize("text", NATIVE)
def test_memory_that_a_native_engine_could_not_get_is_a_tasks(text: str) -> None:
    assert recognise(LOST_TASK + text) == (FailureKind.TASK_MEMORY, "a task could not get the memory it asked for")
    assert recognise(text)[0] is FailureKind.TASK_MEMORY


# Words of Spark's in what a job reads or says: a job over logs of other jobs meets all of them.
OF_ANOTHER_JOB = (
    "java.lang.OutOfMemoryError: Java heap space",
    "ERROR: SparkOutOfMemoryError: Unable to acquire 65536 bytes of memory, got 0",
    "Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used",
    "The executor with id 4 exited with exit code 137(SIGKILL, possible container OOM).",
    "reason=OOMKilled",
    "exit code 52",
    "Total size of serialized results of 12 tasks (1030.8 MiB) is bigger than spark.driver.maxResultSize",
    "Not enough memory to build and broadcast the table",
    "Not enough spark off-heap execution memory. Acquired: 8, granted: 0.",
    "Resources exhausted: Failed to acquire 8 bytes, only got 0 bytes. Reserved: 0 bytes",
    "fetch failed after 10 retries due to Netty OOM",
    "FetchFailedException: Caused by: OutOfDirectMemoryError: failed to allocate 16777216 byte(s) of direct memory",
)
QUOTING = (
    '[CAST_INVALID_INPUT] The value \'{}\' of the type "STRING" cannot be cast to "INT". SQLSTATE: 22018',
    "[USER_RAISED_EXCEPTION] unknown line: {} SQLSTATE: P0001",
    "org.apache.spark.sql.AnalysisException: cannot resolve '`{}`' given input columns: [a]; line 1 pos 7;\n'Project ['{}]",
    "org.apache.spark.sql.catalyst.parser.ParseException: \n[PARSE_SYNTAX_ERROR] Syntax error at or near 'x'.(line 1, pos 8)"
    "\n\n== SQL ==\nselect * from lines where line like '%{}%'\n--------^^^\n",
    LOST_TASK
    + "org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] The value '{}' of the type \"STRING\" cannot "
    'be cast to "INT" because it is malformed. SQLSTATE: 22018\n\tat a.B\n\nDriver stacktrace:\n\tat c.D',
    LOST_TASK + 'java.lang.NumberFormatException: For input string: "{}"\n\tat a.B',
    LOST_TASK
    + "org.apache.spark.SparkException: [FAILED_EXECUTE_UDF] Failed to execute user defined function (`f`).\n\tat a.B"
    "\nCaused by: java.lang.IllegalArgumentException: no level in {}\n\tat a.B\n\nDriver stacktrace:\n\tat c.D",
    LOST_TASK
    + 'org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n  File "/job.py", line 3, in f\n'
    "    raise ValueError(line)\nValueError: {}\n\n\tat org.apache.spark.api.python.BasePythonRunner",
    LOST_TASK + "java.lang.RuntimeException: 2026-01-01 00:00:00 {}\n\tat a.B",
    LOST_TASK + "scala.MatchError: {} (of class java.lang.String)\n\tat a.B",
    LOST_TASK + "com.acme.UnknownLine: 7: {}\n\tat a.B",
    LOST_TASK + "com.acme.UnknownLineException: line 7: {}\n\tat a.B",
    LOST_TASK + "org.apache.comet.CometNativeException: Cast error: no number in line {}\n\tat a.B",
)


@pytest.mark.parametrize("quoting", QUOTING)
@pytest.mark.parametrize("quoted", OF_ANOTHER_JOB)
def test_what_an_error_quotes_of_the_jobs_data_or_code_is_no_cause(quoting: str, quoted: str) -> None:
    assert recognise(quoting.replace("{}", quoted))[0] is recognise(quoting.replace("{}", "x"))[0]


@pytest.mark.parametrize("status", ["52", "137"])
def test_a_program_that_a_job_pipes_rows_through_is_no_executor(status: str) -> None:
    text = f"java.lang.IllegalStateException: Subprocess exited with status {status}. Command ran: ./x\n\tat a.B"
    assert recognise(LOST_TASK + text)[0] is FailureKind.UNKNOWN


def test_an_error_in_a_tasks_listener_passes_on_what_was_before_it() -> None:
    text = (
        "org.apache.spark.util.TaskCompletionListenerException: closed\n\nPrevious exception in task: Unable to acquire 65536 "
        "bytes of memory, got 0\n\torg.apache.spark.memory.MemoryConsumer.throwOom(MemoryConsumer.java:157)"
    )
    assert recognise(LOST_TASK + text)[0] is FailureKind.TASK_MEMORY


@pytest.mark.parametrize("wrapper", ["java.lang.RuntimeException", "com.acme.JobError", "java.io.IOException"])
def test_an_error_that_wraps_another_says_what_that_is(wrapper: str) -> None:
    for full in ("java.lang.OutOfMemoryError: Java heap space", "java.lang.OutOfMemoryError"):
        text = LOST_TASK + f"{wrapper}: {full}\n\tat a.B"
        assert recognise(text)[0] is FailureKind.EXECUTOR_OUT_OF_MEMORY
        text = LOST_TASK + f"{wrapper}: line 7\n\tat a.B\nCaused by: {full}\n\tat a.B"
        assert recognise(text)[0] is FailureKind.EXECUTOR_OUT_OF_MEMORY


def test_a_cause_counts_before_what_follows_from_it() -> None:
    text = "OutOfMemoryError: Not enough memory to build and broadcast the table\nCaused by: SparkOutOfMemoryError"
    assert recognise(text)[1] == "the driver had not enough memory to build a broadcast"


@pytest.mark.parametrize(
    "text", ["Lost task " * 200_000, "Cannot broadcast the table over " + "9 " * 500_000, "1" * 10**6]
)
def test_no_text_takes_long(text: str) -> None:
    assert recognise(text)[0] is FailureKind.UNKNOWN


@pytest.mark.parametrize(
    "part",
    [
        "Lost task ",
        "Lost task OutOfMemoryError: Metaspace ",
        "OutOfMemoryError: Metaspace ",
        "FetchFailedException: ",
        "Container from a bad node: ",
        "The API gave the following container statuses: exit code: 137",
        "Cannot broadcast the table over 9 ",
        "Call From ",
        "ValueError: ",
        "a.b.ValueError: c.d.",
        "[CAST_INVALID_INPUT] ",
        '  File "',
        "PythonException: Traceback",
        "PythonException: Traceback (most recent call last):\n MemoryError\n",
        " PythonException: Traceback (most recent call last):\n at x\n",
        "PythonException: MemoryError\n",
        "\n",
        " \n",
        "\t",
        "[PYTHON_EXCEPTION] Traceback (most recent call last):\n a\nb\n" + "\nDuring handling of the above exception, "
        "another exception occurred:\n\nTraceback (most recent call last):\n a\nMemoryError\n",
    ],
)
@pytest.mark.parametrize("before", ["", "MatchError: ", "PythonException: Traceback (most recent call last):\n"])
def test_a_text_takes_as_long_as_it_is(before: str, part: str) -> None:
    short, long = (before + (part * length)[:length] for length in (5_000, 20_000))
    assert least_seconds(lambda: recognise(long)) < 8 * least_seconds(lambda: recognise(short))


def test_a_task_that_was_lost_before_the_drivers_stack_ran_out_of_no_memory() -> None:
    driver = "Driver stacktrace:\n\tat a.B\nCaused by: java.lang.OutOfMemoryError: Java heap space"
    assert recognise(LOST_TASK + "a.B\n\n" + driver)[0] is FailureKind.UNKNOWN
    assert recognise(LOST_TASK + "a.B\n\n" + driver + LOST_TASK + "GC overhead limit exceeded")[0] is (
        FailureKind.EXECUTOR_OUT_OF_MEMORY
    )


# --- In a log ---


def of_execution(kind: FailureKind, number: int = 1, words: str = "") -> LoggedFailure:
    return LoggedFailure(kind, words or kind.value, f"SQL execution {number}", execution_id=number)


def of_job(kind: FailureKind, number: int = 1, execution: int | None = 1) -> LoggedFailure:
    return LoggedFailure(kind, kind.value, f"job {number}", execution, number)


def of_executor(kind: FailureKind) -> LoggedFailure:
    return LoggedFailure(kind, kind.value, "executor 2")


def test_what_failed_last_failed_the_application() -> None:
    first, last = of_execution(FailureKind.DATA_OR_CODE, 1), of_execution(FailureKind.BROADCAST_TIMEOUT, 2)
    assert root_cause([first, last]) == last
    assert root_cause([]) is None
    assert root_cause([of_executor(FailureKind.EXECUTOR_LOST)]) is None, "Spark ran its tasks elsewhere"


def test_what_was_only_stopped_is_not_what_failed_it() -> None:
    failed = of_execution(FailureKind.TASK_MEMORY, 1)
    assert root_cause([failed, of_job(FailureKind.STOPPED, 9, 2)]) == failed
    stopped = of_job(FailureKind.STOPPED, 9, 2)
    assert root_cause([stopped]) == stopped


def test_the_plainest_word_on_an_execution_counts() -> None:
    told = of_execution(FailureKind.BROADCAST_TIMEOUT)
    assert root_cause([of_job(FailureKind.UNKNOWN), told]) == told
    assert root_cause([of_job(FailureKind.TASK_MEMORY), of_execution(FailureKind.UNKNOWN)]) == of_job(
        FailureKind.TASK_MEMORY
    )


def test_why_an_executor_was_lost_may_be_told_elsewhere() -> None:
    lost = of_execution(FailureKind.EXECUTOR_LOST)
    found = root_cause([of_executor(FailureKind.EXECUTOR_OUT_OF_MEMORY), lost])
    assert found == LoggedFailure(FailureKind.EXECUTOR_OUT_OF_MEMORY, "executor_out_of_memory", lost.where, 1)


def test_executors_lost_for_memory_end_an_application_before_a_task_has_failed_four_times() -> None:
    stopped = of_job(FailureKind.STOPPED)
    losses = [of_executor(FailureKind.EXECUTOR_OVER_LIMIT)] * 3 + [of_executor(FailureKind.EXECUTOR_LOST)]
    found = root_cause([*losses, stopped])
    assert found == LoggedFailure(FailureKind.EXECUTOR_OVER_LIMIT, "executor_over_limit", stopped.where, 1, 1)
    assert root_cause([*losses[1:], stopped]) == stopped, "fewer than Spark bears with"
    assert root_cause([*[of_executor(FailureKind.EXECUTOR_PREEMPTED)] * 9, stopped]) == stopped
    told = of_execution(FailureKind.DATA_OR_CODE)
    assert root_cause([*losses, told]) == told


def test_the_more_executors_an_application_has_the_more_it_may_lose() -> None:
    stopped = of_job(FailureKind.STOPPED)
    losses = [of_executor(FailureKind.EXECUTOR_OUT_OF_MEMORY)] * _MAX_FAILURES
    assert root_cause([*losses[:15], stopped], 8) == stopped
    for lost, executors in ((16, 8), (3, 1), (MOST_TOLD, 50)):
        found = root_cause([*losses[:lost], stopped], executors)
        assert found is not None and found.kind is FailureKind.EXECUTOR_OUT_OF_MEMORY
    assert MOST_TOLD == _MAX_FAILURES, "no more are known of"


def test_what_somebody_killed_did_not_end_for_the_executors_it_lost() -> None:
    stopped = of_job(FailureKind.STOPPED)
    losses = [of_executor(FailureKind.EXECUTOR_OUT_OF_MEMORY)] * 3
    assert root_cause([*losses, stopped], is_killed=True) == stopped


def test_a_result_is_lost_with_its_executor_or_by_a_driver_that_cannot_take_it() -> None:
    lost = of_execution(FailureKind.RESULT_LOST)
    gone = root_cause([of_executor(FailureKind.EXECUTOR_PREEMPTED), lost])
    assert gone == LoggedFailure(FailureKind.EXECUTOR_PREEMPTED, "executor_preempted", lost.where, 1)
    kept = root_cause([lost])
    assert kept is not None
    assert kept.kind is FailureKind.DRIVER_OUT_OF_MEMORY


def folded(*events: dict[str, Any], piece: bool = False) -> ApplicationFold:
    fold = ApplicationFold("log", lambda _: None, piece=piece)
    for event in events:
        decoded = decode_event((json.dumps(event, separators=(",", ":")) + "\n").encode())
        assert decoded is not None
        fold.add(decoded)
    return fold


JOB_START = {
    "Event": "SparkListenerJobStart",
    "Job ID": 3,
    "Stage IDs": [],
    "Properties": {"spark.sql.execution.id": "7"},
}
JOB_END = {
    "Event": "SparkListenerJobEnd",
    "Job ID": 3,
    "Job Result": {"Result": "JobFailed", "Exception": {"Message": LOST_TASK + YARN_KILLED}},
}
EXPECTED = LoggedFailure(
    FailureKind.EXECUTOR_OVER_LIMIT, "an executor needed more memory than its container has", "job 3", 7, 3, "2"
)


def test_a_failed_job_tells_its_execution() -> None:
    assert folded(JOB_START, JOB_END).application(()).failures == (EXPECTED,)


def test_a_job_that_began_in_an_earlier_file_of_the_log_tells_it_too() -> None:
    fold = folded(JOB_START)
    passed_on = msgspec.msgpack.encode(folded(JOB_END, piece=True).fragment)
    fold.absorb(msgspec.msgpack.decode(passed_on, type=Fragment))
    assert fold.application(()).failures == (EXPECTED,)


@pytest.mark.parametrize(
    "reason",
    [None, 7, [], "Executor killed by driver.", {"a": 1}, "Executor decommission: spark scale down"],
)
def test_an_executor_that_was_given_back_is_no_failure(reason: object) -> None:
    removed = {"Event": "SparkListenerExecutorRemoved", "Executor ID": "2", "Removed Reason": reason}
    assert folded(removed).application(()).failures == ()


def test_an_executor_that_was_lost_tells_why_a_job_was() -> None:
    reason = "The executor with id 2 exited with exit code 137(SIGKILL, possible container OOM)."
    removed = {"Event": "SparkListenerExecutorRemoved", "Executor ID": "2", "Removed Reason": reason}
    message = LOST_TASK + "ExecutorLostFailure (executor 2 exited caused by one of the running tasks) Reason: unknown"
    failed = {"Result": "JobFailed", "Exception": {"Message": message}}
    found = folded(removed, JOB_START, JOB_END | {"Job Result": failed}).application(()).failures
    assert [f.kind for f in found] == [FailureKind.EXECUTOR_OVER_LIMIT, FailureKind.EXECUTOR_LOST]
    assert root_cause(found) == EXPECTED


def test_a_fetch_that_filled_direct_memory_did_not_fail_for_an_executor_that_was_taken_away() -> None:
    failed = JOB_END | {"Job Result": {"Result": "JobFailed", "Exception": {"Message": NETTY_OOM}}}
    found = root_cause(
        folded(removed_for("Container c_1 on host: h was preempted."), JOB_START, failed).application(()).failures
    )
    assert found is not None
    assert (found.kind, found.words) == (FailureKind.EXECUTOR_OUT_OF_MEMORY, "an executor's direct memory was full")


def test_idle_executors_that_were_given_back_hide_no_death() -> None:
    reasons = ("Command exited with code 137", "Executor decommission: spark scale down")
    removed = [
        {"Event": "SparkListenerExecutorRemoved", "Executor ID": str(n), "Removed Reason": reason}
        for n, reason in enumerate(reasons)
    ]
    message = "ShuffleMapStage 2 has failed: MetadataFetchFailedException: Missing an output location for shuffle 0"
    failed = {"Result": "JobFailed", "Exception": {"Message": message}}
    found = root_cause(folded(*removed, JOB_START, JOB_END | {"Job Result": failed}).application(()).failures)
    assert found is not None and found.kind is FailureKind.EXECUTOR_OVER_LIMIT


def test_what_another_executor_was_lost_for_says_nothing_of_this_one() -> None:
    reason = "The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM)."
    removed = {"Event": "SparkListenerExecutorRemoved", "Executor ID": "1", "Removed Reason": reason}
    message = LOST_TASK + "ExecutorLostFailure (executor 8 exited caused by one of the running tasks) Reason: unknown"
    failed = {"Result": "JobFailed", "Exception": {"Message": message}}
    application = folded(removed, JOB_START, JOB_END | {"Job Result": failed}).application(())
    found = root_cause(application.failures)
    assert found is not None and found.kind is FailureKind.EXECUTOR_LOST
    assert application.resources.lost_executors == (FailureKind.EXECUTOR_OVER_LIMIT,)


def test_executors_that_a_run_made_up_for_are_told_with_its_resources() -> None:
    removed = [
        {
            "Event": "SparkListenerExecutorRemoved",
            "Executor ID": str(n),
            "Removed Reason": f"Command exited with code {code}",
        }
        for n, code in enumerate((52, 52, 137, 143))
    ]
    removed[3]["Removed Reason"] = "Executor decommission: spot instance interruption, exit code 137"
    ended = JOB_END | {"Job Result": {"Result": "JobSucceeded"}}
    application = folded(*removed, JOB_START, ended).application(())
    assert application.resources.lost_executors == (
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        FailureKind.EXECUTOR_OVER_LIMIT,
        FailureKind.EXECUTOR_PREEMPTED,
    )
    assert root_cause(application.failures) is None


# Spark 4.3.0: FileFormatDataWriter.enrichWriteError wraps what its writer throws; of an error that has a condition
# DAGScheduler.abortStage tells the message alone.
NOT_WRITTEN = "[TASK_WRITE_FAILED] Task failed while writing rows to file:/out. SQLSTATE: 58030"
JOB_OF_A_STAGE = JOB_START | {"Stage IDs": [5, 6]}
NOT_WRITTEN_JOB = JOB_END | {"Job Result": {"Result": "JobFailed", "Exception": {"Message": NOT_WRITTEN}}}
HEAP_FULL = "java.lang.OutOfMemoryError: Java heap space"


def task_failed(of: object, stage: int = 6) -> dict[str, Any]:
    stack = (
        f"org.apache.spark.SparkException: {NOT_WRITTEN}\n\tat a.B\nCaused by: {of}\n\tat a.B"
        if isinstance(of, str)
        else of
    )
    reason = {"Reason": "ExceptionFailure", "Class Name": "org.apache.spark.SparkException", "Full Stack Trace": stack}
    return {"Event": "SparkListenerTaskEnd", "Stage ID": stage, "Stage Attempt ID": 0, "Task End Reason": reason}


def test_what_a_job_tells_in_brief_its_last_failed_task_explains() -> None:
    for events, kind in (
        ([task_failed(HEAP_FULL)], FailureKind.EXECUTOR_OUT_OF_MEMORY),
        ([task_failed("java.io.IOException: broken"), task_failed(HEAP_FULL, 5)], FailureKind.EXECUTOR_OUT_OF_MEMORY),
        (
            [task_failed("org.apache.spark.memory.SparkOutOfMemoryError: Unable to acquire 9 bytes of memory, got 0")],
            FailureKind.TASK_MEMORY,
        ),
        # Spark made up for that one; another stage's was none of this job's.
        ([task_failed(HEAP_FULL), task_failed("java.io.IOException: broken")], FailureKind.UNKNOWN),
        ([task_failed(HEAP_FULL, 4)], FailureKind.UNKNOWN),
        ([task_failed(None), task_failed({"a": 1})], FailureKind.UNKNOWN),
    ):
        found = folded(JOB_OF_A_STAGE, *events, NOT_WRITTEN_JOB).application(()).failures
        assert [f.kind for f in found] == [kind]


def test_a_job_that_says_why_it_failed_is_believed() -> None:
    told = JOB_END | {"Job Result": {"Result": "JobFailed", "Exception": {"Message": "[DIVIDE_BY_ZERO] x"}}}
    found = folded(JOB_OF_A_STAGE, task_failed(HEAP_FULL), told).application(()).failures
    assert [f.kind for f in found] == [FailureKind.DATA_OR_CODE]


@pytest.mark.parametrize("first", [1, 2])
def test_a_task_of_another_file_of_the_log_explains_it_too(first: int) -> None:
    events = [JOB_OF_A_STAGE, task_failed(HEAP_FULL), NOT_WRITTEN_JOB]
    fold = folded(*events[:first])
    passed_on = msgspec.msgpack.encode(folded(*events[first:], piece=True).fragment)
    fold.absorb(msgspec.msgpack.decode(passed_on, type=Fragment))
    assert [f.kind for f in fold.application(()).failures] == [FailureKind.EXECUTOR_OUT_OF_MEMORY]


# BasePythonRunner.handlePythonException: of Spark 4.3.0, and before it had a condition.
BY_PYTHON = (
    "[PYTHON_EXCEPTION] An exception was thrown from the Python worker: {} SQLSTATE: 38000",
    "org.apache.spark.api.python.PythonException: [PYTHON_EXCEPTION] An exception was thrown from the Python worker: {}"
    " SQLSTATE: 38000\n\n\tat org.apache.spark.api.python.BasePythonRunner\n\nDriver stacktrace:\n\tat c.D",
    LOST_TASK + "org.apache.spark.api.python.PythonException: {}\n\tat org.apache.spark.api.python.BasePythonRunner"
    "\n\nDriver stacktrace:\n\tat c.D\nCaused by: org.apache.spark.api.python.PythonException: {}\n\tat a.B",
    LOST_TASK + "org.apache.spark.SparkException: Task failed while writing rows.\n\tat a.B\nCaused by: "
    "org.apache.spark.api.python.PythonException: {}\n\tat a.B",
)
PYTHON_STACK = (
    "Traceback (most recent call last):\n"
    '  File "/spark/python/lib/pyspark.zip/pyspark/worker.py", line 830, in main\n    process()\n'
    '  File "/job.py", line 3, in held\n    return len(bytearray(n))\n               ^^^^^^^^^^^^\n'
    "  [Previous line repeated 3 more times]\n"
)
DURING = "\nDuring handling of the above exception, another exception occurred:\n\n"
CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"
PYTHON_MEMORY = (
    PYTHON_STACK + "MemoryError\n",
    PYTHON_STACK + "MemoryError: no room for 7 rows\n",
    PYTHON_STACK
    + "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 1.00 GiB for an array with shape (9,)\n",
    PYTHON_STACK
    + "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1.00 GiB for an array with shape (9,)\n",
    PYTHON_STACK
    + "numpy.core._exceptions.MemoryError: Unable to allocate array with shape (9,) and data type float64\n",
    PYTHON_STACK + "pyarrow.lib.ArrowMemoryError: malloc of size 1073741888 failed\n",
    PYTHON_STACK + "KeyError: 7\n" + DURING + PYTHON_STACK + "MemoryError\n",
    PYTHON_STACK + "MemoryError\n" + CAUSED + PYTHON_STACK + "MemoryError\n",
    # spark.sql.execution.pyspark.udf.hideTraceback.enabled
    "MemoryError\n",
)
# They end with another error, or quote one.
PYTHON_OTHERWISE = (
    PYTHON_STACK + "ValueError: MemoryError\n",
    PYTHON_STACK + "ValueError: a child said:\nMemoryError\n",
    PYTHON_STACK + f"ValueError: a child said:\n{PYTHON_STACK}MemoryError\n",
    PYTHON_STACK + f"ValueError: a child said:\n{PYTHON_STACK}KeyError: 7\n{DURING}{PYTHON_STACK}MemoryError\n",
    PYTHON_STACK + "ValueError: org.apache.spark.api.python.PythonException: " + PYTHON_STACK + "MemoryError\n",
    PYTHON_STACK + "MemoryError\n" + DURING + PYTHON_STACK + "ValueError: 7\n",
    PYTHON_STACK + "MemoryError\n" + CAUSED + PYTHON_STACK + "RuntimeError: MemoryError\n",
    PYTHON_STACK + "MemoryError: 7\nand more\n",
    PYTHON_STACK + "com.acme.MemoryError: full\n",
    PYTHON_STACK + "OutOfMemoryError: CUDA out of memory.\n",
    PYTHON_STACK.replace("process()", "raise MemoryError") + "ValueError: 7\n",
    "ValueError: MemoryError\n",
    "MemoryErrors\n",
)


@pytest.mark.parametrize("text", BY_PYTHON)
@pytest.mark.parametrize("told", PYTHON_MEMORY)
def test_a_python_worker_that_got_no_memory_says_so_in_its_last_line(text: str, told: str) -> None:
    assert is_of_python_memory(text.replace("{}", told))
    assert recognise(text.replace("{}", told))[0] is FailureKind.DATA_OR_CODE


@pytest.mark.parametrize("text", BY_PYTHON)
@pytest.mark.parametrize("told", PYTHON_OTHERWISE)
def test_what_a_python_error_quotes_or_goes_on_from_is_not_what_it_is(text: str, told: str) -> None:
    assert not is_of_python_memory(text.replace("{}", told))


@pytest.mark.parametrize("told", PYTHON_MEMORY[:3])
def test_what_another_error_quotes_of_a_python_worker_tells_nothing_of_this_one(told: str) -> None:
    for quoting in QUOTING:
        for text in BY_PYTHON:
            if "\tat" not in text:
                assert not is_of_python_memory(quoting.replace("{}", text.replace("{}", told)))


def python_job(text: str) -> dict[str, Any]:
    return JOB_END | {"Job Result": {"Result": "JobFailed", "Exception": {"Message": text}}}


PYTHON_LIMIT = "spark.executor.pyspark.memory"


@pytest.mark.parametrize("text", BY_PYTHON)
@pytest.mark.parametrize(
    ("properties", "kind"),
    [
        ({PYTHON_LIMIT: "512"}, FailureKind.PYTHON_OUT_OF_MEMORY),
        ({PYTHON_LIMIT: "2g"}, FailureKind.PYTHON_OUT_OF_MEMORY),
        ({PYTHON_LIMIT: "0"}, FailureKind.DATA_OR_CODE),
        ({PYTHON_LIMIT: "much"}, FailureKind.DATA_OR_CODE),
        ({}, FailureKind.DATA_OR_CODE),
    ],
)
def test_a_python_worker_lacked_memory_only_where_spark_limits_it(
    text: str, properties: dict[str, str], kind: FailureKind
) -> None:
    job = python_job(text.replace("{}", PYTHON_MEMORY[0]))
    found = folded(environment_of(**properties), JOB_START, job).application(()).failures
    assert [f.kind for f in found] == [kind]
    # The stretch of a log that tells why need not tell of the properties.
    fold = folded(environment_of(**properties), JOB_START)
    fold.absorb(msgspec.msgpack.decode(msgspec.msgpack.encode(folded(job, piece=True).fragment), type=Fragment))
    assert [f.kind for f in fold.application(()).failures] == [kind]


@pytest.mark.parametrize("properties", [{}, {PYTHON_LIMIT: "512m"}])
def test_a_task_whose_python_worker_got_no_memory_explains_a_job_that_tells_in_brief(
    properties: dict[str, str],
) -> None:
    events = [
        environment_of(**properties),
        JOB_OF_A_STAGE,
        task_failed(f"org.apache.spark.api.python.PythonException: {PYTHON_MEMORY[0]}"),
        NOT_WRITTEN_JOB,
    ]
    found = folded(*events).application(()).failures
    assert [f.kind for f in found] == [FailureKind.PYTHON_OUT_OF_MEMORY if properties else FailureKind.UNKNOWN]
    events[2] = task_failed(f"org.apache.spark.api.python.PythonException: {PYTHON_OTHERWISE[0]}")
    assert [f.kind for f in folded(*events).application(()).failures] == [FailureKind.UNKNOWN]


# The defaults of Amazon EMR's Spark: the kernel ends the JVM before its task can tell the driver.
ENDS_ITSELF = "-verbose:gc -XX:OnOutOfMemoryError='kill -9 %p' -XX:+UseG1GC"
BY_SIGKILL = (
    "Container from a bad node: container_1 on host: h. Exit status: 137. Diagnostics: [2026-01-01 00:00:00.000]Container "
    "killed on request. Exit code is 137\n[2026-01-01 00:00:00.000]Killed by external signal\n."
)


def removed_for(reason: str) -> dict[str, Any]:
    return {"Event": "SparkListenerExecutorRemoved", "Executor ID": "2", "Removed Reason": reason}


def environment_of(**properties: str) -> dict[str, Any]:
    return {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": properties}


@pytest.mark.parametrize("name", ["spark.executor.defaultJavaOptions", "spark.executor.extraJavaOptions"])
@pytest.mark.parametrize(
    "reason",
    [
        BY_SIGKILL,
        "\nThe executor with id 2 exited with exit code 137(SIGKILL, possible container OOM).\n"
        + CONTAINERS.format("Error"),
        LOST_TASK + "ExecutorLostFailure (executor 2 exited caused by one of the running tasks) Reason: " + BY_SIGKILL,
    ],
)
def test_a_jvm_that_is_told_to_kill_itself_was_killed_for_its_heap(name: str, reason: str) -> None:
    def told(options: str) -> list[FailureKind]:
        job = JOB_END | {"Job Result": {"Result": "JobFailed", "Exception": {"Message": reason}}}
        found = folded(environment_of(**{name: options}), JOB_START, removed_for(reason), job).application(())
        assert found.resources.lost_executors == (found.failures[0].kind,)
        return [failed.kind for failed in found.failures]

    assert told(ENDS_ITSELF) == [FailureKind.EXECUTOR_OUT_OF_MEMORY] * 2
    for other in ("", "-XX:OnOutOfMemoryError='kill %p'", "-XX:+HeapDumpOnOutOfMemoryError"):
        assert FailureKind.EXECUTOR_OUT_OF_MEMORY not in told(other)


@pytest.mark.parametrize("name", ["spark.executor.defaultJavaOptions", "spark.executor.extraJavaOptions"])
@pytest.mark.parametrize("text", [NETTY_OOM, LOST_TASK + NETTY_ERROR, *(LOST_TASK + text for text in DIRECT_BUFFERS)])
def test_direct_memory_that_the_job_limits_is_no_heap(name: str, text: str) -> None:
    job = JOB_END | {"Job Result": {"Result": "JobFailed", "Exception": {"Message": text}}}

    def told(options: str, *events: dict[str, Any]) -> list[FailureKind]:
        environment = environment_of(**{name: options})
        found = folded(environment, *events).application(()).failures
        # The stretch of a log that tells why need not tell of the properties.
        fold = folded(environment, *events[:1])
        later = folded(*events[1:], piece=True).fragment
        fold.absorb(msgspec.msgpack.decode(msgspec.msgpack.encode(later), type=Fragment))
        assert fold.application(()).failures == found
        return [failed.kind for failed in found]

    in_brief = [JOB_OF_A_STAGE, task_failed(text.removeprefix(LOST_TASK)), NOT_WRITTEN_JOB]
    for options in ("-XX:MaxDirectMemorySize=1g -XX:+UseG1GC", "-Dio.netty.maxDirectMemory=536870912"):
        assert told(options, JOB_START, job) == told(options, *in_brief) == [FailureKind.UNKNOWN]
    for options in ("-XX:+UseG1GC", "-XX:MaxDirectMemorySize=0"):
        assert told(options, JOB_START, job) == [FailureKind.EXECUTOR_OUT_OF_MEMORY]
    heap = JOB_END | {"Job Result": {"Result": "JobFailed", "Exception": {"Message": LOST_TASK + HEAP_FULL}}}
    assert told("-XX:MaxDirectMemorySize=1g", JOB_START, heap) == [FailureKind.EXECUTOR_OUT_OF_MEMORY]


@pytest.mark.parametrize(
    "reason", [YARN_KILLED, CONTAINERS.format("OOMKilled"), "Container c_1 on host: h was preempted."]
)
def test_what_its_cluster_says_of_an_executor_is_believed(reason: str) -> None:
    events = [environment_of(**{"spark.executor.extraJavaOptions": ENDS_ITSELF}), removed_for(reason)]
    assert folded(*events).application(()).failures[0].kind is recognise(reason)[0]


def test_an_application_that_lost_too_many_executors_died_for_their_memory() -> None:
    removed = [
        {
            "Event": "SparkListenerExecutorRemoved",
            "Executor ID": str(n),
            "Removed Reason": ENDED_BY_SIGTERM.format("from a bad node", ""),
        }
        for n in range(6)
    ]
    stopped = {"Result": "JobFailed", "Exception": {"Message": "Job 3 cancelled because SparkContext was shut down"}}
    found = root_cause(folded(*removed, JOB_START, JOB_END | {"Job Result": stopped}).application(()).failures)
    assert found is not None
    assert (found.kind, found.where) == (FailureKind.EXECUTOR_OUT_OF_MEMORY, "job 3")


def test_only_the_last_failures_are_kept() -> None:
    ends = [
        {
            "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd",
            "executionId": number,
            "time": 1,
            "errorMessage": "[DIVIDE_BY_ZERO] x",
        }
        for number in range(1000)
    ]
    found = folded(*ends).application(()).failures
    assert [f.execution_id for f in found] == list(range(980, 1000))


def golden(version: str, name: str) -> Application:
    (source,) = find_logs(GOLDEN / version / name)
    return read_application(source)


@pytest.mark.parametrize("version", ["3.0.3", "3.3.4", "3.5.9", "4.3.0"])
def test_a_function_of_the_job_that_raised_is_recognised_in_real_logs(version: str) -> None:
    found = golden(version, "failures").failures
    assert FailureKind.DATA_OR_CODE in {f.kind for f in found if f.execution_id is not None}
    assert {f.kind for f in found} <= {FailureKind.DATA_OR_CODE, FailureKind.UNKNOWN}


@pytest.mark.parametrize("name", ["retries", "fetch", "speculation"])
def test_tasks_that_were_tried_again_are_no_failure(name: str) -> None:
    assert golden("4.3.0", name).failures == ()
