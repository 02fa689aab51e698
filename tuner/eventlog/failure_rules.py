"""Why something failed, from the texts that Spark leaves: rules as data, and what recognises them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tuner.eventlog.quoted_words import PYTHON_MEMORY, without_quotes
from tuner.model.failure import FailureKind


@dataclass(frozen=True, slots=True)
class Rule:
    """A text that matches `pattern` tells of a failure of `kind`; `words` say it with the pattern's named groups."""

    kind: FailureKind
    pattern: re.Pattern[str]
    words: str


# Each error of memory's has it in its name.
MEMORY_ERROR = "MemoryError"
_OVER_LIMIT = "an executor needed more memory than its container has"
# What is looked at of one text; a stack trace follows.
LOOKED_AT = 20_000
_SIZE = r"[\d.]{1,12} ?[KMGTPE]?i?B"
# Not what subprocess.CalledProcessError and PipedRDD say of a program that the job itself started, nor YARN's ApplicationMaster
# of the job's.
_EXIT_CODE = (
    r"(?<!non-zero )(?<!Subprocess )(?<!application )[Ee]xit(?:ed)?(?: with)?(?: exit)? ?(?:code|status):? ?(?:is )?"
)
# Of a heap; not of threads, of an array's length or of classes, nor a library's own error of that name (torch.cuda). An array
# too long is HotSpot's to say, or jdk.internal.util.ArraysSupport's; before Java 17 collections say it by their stack alone.
_HEAP_FULL = (
    r"(?<![\w.])(?:java\.lang\.)?OutOfMemoryError(?!: (?:[Uu]nable to create (?:new )?native thread|Requested array size"
    r"|Required (?:array )?(?:length|size)|UTF16 String size|Metaspace|Compressed class space|Direct buffer memory"
    r"|Cannot reserve \d{1,19} bytes of direct)"
    r"|\s{1,9}at [\w.$/]{1,100}\.huge(?:Capacity|Length)\b)|GC overhead limit exceeded"
)
# Of what executors fetch and send; as large as the heap where the job sets no limit (java.nio.Bits; PlatformDependent).
_DIRECT_BUFFER = r"OutOfMemoryError: (?:Direct buffer memory|Cannot reserve \d{1,19} bytes of direct buffer memory)"
# What follows is the driver's own stack. From the last such words before it, or a text full of them took quadratic time.
_OF_TASK = r"Lost task (?:(?!Driver stacktrace:|Lost task )[\s\S])*?"


# YarnAllocator and YARN's own diagnostics; ExecutorPodsLifecycleManager.
_LIMIT = (
    r"exceeding (?:physical |virtual )?memory limits|running beyond (?:physical|virtual) memory limits|OOMKilled"
    r"|low on resource: memory"
)
_SIGKILL = re.compile(rf"{_EXIT_CODE}137\b")
_SAYS_WHY = re.compile(_LIMIT)
_HEAP = re.compile(_HEAP_FULL)
_DIRECT_FULL = re.compile(rf"{_DIRECT_BUFFER}|OutOfDirectMemoryError|retries due to Netty OOM")


def _rules(*rows: tuple[FailureKind, str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(kind, re.compile(pattern), words) for kind, pattern, words in rows)


# The first that matches counts: a cause comes before what follows from it. Texts of Spark 2.4 to 4.3; the class that
# writes each is named.
RULES = _rules(
    # ExecutorAllocationManager.removeExecutors, where executors are decommissioned: idle, it was given back
    (
        FailureKind.UNKNOWN,
        r"\AExecutor decommission: spark scale down\s*\Z",
        "an idle executor was given back",
    ),
    # BroadcastExchangeExec; since 3.2 QueryExecutionErrors.executeBroadcastTimeoutError (_LEGACY_ERROR_TEMP_2097)
    (
        FailureKind.BROADCAST_TIMEOUT,
        r"Could not execute broadcast in (?P<seconds>\d{1,9}) secs",
        "broadcast timed out after {seconds} s",
    ),
    # BroadcastExchangeExec: 8 GB (_LEGACY_ERROR_TEMP_2249)
    (
        FailureKind.BROADCAST_TOO_LARGE,
        rf"Cannot broadcast the table that is larger than (?P<limit>{_SIZE}): (?P<size>{_SIZE})",
        "a table of {size} is too large to broadcast (Spark's limit is {limit})",
    ),
    # The same: 512 million rows before 3.1, fewer since (_LEGACY_ERROR_TEMP_2248)
    (
        FailureKind.BROADCAST_TOO_LARGE,
        r"Cannot broadcast the table (?:over|with) [\w ]{1,40} rows: (?P<rows>\d{1,19}) rows",
        "a table of {rows} rows is too large to broadcast",
    ),
    # LongToUnsafeRowMap.grow, of a broadcast's (_LEGACY_ERROR_TEMP_2110): a task's own are no broadcasts
    (
        FailureKind.BROADCAST_TOO_LARGE,
        r"\A(?:(?!Lost task )[\s\S])*?Can ?not build a HashedRelation that is larger than 8G",
        "a table is too large to broadcast",
    ),
    # BroadcastExchangeExec, QueryExecutionErrors.notEnoughMemoryToBuildAndBroadcastTableError (_LEGACY_ERROR_TEMP_2250)
    (
        FailureKind.BROADCAST_OUT_OF_MEMORY,
        r"Not enough memory to build and broadcast the table",
        "the driver had not enough memory to build a broadcast",
    ),
    # TaskSetManager.canFetchMoreResults; broadcasts are collected in the same way
    (
        FailureKind.RESULT_TOO_LARGE,
        rf"Total size of serialized results of \d{{1,9}} tasks \((?P<size>{_SIZE})\) is bigger than",
        "results of {size} were too large for the driver (spark.driver.maxResultSize)",
    ),
    # TaskMemoryManager, MemoryConsumer.throwOom, BytesToBytesMap, HashedRelation; conditions since 3.4. Of other engines, which
    # take it from Spark: Gluten's ThrowOnOomMemoryTarget; Comet's CometUnifiedMemoryPool and CometFairMemoryPool
    (
        FailureKind.TASK_MEMORY,
        r"SparkOutOfMemoryError|Unable to acquire \d{1,19} bytes of memory|not enough memory to (?:build hash map|grow)"
        r"|Could not allocate memory to grow"
        r"|[Cc]an't acquire \d{1,19} bytes memory to build hash relation|\[(?:AGGREGATE|POINTER_ARRAY|SPILL)_OUT_OF_MEMORY"
        r"|Not enough spark off-heap execution memory|[Ff]ailed to acquire \d{1,19} bytes(?:, only got \d"
        r"| (?:for [^\n]{1,200}? )?where \d{1,19} bytes (?:are )?already reserved)",
        "a task could not get the memory it asked for",
    ),
    # ExecutorPodsLifecycleManager: it says "possible container OOM" of any pod that ended by SIGKILL, and why the API says it did
    (
        FailureKind.EXECUTOR_PREEMPTED,
        r"brief reason: (?:Terminated|Preempting|Shutdown|NodeShutdown|NodeLost)\b|imminent node shutdown",
        "an executor was taken away",
    ),
    (
        FailureKind.LOCAL_DISK,
        r"low on resource: ephemeral-storage|ephemeral local storage usage exceeds|[Uu]sage of EmptyDir volume",
        "an executor's disk was full",
    ),
    # CoarseGrainedSchedulerBackend, ExecutorDecommission, whatever its process ended with
    (
        FailureKind.EXECUTOR_PREEMPTED,
        r"[Ee]xecutor decommission",
        "an executor was taken away",
    ),
    # ApplicationMaster; ExecutorPodsLifecycleManager since 3.5. What it says of single executors is not the driver's end
    (
        FailureKind.EXECUTOR_LOST,
        r"Max number of executor failures \((?P<count>\d{1,9})\) reached",
        "{count} executors were lost, which ends an application",
    ),
    (
        FailureKind.EXECUTOR_OVER_LIMIT,
        _LIMIT,
        _OVER_LIMIT,
    ),
    # ExecutorPodsLifecycleManager, KubernetesUtils.containerStatusDescription: SIGKILL by something else than the container's
    # limit, which is OOMKilled
    (
        FailureKind.EXECUTOR_LOST,
        r"API gave the following container statuses:(?:(?!API gave the)[\s\S])*?"
        r"exit code: 137\s{1,9}termination reason: (?:Error|ContainerStatusUnknown)\b",
        "an executor was killed, not for its limit",
    ),
    # Exit codes: 137 is SIGKILL, which is how containers end that need more than they have, SparkExitCode.OOM is 52, and 3 is
    # HotSpot's with -XX:+ExitOnOutOfMemoryError (report_java_out_of_memory)
    (
        FailureKind.EXECUTOR_OVER_LIMIT,
        rf"container OOM|{_EXIT_CODE}137\b",
        _OVER_LIMIT,
    ),
    (
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        rf"\(JVM OOM\)|{_EXIT_CODE}52\b|(?:Command|executor with id \w{{1,40}}) exited with (?:exit )?code 3\b"
        r"|Container (?:from a bad node|marked as failed): [^\n]{1,400}?Exit status: 3\b",
        "an executor ran out of memory",
    ),
    # YarnAllocator, of a status that is not YARN's own (these are negative: preempted, over a limit, on a lost node): SIGTERM by
    # the JVM itself (-XX:OnOutOfMemoryError='kill %p', YarnSparkHadoopUtil.addOutOfMemoryErrorArgument), whose task then tells
    # the driver nothing (Executor). A person's kill and a machine that shuts down look the same, but seldom meet a task so often
    (
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        r"Container (?:from a bad node|marked as failed): [^\n]{1,400}?Exit status: 143\b",
        "an executor was ended by SIGTERM, as on YARN where its heap is full",
    ),
    (
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        rf"{_OF_TASK}(?:{_HEAP_FULL})",
        "a task ran out of memory",
    ),
    # ShuffleBlockFetcherIterator since 3.2; before that with Netty's own error as its cause. A stage that could not fetch names
    # no task (DAGScheduler.handleTaskCompletion)
    (
        FailureKind.EXECUTOR_OUT_OF_MEMORY,
        rf"retries due to Netty OOM|{_OF_TASK}(?:{_DIRECT_BUFFER}|OutOfDirectMemoryError)"
        r"|FetchFailedException:(?:(?!Driver stacktrace:|FetchFailedException:)[\s\S])*?OutOfDirectMemoryError",
        "an executor's direct memory was full",
    ),
    # YarnAllocator; CoarseGrainedSchedulerBackend, ExecutorDecommission; ExecutorPodsLifecycleManager
    (
        FailureKind.EXECUTOR_PREEMPTED,
        r"was preempted\b|\(e\.g\., preemption\)|Container released on a \*lost\* node"
        r"|[Ww]orker decommission|is decommissioned|deleted by a user or the framework",
        "an executor was taken away",
    ),
    # The operating system's words, in DiskBlockObjectWriter, UnsafeSorterSpillWriter, IndexShuffleBlockResolver
    (
        FailureKind.LOCAL_DISK,
        r"No space left on device|[Dd]isk quota exceeded",
        "a disk was full",
    ),
    (
        FailureKind.LOCAL_DISK,
        r"Too many open files",
        "too many files were open",
    ),
    (
        FailureKind.LOCAL_DISK,
        r"FileNotFoundException: [^\n]{0,300}(?:blockmgr-|/(?:temp_)?shuffle_)",
        "a shuffle's or a spill's own file was lost",
    ),
    # TaskEndReason.ExecutorLostFailure, HeartbeatReceiver, ShuffleBlockFetcherIterator, DAGScheduler
    (
        FailureKind.EXECUTOR_LOST,
        r"ExecutorLostFailure|Executor heartbeat timed out|Remote RPC client disassociated|[Ww]orker lost|Slave lost"
        r"|FetchFailedException|Missing an output location for shuffle",
        "an executor was lost",
    ),
    # TaskEndReason.TaskResultLost: its executor is gone, or the driver could not fetch it (TaskResultGetter)
    (
        FailureKind.RESULT_LOST,
        r"TaskResultLost \(result lost from block manager\)",
        "a task's result was lost on its way to the driver",
    ),
    # TaskResultGetter: what Java's deserialization makes of an OutOfMemoryError within it (ObjectInputStream)
    (
        FailureKind.DRIVER_OUT_OF_MEMORY,
        r"Exception while getting task result: java\.lang\.IllegalStateException: unread block data",
        "the driver had no memory to decode a task's result",
    ),
    (
        FailureKind.DRIVER_OUT_OF_MEMORY,
        rf"\A(?:(?!Lost task )[\s\S])*?(?:{_HEAP_FULL}|{_DIRECT_BUFFER})",
        "the driver ran out of memory",
    ),
    # JobsTab, StagesTab; OPERATION_CANCELED
    (
        FailureKind.KILLED,
        r"killed via the Web UI|\[OPERATION_CANCELED\]",
        "a person cancelled it",
    ),
    # MicroBatchExecution.stop: its jobs, since 4.0 in its words, and its thread, from which foreachBatch may pass it on
    (
        FailureKind.STOPPED,
        r"cancelled Query [^\n]{1,400}\] was stopped\b"
        r"|InterruptedException\b(?:(?!InterruptedException)[\s\S])*?\bMicroBatchExecution\b"
        r"|\A\[FOREACH_BATCH_USER_FUNCTION_ERROR\][\s\S]*?\bjava\.lang\.InterruptedException\b",
        "its stream was stopped",
    ),
    # DAGScheduler.cleanUpAfterSchedulerStop; what a driver that is ended leaves of the query it waits for
    (
        FailureKind.STOPPED,
        r"because SparkContext was shut down|\A(?:org\.apache\.spark\.SparkException: )?java\.lang\.InterruptedException\b",
        "Spark was stopped while it ran",
    ),
    # ConfigEntry: a value that Spark refuses may be one that was set for it
    (
        FailureKind.UNKNOWN,
        r"\[INVALID_CONF_VALUE|\[INVALID_SPARK_CONFIG",
        "Spark refused a property",
    ),
    # Conditions of expressions and functions, whose messages quote what the job says; some have a SQLSTATE of analysis
    (
        FailureKind.DATA_OR_CODE,
        r"\[(?:PYTHON_EXCEPTION|USER_RAISED_EXCEPTION|FAILED_EXECUTE_UDF|FAILED_FUNCTION_CALL|NOT_NULL_ASSERT_VIOLATION"
        r"|NOT_NULL_CONSTRAINT_VIOLATION|EXPRESSION_(?:DE|EN)CODING_FAILED|PARQUET_CONVERSION_FAILURE)\b"
        r"|Failed to execute user defined function|PythonException",
        "the job's own data or code",
    ),
    # DataSource, Analyzer, FileScanRDD; HadoopRDD's FileInputFormat; catalogs before 3.4
    (
        FailureKind.INPUT_MISSING,
        r"\[(?:PATH_NOT_FOUND|TABLE_OR_VIEW_NOT_FOUND|VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|CATALOG_NOT_FOUND|PARTITIONS_NOT_FOUND"
        r"|UNABLE_TO_INFER_SCHEMA|FAILED_READ_FILE\.FILE_NOT_EXIST)\b|(?:Path|Input path) does not exist"
        r"|Table or view not found|NoSuch(?:Table|Database|Namespace)Exception|Unable to infer schema"
        r"|FileNotFoundException|It is possible the underlying files have been updated",
        "an input was missing",
    ),
    # Hadoop's file systems, java.nio, object stores; a directory that cannot be made is said without a reason
    (
        FailureKind.ACCESS_DENIED,
        r"AccessControlException|[Aa]ccess ?[Dd]enied|Permission denied|Mkdirs failed to create|403 Forbidden"
        r"|Status Code: 403|InvalidAccessKeyId|ExpiredToken|SQLSTATE: 28\w{3}\b|SQLSTATE: 42501\b",
        "access was denied",
    ),
    # java.net; Hadoop's NetUtils and SecurityUtil; HiveUtils; object stores and JDBC drivers
    (
        FailureKind.UNREACHABLE,
        r"UnknownHostException|NoRouteToHostException|Call From [^\n]{1,200} failed on|MetaException"
        r"|Could not connect to meta ?store|Unable to instantiate [\w.]{1,200}Meta[Ss]toreClient"
        r"|Unable to execute HTTP request|The connection attempt failed|Communications link failure",
        "a host could not be reached",
    ),
    # SQLSTATE classes of error-conditions.json (in messages since 4.0); before that classes by name
    (
        FailureKind.CODE,
        r"SQLSTATE: (?:07|0A|42)\w{3}\b|AnalysisException|parser\.ParseException|captured\.ParseException",
        "the job's own code",
    ),
    (
        FailureKind.DATA_OR_CODE,
        r"SQLSTATE: (?:21|22|23|38|39|KD|P0)\w{3}\b|ArithmeticException|DateTimeException|NumberFormatException"
        r"|SparkUpgradeException|ParquetDecodingException|AssertionError|Malformed records are detected"
        r"|\[(?:DIVIDE_BY_ZERO|CAST_INVALID_INPUT|CAST_OVERFLOW|ARITHMETIC_OVERFLOW|INVALID_ARRAY_INDEX)\b",
        "the job's own data or code",
    ),
    # DAGScheduler.handleJobCancellation: for the job itself, which may not wait any longer, or for what failed beside it
    (
        FailureKind.UNKNOWN,
        r"\[SPARK_JOB_CANCELLED\]|cancelled (?:as )?part of cancell",
        "it was cancelled",
    ),
)

# What the job's own words tell, too: all else is Spark's to say.
_OF_THE_JOB = frozenset(
    {
        FailureKind.LOCAL_DISK,
        FailureKind.KILLED,
        FailureKind.STOPPED,
        FailureKind.UNKNOWN,
        FailureKind.DATA_OR_CODE,
        FailureKind.INPUT_MISSING,
        FailureKind.ACCESS_DENIED,
        FailureKind.UNREACHABLE,
        FailureKind.CODE,
    }
)


def recognise(text: str) -> tuple[FailureKind, str]:
    """The kind of failure that an error message tells of, and words that say it; unknown where no rule knows it."""
    text = text[:LOOKED_AT]
    of_spark = without_quotes(text)
    for rule in RULES:
        if found := rule.pattern.search(text if rule.kind in _OF_THE_JOB else of_spark):
            return rule.kind, rule.words.format(**found.groupdict())
    return FailureKind.UNKNOWN, "failed"


def is_by_sigkill(text: str) -> bool:
    """Whether it tells that an executor's process ended by SIGKILL, and not that its container held too much."""
    of_spark = without_quotes(text[:LOOKED_AT])
    return bool(_SIGKILL.search(of_spark)) and not _SAYS_WHY.search(of_spark)


def is_of_direct_memory(text: str) -> bool:
    """Whether it tells of direct memory that was full, and of no heap that was."""
    of_spark = without_quotes(text[:LOOKED_AT])
    return bool(_DIRECT_FULL.search(of_spark)) and not _HEAP.search(of_spark)


def is_of_python_memory(text: str) -> bool:
    """Whether it tells of a Python worker that got no memory: by Spark's limit (RLIMIT_AS), where the job sets one."""
    return MEMORY_ERROR in text and PYTHON_MEMORY in without_quotes(text[:LOOKED_AT])
