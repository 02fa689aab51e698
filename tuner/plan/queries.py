"""Application to queries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from msgspec import structs

from tuner.eventlog.properties import error_kind
from tuner.frames import frames_of
from tuner.model.action import STRATEGIES
from tuner.model.agent_record import UNSTEERED, AgentRecord
from tuner.model.application import Application, Execution, PlanInfo, Stage
from tuner.model.directive_result import DirectiveStatus
from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSite
from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import UNKNOWN_VALUES, QueryValues, is_computed
from tuner.model.query_work import QueryWork
from tuner.model.row_count import RowCount
from tuner.plan.aggregate_outputs import aggregate_outputs
from tuner.plan.aggregate_sites import find_aggregates
from tuner.plan.digest import digest
from tuner.plan.directive_results import RanPlan, directive_results, merged_query
from tuner.plan.estimates import NO_ESTIMATES, Estimates, read_estimates
from tuner.plan.fingerprint import fingerprints
from tuner.plan.hinted_joins import has_hinted, hinted_joins
from tuner.plan.join_blocks import join_graphs
from tuner.plan.joins import every_join, find_joins, has_other_joins, planned_joins
from tuner.plan.joins_in_place import joins_in_place
from tuner.plan.key_filter_sites import key_filter_sites
from tuner.plan.last_plan import is_told, last_plan
from tuner.plan.literals import query_values, values_of_plan
from tuner.plan.looked_at import looked_at
from tuner.plan.lost_counters import lost_counters
from tuner.plan.lost_work import has_lost_work
from tuner.plan.main_relations import main_relations
from tuner.plan.measured_plan import MAX_WORK, MeasuredPlan
from tuner.plan.node import Found, PlanNode, build_tree, each_once, is_cache
from tuner.plan.not_deterministic import not_deterministic
from tuner.plan.query_work import query_work
from tuner.plan.relation import files_bytes, is_scan, reads_rows, relation_name
from tuner.plan.row_bytes import read_columns
from tuner.plan.row_counts import row_counts
from tuner.plan.rows_beside_joins import rows_beside_joins
from tuner.plan.runtime_filters import runtime_filters
from tuner.plan.sealed_directives import opened
from tuner.plan.shared_subplans import shared_subplans
from tuner.plan.shuffles import find_shuffles
from tuner.plan.sides import counted_by_tasks
from tuner.plan.skewed_stages import find_skews
from tuner.plan.stage_attempts import repeated_run_ms
from tuner.plan.stateful import keeps_state
from tuner.plan.table_reads import table_reads
from tuner.plan.writes_files import output_of, writes_files
from tuner.spark.broadcasts_off import broadcasts_off
from tuner.spark.knobs import SHUFFLE_PARTITIONS

# The plan before AQE and the one that ran in the end (the same without AQE).
Plans = tuple[PlanNode, PlanNode]
# A query with these.
QueryAndPlans = tuple[Query, PlanNode, PlanNode]

# A search for an order takes 20 ms for 14 relations; with prices, by which large ones are improved, a second or so for 40 and up
# to ten for 100. Larger blocks are generated, and left alone.
MOST_RELATIONS = 40


_log = logging.getLogger(__name__)

_COMMANDS = ("Execute", "CommandResult", "SetCatalog", "Show", "Describe")
_SCAN = "Scan"
# What the agent says of a hint that it has not given.
_NOT_DONE = (DirectiveStatus.IGNORED, DirectiveStatus.IMPOSSIBLE)
_ROWS = "number of output rows"
_TAKE_ONE = "CollectLimit"


def queries(application: Application) -> tuple[Query, ...]:
    """The SQL executions of an application that read data, in full and in order. Plans nested too deeply are left out."""
    return tuple(in_full(found, ran, execution.logical_plan) for execution, ran, found in plans_of(application))


def plans_of(application: Application) -> Iterator[tuple[Execution, Sequence[Stage], QueryAndPlans]]:
    """The same with the stages that ran them and their plans, one after the other."""
    stages: dict[int, list[Stage]] = {}
    for stage in application.stages:
        if stage.execution_id is not None:
            stages.setdefault(stage.execution_id, []).append(stage)
    for execution in application.executions:
        ran = stages.get(execution.execution_id, ())
        if plans := query_and_plans(execution, ran, application.steering):
            yield execution, ran, plans


def query(execution: Execution, stages: Sequence[Stage], steering: AgentRecord = UNSTEERED) -> Query | None:
    """What a SQL execution is, with its joins as measured and its directives; None where it reads no data, or its plan cannot be
    read. `query_and_plans` tells what else its plans and stages show.

    `steering` is what its application's log tells of directives.
    """
    found = _read_execution(execution, stages, steering, lambda ran: ran.query(NO_ESTIMATES))
    return found[0] if found else None


def query_and_plans(
    execution: Execution, stages: Sequence[Stage], steering: AgentRecord = UNSTEERED
) -> QueryAndPlans | None:
    """The query with its sizes, and its plans; None as for `query`."""
    return _read_execution(execution, stages, steering, _RanExecution.query_with_sizes)


def _read_execution(
    execution: Execution, stages: Sequence[Stage], steering: AgentRecord, read: Callable[[_RanExecution], Query]
) -> QueryAndPlans | None:
    plans = plans_that_read(execution)
    return _read_plans(plans, execution, stages, steering, read) if plans else None


def plans_that_read(execution: Execution) -> Plans | None:
    """The plan before AQE and the last one; None where it reads no data, or its plan cannot be read."""
    if execution.initial_plan is None:
        return None
    try:
        initial = build_tree(execution.initial_plan, execution.accumulators)
        if not any(map(_reads, initial.walk_all())) or _is_command(execution.initial_plan):
            return None
        final = last_plan(execution, initial)
        final = _of_one_row(final) if execution.asks_if_empty else final
    except RecursionError:
        return None
    return initial, final


def _of_one_row(ran: PlanNode) -> PlanNode:
    """The plan under the limit that Spark put to it and did not show (SparkPlan.executeTake)."""
    return PlanNode(_TAKE_ONE, _TAKE_ONE, f"{_TAKE_ONE} 1", {}, {}, (ran,))


def query_of_plans(
    plans: Plans, execution: Execution, stages: Sequence[Stage], steering: AgentRecord = UNSTEERED
) -> QueryAndPlans | None:
    """As `query_and_plans`, of the execution's `plans_that_read`."""
    return _read_plans(plans, execution, stages, steering, _RanExecution.query_with_sizes)


def _read_plans(
    plans: Plans,
    execution: Execution,
    stages: Sequence[Stage],
    steering: AgentRecord,
    read: Callable[[_RanExecution], Query],
) -> QueryAndPlans | None:
    try:
        with looked_at(*plans):
            return read(_RanExecution(execution, *plans, stages, steering)), *plans
    except RecursionError:
        return None


def in_full(found: QueryAndPlans, stages: Sequence[Stage], logical_plan: str | None = None) -> Query:
    """The query with all that advisors look at, some of which takes longer to find than what `query` tells.

    `logical_plan` is its execution's: it tells what aggregates put out.
    What cannot be found is left out: a bug in it must not cost the query.
    """
    with looked_at(*found[1:]):
        return _in_full(found, stages, logical_plan)


def _in_full(found: QueryAndPlans, stages: Sequence[Stage], logical_plan: str | None) -> Query:
    query, initial, final = found
    whole = query.status is QueryStatus.SUCCEEDED and _ran(final)
    ran = _ran_plan(found, stages)
    plan = _of_bearable_size(ran)

    def graphs() -> tuple[JoinGraph, ...]:
        outputs = aggregate_outputs(logical_plan)
        estimates = read_estimates(logical_plan)
        found = join_graphs(final, finished=whole, outputs=outputs, lost=lost_counters(stages), estimates=estimates)
        return tuple(graph for graph in _orderable(found) if not has_hinted(graph, query.joins))

    blocks = _or_nothing(query.id, "join graphs", graphs) or ()
    placed = _or_nothing(query.id, "places of joins", lambda: joins_in_place(ran, query.joins)) if ran else None
    return replace(
        query,
        joins=tuple(replace(join, placed=not whole) for join in query.joins) if placed is None else placed,
        graphs=() if query.merged else blocks,
        merged_graphs=blocks if query.merged else (),
        tables=_or_nothing(query.id, "tables", lambda: table_reads(final)) or (),
        work=_work(query, plan, stages),
        values=_or_nothing(query.id, "values", lambda: values_of_plan(initial, logical_plan)) or (),
        key_filters=_or_nothing(query.id, "key filters", lambda: key_filter_sites(plan)) or () if plan else (),
        shared_subplans=_or_nothing(query.id, "shared subplans", lambda: shared_subplans(final)) or () if plan else (),
        aggregates=_or_nothing(query.id, "aggregates", lambda: find_aggregates(plan)) or () if plan else (),
        skews=_or_nothing(query.id, "stages", lambda: find_skews(plan, stages)) or () if plan else (),
    )


def with_work(found: QueryAndPlans, stages: Sequence[Stage]) -> Query:
    """The query with its work, and without what else `in_full` finds."""
    return replace(found[0], work=_work(found[0], measured_plan(found, stages), stages))


def measured_plan(found: QueryAndPlans, stages: Sequence[Stage]) -> MeasuredPlan | None:
    """The plan that ran, with the stages that ran it. None where it did not run to its end, the log lacks some of its tasks, or
    it is too large to look around each of its operators."""
    return _of_bearable_size(_ran_plan(found, stages))


def _ran_plan(found: QueryAndPlans, stages: Sequence[Stage]) -> MeasuredPlan | None:
    """The same of whatever size: what is above each join is soon found."""
    query, _, final = found
    if query.status is not QueryStatus.SUCCEEDED or not _ran(final):
        return None
    if lost_counters(stages) or has_lost_work(final, stages):
        return None
    return MeasuredPlan(final, stages)


def _of_bearable_size(plan: MeasuredPlan | None) -> MeasuredPlan | None:
    return plan if plan is not None and plan.work <= MAX_WORK else None


def _work(query: Query, plan: MeasuredPlan | None, stages: Sequence[Stage]) -> QueryWork | None:
    return _or_nothing(query.id, "work", lambda: query_work(plan, stages)) if plan else None


def _or_nothing(query_id: int, what: str, find: Callable[[], Found]) -> Found | None:
    try:
        return find()
    except Exception as error:
        kind, frames = type(error).__name__, frames_of(error)
        _log.warning("the %s of query %d cannot be read (%s); left out\n%s", what, query_id, kind, frames)
        return None


def _orderable(graphs: Iterable[JoinGraph]) -> tuple[JoinGraph, ...]:
    return tuple(graph for graph in graphs if 2 < len(graph.relations) <= MOST_RELATIONS)


def _reads(node: PlanNode) -> bool:
    """Whether rows come in here, and not just what a command answers."""
    return is_scan(node) and not node.name.startswith(_COMMANDS)


def _is_command(plan: PlanInfo) -> bool:
    """A command without a query below it, such as CREATE VIEW or CACHE TABLE: its query, if any, runs as another execution."""
    if plan.name.startswith(_COMMANDS):
        return not any(c.metrics or c.children for c in plan.children)
    is_leaf = not plan.children and _SCAN not in plan.name
    return is_leaf and all(metric.name != _ROWS for metric in plan.metrics)


@dataclass(frozen=True)
class _RanExecution:
    """An execution with its plans. What is read of them is read once, and only where it is asked for."""

    execution: Execution
    initial: PlanNode
    final: PlanNode
    stages: Sequence[Stage]
    steering: AgentRecord

    def query(self, estimates: Estimates) -> Query:
        """What tells the query from others and what its joins did, with these estimates of their sides."""
        execution, status = self.execution, _status(self.execution)
        joins = every_join(self.initial)
        planned = planned_joins(joins, estimates)
        whole = status is QueryStatus.SUCCEEDED and _ran(self.final)
        measured = find_joins(self.final, planned, finished=whole, lost=self._lost)
        known = fingerprints(self.initial, joins)
        found = Query(
            id=execution.execution_id,
            root_id=execution.root_execution_id,
            fingerprint=known.query,
            statement=known.statement,
            description=execution.description,
            start_ms=execution.start_ms,
            duration_ms=_duration_ms(execution),
            status=status,
            joins=measured,
            main_relations=main_relations(measured, ()) or self._relations[:1],
        )
        return self._directed(self._with_values(found))

    def query_with_sizes(self) -> Query:
        """The same, and what its plans and stages tell of it besides."""
        execution, stages = self.execution, self.stages
        found = self.query(read_estimates(execution.logical_plan))
        scans = _scans(self.final)
        tasks, core_ms = _tasks_and_core_ms(stages)
        input_bytes, source_bytes = _bytes_read(scans, stages)
        output_bytes, output_files = output_of(self.final, stages)
        is_lost = found.status is QueryStatus.SUCCEEDED and has_lost_work(self.final, stages)
        whole = () if is_lost else stages
        return replace(
            found,
            joins=_or_nothing(found.id, "hints", lambda: self._hinted(found)) or found.joins,
            shuffles=find_shuffles(
                self.final, tasks, core_ms, self._lost, are_set=SHUFFLE_PARTITIONS.property in execution.modified_conf
            ),
            input_bytes=input_bytes,
            source_bytes=source_bytes,
            input_rows=sum(scan.metrics.get(_ROWS, 0) for scan in scans),
            executor_run_ms=sum(stage.executor_run_time_ms for stage in whole),
            executor_cpu_ms=sum(stage.executor_cpu_time_ns for stage in whole) // 1_000_000,
            repeated_run_ms=repeated_run_ms(whole),
            writes=writes_files(self.final, stages),
            output_bytes=output_bytes,
            output_files=output_files,
            has_other_joins=has_other_joins(self.final),
            spilled_bytes=sum(stage.disk_spilled_bytes for stage in stages),
            task_count=sum(stage.tasks for stage in stages),
            error=error_kind(execution.error) if execution.error else None,
            broadcasts_off=broadcasts_off(execution.modified_conf),
            relations=self._relations,
            columns=self._columns,
            reads_cache=any(is_cache(node) and node.children for node in self.initial.walk_all()),
            not_deterministic=not_deterministic(self.initial),
            keeps_state=keeps_state(self.initial),
            row_counts=self._row_counts(found),
            runtime_filtered=_or_nothing(found.id, "filters", lambda: runtime_filters(self.final).relations) or (),
        )

    @cached_property
    def _lost(self) -> frozenset[int]:
        if is_told(self.execution):
            return lost_counters(self.stages)
        return frozenset(id_ for node in self.final.walk_all() for id_ in node.counters)

    @cached_property
    def _read(self) -> Mapping[str, set[str]]:
        """The relations that the plan before AQE reads, and the columns of each."""
        found: dict[str, set[str]] = {}
        for node in self.initial.walk_query():
            if is_scan(node) and reads_rows(node):
                found.setdefault(relation_name(node), set()).update(read_columns(node))
        return found

    @property
    def _relations(self) -> tuple[str, ...]:
        return tuple(sorted(self._read))

    @property
    def _columns(self) -> str:
        columns = (f"{name}.{column}" for name, columns in self._read.items() for column in columns)
        return digest("\n".join(sorted(columns)))

    def _with_values(self, query: Query) -> Query:
        """With the values that the agent says, which decides by them; else with those that the texts tell."""
        said, logged = self._said_values(query.fingerprint), self._logged_values
        if not said.literals:
            return replace(query, literals=logged.literals, conditions=logged.conditions)
        return replace(query, literals=said.literals, conditions=said.conditions, logged_conditions=logged.conditions)

    def _said_values(self, fingerprint: str) -> QueryValues:
        if self.execution.values.literals or self.execution.steered:
            return self.execution.values
        return self.steering.values.get(fingerprint, UNKNOWN_VALUES)

    @property
    def _logged_values(self) -> QueryValues:
        execution = self.execution
        found = _or_nothing(
            execution.execution_id, "values", lambda: query_values(self.initial, execution.logical_plan)
        )
        return found or UNKNOWN_VALUES

    @cached_property
    def _opened(self) -> AgentRecord:
        """What the log tells of directives, with those that were sealed to this plan."""
        lent = opened(self.steering.sealed, self._relations, self._columns)
        return structs.replace(self.steering, directives=(*self.steering.directives, *lent)) if lent else self.steering

    def _row_counts(self, query: Query) -> tuple[RowCount, ...]:
        """Those of its joins' sides only where what is computed may move rows: nothing else tells whose."""
        beside = _or_nothing(query.id, "rows", lambda: self._beside_joins(query)) or ()
        has_computed = any(is_computed(one.columns) for one in query.conditions or ())
        return row_counts(query.joins, beside, with_sides=has_computed)

    def _beside_joins(self, query: Query) -> tuple[tuple[str, int], ...]:
        """Rows of the relations that no join has alone on a side; none where there are no joins to be steered."""
        inputs = [side for join in every_join(self.initial) for side in (join.left, join.right)]
        on_sides = frozenset(side.relations[0] for side in inputs if len(side.relations) == 1)
        whole = query.status is QueryStatus.SUCCEEDED and _ran(self.final)
        beside = rows_beside_joins(self.final, on_sides, finished=whole, lost=self._lost) if inputs else ()
        return tuple(beside)

    def _hinted(self, query: Query) -> tuple[JoinSite, ...]:
        """Its joins, those marked that the job itself hints; none where nothing tells what the agent was directed to."""
        if self.steering.is_directed and not self._opened.directives:
            return query.joins
        said = self.execution.steered or self.steering.by_query.get(query.fingerprint, ())
        undone = {result.action_id for result in said if result.status in _NOT_DONE}
        directed = (hint for one in self._opened.directives for hint in one.hints if hint.id not in undone)
        ours = {hint.join for hint in directed if hint.hint in STRATEGIES}
        hinted = hinted_joins(every_join(self.final), self.execution.logical_plan, ours)
        return tuple(replace(j, hinted=True) if (j.signature, j.occurrence) in hinted else j for j in query.joins)

    def _directed(self, query: Query) -> Query:
        """The query with what became of its directives, where it had any."""
        execution, steering = self.execution, self._opened
        if not (execution.steered or self.steering.is_directed):
            return query
        ran = RanPlan(self.final, query.joins, every_join(self.initial))
        if merged := merged_query(execution, query.fingerprint, self._relations, self._columns, steering):
            query = replace(query, fingerprint=merged, statement="", merged=True)
        outcomes = _or_nothing(
            query.id, "directives", lambda: directive_results(execution, query.fingerprint, ran, steering)
        )
        return replace(query, directives=outcomes or ())


def _duration_ms(execution: Execution) -> int | None:
    """None where it did not end, or the clock was set back while it ran."""
    took = -1 if execution.end_ms is None else execution.end_ms - execution.start_ms
    return took if took >= 0 else None


def _tasks_and_core_ms(stages: Iterable[Stage]) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """By accumulator, the tasks of the stage that updated it, and the run times of all its attempts.

    A later attempt has only the tasks whose output was lost (DAGScheduler.submitMissingTasks).
    """
    tasks: dict[int, int] = {}
    core_ms: dict[int, int] = {}
    for stage in stages:
        for accumulator in stage.accumulator_ids:
            tasks[accumulator] = max(tasks.get(accumulator, 0), stage.tasks)
            core_ms[accumulator] = core_ms.get(accumulator, 0) + stage.executor_run_time_ms
    return tasks, core_ms


def _scans(root: PlanNode) -> list[PlanNode]:
    """The scans that ran: below what is reused they are shown again, with the metrics of the first."""
    return list(each_once(filter(is_scan, root.walk_all()), lambda scan: scan))


def _ran(root: PlanNode) -> bool:
    """Whether anything was measured: a V2 CTAS before 3.4 plans its query once more and logs the plan that did not run."""
    return any(map(counted_by_tasks, root.walk_all()))


def _bytes_read(scans: list[PlanNode], stages: Sequence[Stage]) -> tuple[int, int]:
    """Bytes of the files, as often as they were scanned, and each once: of scans of a relation, those that found as much read the
    same. What the tasks report having read where the scans do not say (other sources), of stages without scans that do."""
    found = [(relation_name(scan), size) for scan in scans if (size := files_bytes(scan)) is not None]
    if not any(size for _, size in found):
        reported = sum(stage.input_bytes for stage in stages)
        return reported, reported
    sized = _counters(scan for scan in scans if files_bytes(scan) is not None)
    others = _counters(scan for scan in scans if files_bytes(scan) is None and not is_cache(scan))
    alone = (s for s in stages if sized.isdisjoint(s.accumulator_ids) and not others.isdisjoint(s.accumulator_ids))
    reported = sum(stage.input_bytes for stage in alone)
    return reported + sum(size for _, size in found), reported + sum(size for _, size in set(found))


def _counters(scans: Iterable[PlanNode]) -> frozenset[int]:
    return frozenset(id_ for scan in scans for id_ in scan.counters)


def _status(execution: Execution) -> QueryStatus:
    if execution.end_ms is None or execution.stopped:
        return QueryStatus.UNFINISHED
    return QueryStatus.FAILED if execution.error else QueryStatus.SUCCEEDED
