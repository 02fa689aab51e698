"""One SQL execution of an application, as measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSite
from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.query_values import FilterCondition
from tuner.model.query_work import QueryWork, WorkInBrief
from tuner.model.row_count import RowCount
from tuner.model.shared_subplan import SharedSubplan
from tuner.model.strategy import BuildSide as BuildSide
from tuner.model.strategy import JoinType as JoinType
from tuner.model.strategy import Strategy as Strategy


class QueryStatus(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class ShuffleExchange:
    """One shuffle: what went through it and how it was partitioned.

    `partitions` is what the plan asked for (`spark.sql.shuffle.partitions` or a number of the user's);
    `adjustable` is False where the user gave the number (REPARTITION_BY_NUM, `spark.conf.set`), or the state of a stream has it.
    `map_core_ms` sums the run times of the `map_tasks` that wrote it, whatever else they did. `lost`: something went through it
    that the log does not tell all of, or tells as another engine counts it. `feeds_write` says that as many tasks write files as
    read it, None where no plan tells.
    """

    partitions: int
    data_bytes: int | None
    written_bytes: int | None
    rows: int | None
    map_tasks: int | None
    adjustable: bool
    map_core_ms: int | None = None
    lost: bool = False
    feeds_write: bool | None = None


@dataclass(frozen=True, slots=True)
class TableRead:
    """A catalog table as a query read it: `columns` in its filters, join keys and grouping, rows and file bytes read."""

    table: str
    columns: tuple[str, ...]
    rows: int = 0
    file_bytes: int = 0


@dataclass(frozen=True, slots=True)
class AggregateSite:
    """One aggregate operator of one query: a half of an aggregation, or all of it where no shuffle parts it.

    `operator` is Spark's name (HashAggregate, ObjectHashAggregate, SortAggregate). `signature` is the aggregation's, the
    same for both halves, whichever operator ran it. `shuffle_bytes` are the rows of the shuffle between the halves, in
    memory ("data size"). `fallback_tasks` are those that gave up hashing (None where Spark does not count them, before
    3.2). `seconds` are wall seconds of the stages that ran it.
    """

    signature: str
    operator: str
    partial: bool
    grouped: bool
    input_rows: int | None
    output_rows: int | None
    shuffle_bytes: int | None
    tasks: int
    fallback_tasks: int | None
    spilled_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SkewedStage:
    """A stage that ran joins or aggregates, and one task of it much longer than the others.

    `mean_task_ms` and `mean_task_bytes` are those of the other tasks; bytes are what tasks read, as compressed.
    `seconds` is the stage's wall time, `run_ms` all its tasks' together. `join` is the signature of the join that AQE can
    split a partition of, `occurrence` which of them; where it can split none, `obstacle` says why. `reshuffles` says
    that what runs after the join in this stage would need its rows shuffled once more. `writers` are the tasks that
    wrote the join's larger side, as many as had work: a partition is split between those.
    """

    longest_task_ms: int
    mean_task_ms: int
    longest_task_bytes: int
    mean_task_bytes: int
    tasks: int
    shuffle_read_bytes: int
    seconds: float
    run_ms: int
    join: str | None = None
    occurrence: int = 0
    reshuffles: bool = False
    writers: int = 0
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """One SQL execution of an application, as the next run will know it again by its fingerprint.

    `relations` are all that it reads, in subqueries too (not in those that Spark adds to prune), each once and sorted;
    `columns` is a digest of what of them; `main_relations` are the largest three that it joins.
    `input_bytes` and `input_rows` sum the scans, `source_bytes` the files, each once however often it was scanned (0: stored by
    a version that did not tell); `executor_run_ms` and `spilled_bytes` sum its stages. There only where
    `in_full` looked: `graphs`, its blocks of inner joins that have more than one order, `tables`, the catalog tables it
    reads, `work`, what its stages did, `aggregates`, `skews`, `key_filters`, inputs of joins that the keys of the others leave
    little of, and `shared_subplans`, groups that it made several times. `directives` says what became of each that it had;
    `not_deterministic` names what makes its result hang on the places of its rows ("" for nothing that its plan shows);
    `broadcasts_off` are the thresholds of broadcasts that the application set below 0 before it; `literals` is an id of the
    values in its conditions (`tuner.plan.literals`), "" where it is not known; `values` are digests of each
    (`tuner.plan.values`). `conditions` are those that hold values, by columns, None where these are not known;
    `logged_conditions` are the same as the log alone tells them, where the agent told `conditions`: it sees what a source takes
    over from the plan. `row_counts` are the rows that such conditions leave, of relations below or beside joins, of joins
    and of their sides.
    `merged` says that the agent made groups of it once: the blocks that ran are not those of the query as written then, and are
    `merged_graphs`, until an earlier run tells those (`tuner.history.blocks_as_written`). `work_in_brief` is there where the
    whole `work` was left in the store.
    `fleeting` says that `literals` stands for many values, others in each run (`tuner.policy.fleeting_columns`); no log tells it.
    `reads_cache` says that it reads cached data, or fills a cache: the agent leaves its joins as they are. `repeated_run_ms` is
    what of `executor_run_ms` went into tasks that failed, or whose output was lost. `writes` says that it writes files,
    `output_bytes` and `output_files` how much and how many (0: not told).
    `has_other_joins` says that another engine than Spark runs joins of it, which are not among `joins`. `runtime_filtered` are
    relations of which bloom filters of the keys of others, or dynamic partition pruning, have left out rows: `row_counts` of
    these and of joins are then not what conditions alone leave. `keeps_state` says that it is of a stream's batch that goes on
    with what the batches before it left, by key. `statement` is a digest of what it computes, whatever it writes that to ("": it
    writes nothing, or this is not known).
    """

    id: int
    root_id: int
    fingerprint: str
    description: str
    start_ms: int
    duration_ms: int | None
    status: QueryStatus
    joins: tuple[JoinSite, ...] = ()
    shuffles: tuple[ShuffleExchange, ...] = ()
    input_bytes: int = 0
    input_rows: int = 0
    executor_run_ms: int = 0
    executor_cpu_ms: int = 0
    spilled_bytes: int = 0
    task_count: int = 0
    error: str | None = None
    graphs: tuple[JoinGraph, ...] = ()
    work: QueryWork | None = None
    tables: tuple[TableRead, ...] = ()
    aggregates: tuple[AggregateSite, ...] = ()
    skews: tuple[SkewedStage, ...] = ()
    relations: tuple[str, ...] = ()
    columns: str = ""
    directives: tuple[DirectiveResult, ...] = ()
    not_deterministic: str = ""
    broadcasts_off: tuple[str, ...] = ()
    literals: str = ""
    values: tuple[str, ...] = ()
    main_relations: tuple[str, ...] = ()
    conditions: tuple[FilterCondition, ...] | None = None
    row_counts: tuple[RowCount, ...] = ()
    key_filters: tuple[KeyFilterSite, ...] = ()
    shared_subplans: tuple[SharedSubplan, ...] = ()
    merged: bool = False
    merged_graphs: tuple[JoinGraph, ...] = ()
    work_in_brief: WorkInBrief | None = None
    source_bytes: int = 0
    fleeting: bool = False
    reads_cache: bool = False
    logged_conditions: tuple[FilterCondition, ...] | None = None
    repeated_run_ms: int = 0
    writes: bool = False
    output_bytes: int = 0
    output_files: int = 0
    has_other_joins: bool = False
    runtime_filtered: tuple[str, ...] = ()
    keeps_state: bool = False
    statement: str = ""

    @property
    def data_bytes(self) -> int:
        """How large its inputs are, as well as it tells: a plan that scans a table once instead of twice has the same."""
        return self.source_bytes or self.input_bytes

    @property
    def seconds(self) -> float:
        """Wall seconds; 0 where it did not end."""
        return (self.duration_ms or 0) / 1e3

    @property
    def was_cut(self) -> bool:
        """Whether it was a stream's batch that the stop of its stream cut: of what the log has no end there is no time."""
        return self.status is QueryStatus.UNFINISHED and self.duration_ms is not None

    @property
    def end_ms(self) -> int:
        """When it ended; when it began where it did not."""
        return self.start_ms + (self.duration_ms or 0)

    def shuffles_of(self, partitions: int) -> list[ShuffleExchange]:
        """Its shuffles to which spark.sql.shuffle.partitions gave so many. In another number the program has set it while it ran
        (spark.conf.set), or a bucketed table has: the property that a run begins with does nothing to these."""
        return [shuffle for shuffle in self.shuffles if shuffle.adjustable and shuffle.partitions == partitions]

    @property
    def followed(self) -> frozenset[str]:
        """The ids of the actions that the agent applied in it."""
        return frozenset(told.action_id for told in self.directives if told.status is DirectiveStatus.APPLIED)


def total_data_bytes(queries: Iterable[Query]) -> int:
    """How large the inputs of queries are together, each file of a query once as far as its log tells."""
    return sum(query.data_bytes for query in queries)
