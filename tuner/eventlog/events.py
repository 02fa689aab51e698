"""The events the tuner reads, decoded to just the fields it needs. Unknown events and fields are skipped undecoded.

Every field has a default: old versions and vendors leave fields out (each writes what its JsonProtocol knows), or write
null where Spark holds none.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
import zstandard

from tuner.model.application import Long, PlanInfo


class Event(msgspec.Struct, frozen=True, gc=False, rename="pascal"):
    """An event of a Spark listener."""


class LogStart(Event, frozen=True):
    version: str = msgspec.field(default="", name="Spark Version")


class DatabricksLogStart(LogStart, frozen=True):
    """What Databricks writes in its place, in each piece of a log."""


class ApplicationStart(Event, frozen=True):
    app_name: str = msgspec.field(default="", name="App Name")
    app_id: str | None = msgspec.field(default=None, name="App ID")
    timestamp: Long = 0
    attempt: str | None = msgspec.field(default=None, name="App Attempt ID")


class ApplicationEnd(Event, frozen=True):
    timestamp: Long = 0


class EnvironmentUpdate(Event, frozen=True):
    properties: dict[str, Any] = msgspec.field(default_factory=dict, name="Spark Properties")


class ExecutorInfo(msgspec.Struct, frozen=True, gc=False):
    cores: Long = msgspec.field(default=0, name="Total Cores")


class ExecutorAdded(Event, frozen=True):
    timestamp: Long = 0
    executor_id: str = msgspec.field(default="", name="Executor ID")
    info: ExecutorInfo = msgspec.field(default=ExecutorInfo(), name="Executor Info")


class ExecutorRemoved(Event, frozen=True):
    timestamp: Long = 0
    executor_id: str = msgspec.field(default="", name="Executor ID")
    reason: Any = msgspec.field(default=None, name="Removed Reason")


class BlockManagerId(msgspec.Struct, frozen=True, gc=False):
    executor_id: str = msgspec.field(default="", name="Executor ID")


class BlockManagerAdded(Event, frozen=True):
    id: BlockManagerId | None = msgspec.field(default=None, name="Block Manager ID")
    on_heap: Long | None = msgspec.field(default=None, name="Maximum Onheap Memory")

    @property
    def is_of_driver(self) -> bool:
        return self.id is not None and self.id.executor_id == "driver"


class JobStage(msgspec.Struct, frozen=True, gc=False):
    """A stage as its job's start tells it: complete where an earlier job ran it."""

    stage_id: Long = msgspec.field(default=-1, name="Stage ID")
    attempt: Long = msgspec.field(default=0, name="Stage Attempt ID")
    tasks: Long = msgspec.field(default=0, name="Number of Tasks")
    completed_ms: Long | None = msgspec.field(default=None, name="Completion Time")


class JobProperties(msgspec.Struct, frozen=True, gc=False):
    """The one property of a job, and of its stages, that matters, out of some hundred."""

    execution_id: Any = msgspec.field(default=None, name="spark.sql.execution.id")


class JobStart(Event, frozen=True):
    job_id: Long = msgspec.field(default=-1, name="Job ID")
    stage_ids: list[Long] = msgspec.field(default_factory=list, name="Stage IDs")
    stages: list[JobStage] | None = msgspec.field(default_factory=list, name="Stage Infos")
    submitted_ms: Long | None = msgspec.field(default=None, name="Submission Time")
    properties: JobProperties | None = None


class JobException(msgspec.Struct, frozen=True, gc=False):
    message: str | None = msgspec.field(default="", name="Message")


class JobResult(msgspec.Struct, frozen=True, gc=False):
    result: str = msgspec.field(default="", name="Result")
    exception: JobException | None = msgspec.field(default=None, name="Exception")


class JobEnd(Event, frozen=True):
    job_id: Long = msgspec.field(default=-1, name="Job ID")
    completed_ms: Long | None = msgspec.field(default=None, name="Completion Time")
    result: JobResult = msgspec.field(default=JobResult(), name="Job Result")


class Accumulable(msgspec.Struct, frozen=True, gc=False):
    id: Long = msgspec.field(default=-1, name="ID")
    update: Any = msgspec.field(default=None, name="Update")
    metadata: str | None = msgspec.field(default=None, name="Metadata")


class StageAccumulable(msgspec.Struct, frozen=True, gc=False):
    """What Spark added up of all tasks of a stage, once that has ended."""

    id: Long = msgspec.field(default=-1, name="ID")
    name: str | None = msgspec.field(default=None, name="Name")
    value: Any = msgspec.field(default=None, name="Value")
    metadata: str | None = msgspec.field(default=None, name="Metadata")


class StorageLevel(msgspec.Struct, frozen=True, gc=False):
    in_memory: bool = msgspec.field(default=False, name="Use Memory")
    on_disk: bool = msgspec.field(default=False, name="Use Disk")


class RddInfo(msgspec.Struct, frozen=True, gc=False):
    """Whether a job keeps what an RDD holds (none is kept by itself), and whether its tasks run all at once or not at all. It is
    called by its class, unless the job names it."""

    name: str | None = msgspec.field(default=None, name="Name")
    level: StorageLevel = msgspec.field(default=StorageLevel(), name="Storage Level")
    barrier: bool = msgspec.field(default=False, name="Barrier")


class StageInfo(msgspec.Struct, frozen=True, gc=False):
    stage_id: Long = msgspec.field(default=-1, name="Stage ID")
    attempt: Long = msgspec.field(default=0, name="Stage Attempt ID")
    tasks: Long = msgspec.field(default=0, name="Number of Tasks")
    submitted_ms: Long | None = msgspec.field(default=None, name="Submission Time")
    completed_ms: Long | None = msgspec.field(default=None, name="Completion Time")
    failure: str | None = msgspec.field(default=None, name="Failure Reason")
    accumulables: list[StageAccumulable] = msgspec.field(default_factory=list, name="Accumulables")
    rdds: list[RddInfo] = msgspec.field(default_factory=list, name="RDD Info")
    profile: Long = msgspec.field(default=0, name="Resource Profile Id")

    @property
    def caches(self) -> bool:
        return any(rdd.level.in_memory for rdd in self.rdds)

    @property
    def keeps_rows(self) -> bool:
        return any(rdd.level.in_memory or rdd.level.on_disk for rdd in self.rdds)

    @property
    def keeps_state(self) -> bool:
        """StateStoreRDD, ReadStateStoreRDD, StateStoreAwareZipPartitionsRDD."""
        return any(rdd.name is not None and "StateStore" in rdd.name for rdd in self.rdds)

    @property
    def is_barrier(self) -> bool:
        return any(rdd.barrier for rdd in self.rdds)


class StageSubmitted(Event, frozen=True):
    info: StageInfo = msgspec.field(default=StageInfo(), name="Stage Info")
    properties: JobProperties | None = None


class StageCompleted(Event, frozen=True):
    info: StageInfo = msgspec.field(default=StageInfo(), name="Stage Info")


class StartedTask(msgspec.Struct, frozen=True, gc=False):
    task_id: Long = msgspec.field(default=-1, name="Task ID")
    launched_ms: Long = msgspec.field(default=0, name="Launch Time")


class TaskStart(Event, frozen=True):
    stage_id: Long = msgspec.field(default=-1, name="Stage ID")
    info: StartedTask = msgspec.field(default=StartedTask(), name="Task Info")


class EndReason(msgspec.Struct, frozen=True, gc=False):
    reason: str = msgspec.field(default="", name="Reason")
    stack: Any = msgspec.field(default=None, name="Full Stack Trace")


class TaskInfo(msgspec.Struct, frozen=True, gc=False):
    task_id: Long = msgspec.field(default=-1, name="Task ID")
    index: Long = msgspec.field(default=0, name="Index")
    partition: Long = msgspec.field(default=-1, name="Partition ID")
    launched_ms: Long = msgspec.field(default=0, name="Launch Time")
    executor_id: str = msgspec.field(default="", name="Executor ID")
    finished_ms: Long = msgspec.field(default=0, name="Finish Time")
    failed: bool = msgspec.field(default=False, name="Failed")
    killed: bool = msgspec.field(default=False, name="Killed")
    accumulables: list[Accumulable] = msgspec.field(default_factory=list, name="Accumulables")


class InputMetrics(msgspec.Struct, frozen=True, gc=False):
    bytes: Long = msgspec.field(default=0, name="Bytes Read")
    records: Long = msgspec.field(default=0, name="Records Read")


class OutputMetrics(msgspec.Struct, frozen=True, gc=False):
    bytes: Long = msgspec.field(default=0, name="Bytes Written")
    records: Long = msgspec.field(default=0, name="Records Written")


class ShuffleReadMetrics(msgspec.Struct, frozen=True, gc=False):
    remote_bytes: Long = msgspec.field(default=0, name="Remote Bytes Read")
    local_bytes: Long = msgspec.field(default=0, name="Local Bytes Read")
    records: Long = msgspec.field(default=0, name="Total Records Read")


class ShuffleWriteMetrics(msgspec.Struct, frozen=True, gc=False):
    bytes: Long = msgspec.field(default=0, name="Shuffle Bytes Written")
    records: Long = msgspec.field(default=0, name="Shuffle Records Written")


class TaskMetrics(msgspec.Struct, frozen=True, gc=False):
    run_time_ms: Long = msgspec.field(default=0, name="Executor Run Time")
    cpu_time_ns: Long = msgspec.field(default=0, name="Executor CPU Time")
    gc_time_ms: Long = msgspec.field(default=0, name="JVM GC Time")
    memory_spilled: Long = msgspec.field(default=0, name="Memory Bytes Spilled")
    disk_spilled: Long = msgspec.field(default=0, name="Disk Bytes Spilled")
    input: InputMetrics | None = msgspec.field(default=None, name="Input Metrics")
    output: OutputMetrics | None = msgspec.field(default=None, name="Output Metrics")
    shuffle_read: ShuffleReadMetrics | None = msgspec.field(default=None, name="Shuffle Read Metrics")
    shuffle_write: ShuffleWriteMetrics | None = msgspec.field(default=None, name="Shuffle Write Metrics")


class ExecutorMetrics(msgspec.Struct, frozen=True, gc=False):
    """The most bytes that were sampled of a process's memory, by kinds (Spark's ExecutorMetricType)."""

    heap: Long = msgspec.field(default=0, name="JVMHeapMemory")
    off_heap: Long = msgspec.field(default=0, name="JVMOffHeapMemory")
    on_heap_execution: Long = msgspec.field(default=0, name="OnHeapExecutionMemory")
    off_heap_execution: Long = msgspec.field(default=0, name="OffHeapExecutionMemory")
    on_heap_storage: Long = msgspec.field(default=0, name="OnHeapStorageMemory")
    off_heap_storage: Long = msgspec.field(default=0, name="OffHeapStorageMemory")
    direct_pool: Long = msgspec.field(default=0, name="DirectPoolMemory")
    mapped_pool: Long = msgspec.field(default=0, name="MappedPoolMemory")
    jvm_resident: Long = msgspec.field(default=0, name="ProcessTreeJVMRSSMemory")
    python_resident: Long = msgspec.field(default=0, name="ProcessTreePythonRSSMemory")
    other_resident: Long = msgspec.field(default=0, name="ProcessTreeOtherRSSMemory")


class StageExecutorMetrics(Event, frozen=True):
    """What was sampled of a process during a stage: only where spark.eventLog.logStageExecutorMetrics is on."""

    executor_id: str = msgspec.field(default="", name="Executor ID")
    peaks: ExecutorMetrics | None = msgspec.field(default=None, name="Executor Metrics")


class TaskEnd(Event, frozen=True):
    stage_id: Long = msgspec.field(default=-1, name="Stage ID")
    stage_attempt: Long = msgspec.field(default=0, name="Stage Attempt ID")
    end_reason: EndReason = msgspec.field(default=EndReason(), name="Task End Reason")
    info: TaskInfo = msgspec.field(default=TaskInfo(), name="Task Info")
    metrics: TaskMetrics | None = msgspec.field(default=None, name="Task Metrics")
    peaks: ExecutorMetrics | None = msgspec.field(default=None, name="Task Executor Metrics")


class SqlEvent(msgspec.Struct, frozen=True, gc=False):
    """An event of Spark SQL's listener."""

    execution_id: Long = msgspec.field(default=-1, name="executionId")


class ExecutionStart(SqlEvent, frozen=True):
    root_execution_id: Long | None = msgspec.field(default=None, name="rootExecutionId")
    description: str | None = ""
    details: str | None = ""
    plan_text: str | None = msgspec.field(default="", name="physicalPlanDescription")
    plan: PlanInfo | None = msgspec.field(default=None, name="sparkPlanInfo")
    time: Long = 0
    modified_configs: dict[str, Any] | None = msgspec.field(default_factory=dict, name="modifiedConfigs")


class DeepExecutionStart(ExecutionStart, frozen=True):
    """One whose plan is nested too deeply to be read: without it."""


class ExecutionEnd(SqlEvent, frozen=True):
    time: Long = 0
    error: str | None = msgspec.field(default=None, name="errorMessage")


class AdaptiveUpdate(SqlEvent, frozen=True):
    plan: PlanInfo | None = msgspec.field(default=None, name="sparkPlanInfo")


class DriverAccumUpdates(SqlEvent, frozen=True):
    updates: list[tuple[Long, Long]] = msgspec.field(default_factory=list, name="accumUpdates")


class AgentLoaded(msgspec.Struct, frozen=True, gc=False):
    """The Catalyst agent's own event, once for each session; it has the directives where those were in a file, and the digest of
    what its jar was made of."""

    version: Long = 0
    directives: str | None = None
    problem: str | None = None
    release: str | None = None


class DirectiveResult(msgspec.Struct, frozen=True, gc=False):
    """What the agent made of one directive; of one that it held a code and numbers too, of one that gave the plan other filters
    `merges`. `query` is the fingerprint of its query ("": that of its event)."""

    id: str = ""
    status: str = ""
    reason: str = ""
    code: str = ""
    numbers: dict[str, Long] = {}
    merges: bool = False
    query: str = ""


class PlanSteered(SqlEvent, frozen=True):
    """The Catalyst agent's own event, for each plan it has directives for; most often before the execution starts."""

    fingerprint: str = ""
    outcomes: list[DirectiveResult] = []
    literals: str = ""
    conditions: list[tuple[str, str]] | None = None


_SQL = "org.apache.spark.sql.execution.ui."
_AGENT = "tuner.steering.agent."

EVENT_TYPES: dict[str, type[msgspec.Struct]] = {
    "SparkListenerLogStart": LogStart,
    "DBCEventLoggingListenerMetadata": DatabricksLogStart,
    "SparkListenerApplicationStart": ApplicationStart,
    "SparkListenerApplicationEnd": ApplicationEnd,
    "SparkListenerEnvironmentUpdate": EnvironmentUpdate,
    "SparkListenerExecutorAdded": ExecutorAdded,
    "SparkListenerExecutorRemoved": ExecutorRemoved,
    "SparkListenerBlockManagerAdded": BlockManagerAdded,
    "SparkListenerJobStart": JobStart,
    "SparkListenerJobEnd": JobEnd,
    "SparkListenerStageSubmitted": StageSubmitted,
    "SparkListenerStageCompleted": StageCompleted,
    "SparkListenerTaskStart": TaskStart,
    "SparkListenerTaskEnd": TaskEnd,
    "SparkListenerStageExecutorMetrics": StageExecutorMetrics,
    _SQL + "SparkListenerSQLExecutionStart": ExecutionStart,
    _SQL + "SparkListenerSQLExecutionEnd": ExecutionEnd,
    _SQL + "SparkListenerDriverAccumUpdates": DriverAccumUpdates,
    _SQL + "SparkListenerSQLAdaptiveExecutionUpdate": AdaptiveUpdate,
    _AGENT + "AgentLoaded": AgentLoaded,
    _AGENT + "PlanSteered": PlanSteered,
}

# What decoding raises for a line that is no event, or not a whole one.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

# Lenient: counts come as numbers or as strings, depending on version and vendor.
_DECODERS: dict[bytes, msgspec.json.Decoder[Any]] = {
    name.encode(): msgspec.json.Decoder(type_, strict=False) for name, type_ in EVENT_TYPES.items()
}
_ADAPTIVE = (_SQL + "SparkListenerSQLAdaptiveExecutionUpdate").encode()
_STARTED = (_SQL + "SparkListenerSQLExecutionStart").encode()
_DEEP_START = msgspec.json.Decoder(DeepExecutionStart, strict=False)
_PLAN = re.compile(rb'"sparkPlanInfo"\s*:\s*')
_QUOTE_OR_BRACE = re.compile(rb'\\.|["{}]')
_PREFIX = b'{"Event":"'
_EXECUTION_ID = re.compile(rb'"executionId"\s*:\s*(\d{1,18})(?!\d)')
# Decoded, the smallest object takes some 30 times its bytes: an event that is nothing but small objects is damage. Two
# values of a list, or two fields, take about as much.
_LONG_LINE_BYTES = 4 << 20
_MAX_OBJECTS = 2_500_000


class _Named(msgspec.Struct, frozen=True, gc=False):
    event: str = msgspec.field(name="Event")


_NAMED = msgspec.json.Decoder(_Named)


class RawAdaptiveUpdate(msgspec.Struct, frozen=True, gc=False):
    """An AQE re-plan, not yet decoded: most are superseded by the next one. `line` may be packed."""

    execution_id: int
    line: bytes
    is_packed: bool = False

    def packed(self) -> RawAdaptiveUpdate:
        """The same in a tenth of the bytes."""
        if self.is_packed:
            return self
        # Copied, for what `compress` returns keeps a buffer as long as the line.
        packed = bytes(memoryview(zstandard.compress(self.line, 1)))
        return RawAdaptiveUpdate(self.execution_id, packed, is_packed=True)

    @property
    def plain_bytes(self) -> int:
        return zstandard.frame_content_size(self.line) if self.is_packed else len(self.line)

    def decode(self) -> AdaptiveUpdate:
        line = zstandard.decompress(self.line) if self.is_packed else self.line
        return _DECODERS[_ADAPTIVE].decode(line)  # type: ignore[no-any-return]


def event_name(line: bytes) -> bytes:
    """The class name of the event on a line. Raises one of UNREADABLE when the line is no event."""
    if line.startswith(_PREFIX):
        end = line.find(b'"', len(_PREFIX))
        if end > 0:
            return line[len(_PREFIX) : end]
    return _NAMED.decode(line).event.encode()


def decode_event(line: bytes) -> msgspec.Struct | None:
    """The event on a line; None when it is of a kind that is not read.

    A start whose plan is nested too deeply comes without it. Raises one of UNREADABLE, DecodeError also for far too many objects.
    """
    name = event_name(line)
    decoder = _DECODERS.get(name)
    if decoder is None:
        return None
    if len(line) > _LONG_LINE_BYTES and line.count(b"{") + line.count(b"[") + line.count(b",") // 2 > _MAX_OBJECTS:
        raise msgspec.DecodeError(f"more than {_MAX_OBJECTS} objects in one event")
    # Only a whole line may take the place of the re-plan before it.
    if name == _ADAPTIVE and line.endswith(b"}\n") and (found := _EXECUTION_ID.search(line, 0, 400)):
        return RawAdaptiveUpdate(int(found[1]), line)
    try:
        return decoder.decode(line)  # type: ignore[no-any-return]
    except RecursionError:
        if name != _STARTED:
            raise
        return _DEEP_START.decode(_without_plan(line))


def _without_plan(line: bytes) -> bytes:
    """The start of an execution with null in the place of its plan."""
    found = _PLAN.search(line)
    if found is None:
        return line
    depth, in_text = 0, False
    for token in _QUOTE_OR_BRACE.finditer(line, found.end()):
        if token[0] == b'"':
            in_text = not in_text
        elif not in_text:
            depth += (token[0] == b"{") - (token[0] == b"}")
            if not depth:
                return line[: found.end()] + b"null" + line[token.end() :]
    return line
