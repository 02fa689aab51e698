"""What the operators of each stage had to do: rows sorted, bytes shuffled, values read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from tuner.model.application import Stage
from tuner.model.query_work import BroadcastWork, QueryWork, SortWork, StageWork
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.counting import Counting
from tuner.plan.counting_of import counting_of
from tuner.plan.expression import bracketed, split_top_level
from tuner.plan.joins import JOINS, ParsedJoin, parse_join
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode
from tuner.plan.relation import is_scan, scan_columns
from tuner.plan.sides import BOUNDARIES, SHUFFLES, counted_rows, output_rows
from tuner.plan.stage_attempts import attempts_by_stage, partitions_of


class Resource(StrEnum):
    """What a stage spends its time on, each in units of its own."""

    SCAN = "scan"  # values: rows times columns
    FILTER = "filter"  # rows in
    PROJECT = "project"  # values computed
    AGGREGATE = "aggregate"  # rows in
    AGGREGATE_FUNCTION = "aggregate_function"  # rows in times functions
    GROUP = "group"  # values put out: groups times keys and functions
    SORT = "sort"  # rows
    MERGE = "merge"  # rows of both sides of a sort merge join
    HASH_BUILD = "hash_build"  # rows of the build side of a shuffled hash join
    PROBE = "probe"  # rows of the other side of any hash join
    PAIR = "pair"  # pairs of rows that a nested loop or a product compares
    EMIT = "emit"  # rows a join puts out
    WINDOW = "window"  # rows
    EXPAND = "expand"  # rows out
    SHUFFLE_WRITE = "shuffle_write"  # bytes of rows
    SHUFFLE_WRITE_ROW = "shuffle_write_row"  # rows
    SHUFFLE_READ = "shuffle_read"  # bytes of rows
    SHUFFLE_SEGMENT = "shuffle_segment"  # blocks fetched
    SPILL = "spill"  # bytes on disk
    TASK = "task"  # tasks
    COMPILE = "compile"  # operators: Spark makes code of each, which starts out interpreted


def query_work(plan: MeasuredPlan, stages: Sequence[Stage]) -> QueryWork:
    """The work of a query that ran to its end, from the plan that ran and the stages that ran it.

    Operators belong to the stages whose tasks updated their metrics; what several stages ran is split by their tasks. Rows that
    come out of a shuffle count as often as these read it (a range partitioning above samples what it is to write).
    """
    counting = counting_of(plan.root, finished=True)
    amounts = {_key(stage): _amounts_of_stage(stage) for stage in stages}
    broadcasts: list[BroadcastWork] = []
    sorts = SortWork(0, 0)
    readers = Counter(node.counters for node in plan.root.walk_all() if node.name == "BroadcastExchange")
    for node in plan.operators:
        if node.name == "BroadcastExchange":
            broadcasts.append(_broadcast(node, readers[node.counters]))
        if node.name in SHUFFLES:
            _shuffle(plan, node, amounts)
            continue
        if node.name == "Sort" and "sort time" in node.metrics:
            sorted_rows = _rows_of(node, counting)(node)
            sorts = SortWork(sorts.rows + sorted_rows, sorts.sort_ms + node.metrics["sort time"])
        found = running_stages(plan, node)
        work = tuple(operator_work(node, partitions(found), _rows_of(node, counting)))
        for stage, share in shares_of(found):
            amounts[_key(stage)][Resource.COMPILE] += 1
            for resource, amount in work:
                amounts[_key(stage)][resource] += amount * share
    return QueryWork(
        tuple(
            StageWork(
                stage.stage_id,
                stage.completed_tasks,
                stage.executor_run_time_ms,
                _rounded(amounts[_key(stage)]),
                stage.executor_cpu_time_ns // 1_000_000,
            )
            for stage in stages
        ),
        tuple(broadcasts),
        sorts,
    )


def _key(stage: Stage) -> tuple[int, int]:
    return stage.stage_id, stage.attempt


def running_stages(plan: MeasuredPlan, node: PlanNode) -> tuple[Stage, ...]:
    """The stages that ran an operator: where nothing that runs with it counted, those that read the shuffle below."""
    while True:
        found = plan.reading_stages(node) if node.name in SHUFFLES else plan.stages(node)
        below = [child for child in node.children if child.name != "BroadcastExchange"]
        if found or node.name in BOUNDARIES or not below:
            return found
        node = below[0]


def shares_of(stages: Sequence[Stage]) -> Iterator[tuple[Stage, float]]:
    """Each of these stages with its share of what they did together: a later attempt runs again what was lost of the first."""
    whole = sum(stage.completed_tasks for stage in stages)
    for stage in stages:
        yield stage, stage.completed_tasks / whole if whole else 1 / len(stages)


def partitions(stages: Iterable[Stage]) -> int:
    """The tasks of these stages, but for those that a later attempt ran again."""
    return sum(map(partitions_of, attempts_by_stage(stages)))


def _amounts_of_stage(stage: Stage) -> defaultdict[Resource, float]:
    found: defaultdict[Resource, float] = defaultdict(float)
    found[Resource.TASK] = stage.completed_tasks
    found[Resource.SPILL] = stage.disk_spilled_bytes
    return found


_Amounts = defaultdict[Resource, float]


def _shuffle(plan: MeasuredPlan, node: PlanNode, amounts: Mapping[tuple[int, int], _Amounts]) -> None:
    """Written once; every stage that reads it reads all of it."""
    size, rows = node.metrics.get("data size", 0), node.metrics.get("shuffle records written", 0)
    writing = plan.stages(node)
    for stage, share in shares_of(writing):
        amounts[_key(stage)][Resource.SHUFFLE_WRITE] += size * share
        amounts[_key(stage)][Resource.SHUFFLE_WRITE_ROW] += rows * share
    blocks = sum(node.metrics.get(name, 0) for name in ("local blocks read", "remote blocks read"))
    reading = attempts_by_stage(stage for stage in plan.reading_stages(node) if stage not in writing)
    for attempts in reading:
        for stage, share in shares_of(attempts):
            amounts[_key(stage)][Resource.SHUFFLE_READ] += size * share
            amounts[_key(stage)][Resource.SHUFFLE_SEGMENT] += blocks * share / len(reading)


def _broadcast(node: PlanNode, readers: int) -> BroadcastWork:
    found = node.metrics.get
    return BroadcastWork(
        found("number of output rows", 0),
        found("data size", 0),
        found("time to collect", 0),
        found("time to build", 0),
        found("time to broadcast", 0),
        readers,
    )


RowsOf = Callable[[PlanNode], int]


def _rows_of(node: PlanNode, counting: Counting) -> RowsOf:
    """The rows that an operator handles of itself and of its inputs, in all the times that its stages ran it."""
    runs = counting.runs.get(id(node), 1)

    def rows(one: PlanNode) -> int:
        told = output_rows(one, finished=True, counting=counting)
        return counted_rows(one) if told is None else told * runs

    return rows if runs > 1 else counted_rows


Work = Iterable[tuple[Resource, float]]
_Work = Iterator[tuple[Resource, float]]


def summed(work: Work) -> dict[str, float]:
    """Work by the value of its resource; none of which there is nothing."""
    found: defaultdict[str, float] = defaultdict(float)
    for resource, amount in work:
        if amount:
            found[resource.value] += amount
    return dict(found)


def shuffle_work(node: PlanNode) -> Iterator[tuple[Resource, float]]:
    """What a shuffle writes and reads of rows, read once."""
    size = node.metrics.get("data size", 0)
    yield Resource.SHUFFLE_WRITE, size
    yield Resource.SHUFFLE_WRITE_ROW, node.metrics.get("shuffle records written", 0)
    yield Resource.SHUFFLE_READ, size


_BY_KEYS = frozenset({Strategy.SORT_MERGE, Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH})


def operator_work(node: PlanNode, tasks: int = 1, rows_of: RowsOf = counted_rows) -> Iterator[tuple[Resource, float]]:
    """What an operator that so many tasks ran does with its rows, but for a shuffle."""
    if is_scan(node):
        yield Resource.SCAN, rows_of(node) * max(1, len(scan_columns(node)))
    elif node.name in JOINS and len(node.children) == 2:
        yield from _join_work(node, tasks, rows_of)
    elif node.name in AGGREGATES:
        yield from _aggregate_work(node, rows_of)
    elif node.name == "Project":
        yield Resource.PROJECT, _input_rows(node, rows_of) * _computed(node)
    elif node.name in _ROWS_IN:
        yield _ROWS_IN[node.name], _input_rows(node, rows_of)
    elif node.name == "Expand":
        yield Resource.EXPAND, rows_of(node)


_ROWS_IN: Mapping[str, Resource] = {
    "Filter": Resource.FILTER,
    "Sort": Resource.SORT,
    "Window": Resource.WINDOW,
    "WindowGroupLimit": Resource.WINDOW,
    "TakeOrderedAndProject": Resource.SORT,
}


def _join_work(node: PlanNode, tasks: int, rows_of: RowsOf) -> _Work:
    parsed = parse_join(node)
    yield Resource.EMIT, rows_of(node)
    if parsed.strategy in _BY_KEYS:
        for at in (0, 1):
            yield from input_work(node, parsed, at, rows_of)
    elif parsed.strategy is Strategy.CARTESIAN:
        # A task for each two partitions reads both anew (UnsafeCartesianRDD): of all these rows, those of one task meet.
        left, right = map(_rows_read, node.children)
        yield Resource.PAIR, left * right / max(1, tasks)
    else:
        left, right = map(counted_rows, node.children)
        yield Resource.PAIR, left * right


def _rows_read(side: PlanNode) -> int:
    """Rows of an input of a product, as often as tasks read them."""
    while side.name in ("Project", "ReusedExchange") and len(side.children) == 1:
        side = side.children[0]
    return (side.metrics.get("records read") if side.name in SHUFFLES else None) or counted_rows(side)


def input_work(
    join: PlanNode, parsed: ParsedJoin, at: int, rows_of: RowsOf = counted_rows
) -> Iterator[tuple[Resource, float]]:
    """What a join by keys does with the rows of one of its inputs."""
    rows = rows_of(join.children[at])
    if parsed.strategy is Strategy.SORT_MERGE:
        yield Resource.MERGE, rows
    elif (parsed.build_side is BuildSide.LEFT) != (at == 0):
        yield Resource.PROBE, rows
    elif parsed.strategy is Strategy.SHUFFLED_HASH:
        yield Resource.HASH_BUILD, rows


def _aggregate_work(node: PlanNode, rows_of: RowsOf) -> _Work:
    rows = _input_rows(node, rows_of)
    keys, functions = (len(split_top_level(part)) for part in aggregate_parts(node) or ("", ""))
    yield Resource.AGGREGATE, rows
    yield Resource.AGGREGATE_FUNCTION, rows * functions
    yield Resource.GROUP, rows_of(node) * (keys + functions)


def _computed(project: PlanNode) -> int:
    """The columns that a projection computes; those it passes on cost nothing."""
    found = bracketed(project.text)
    return found[0].count(" AS ") if found else 0


def _input_rows(node: PlanNode, rows_of: RowsOf) -> int:
    return sum(map(rows_of, node.children))


def _rounded(amounts: _Amounts) -> dict[str, float]:
    return {resource.value: round(amount) for resource, amount in amounts.items() if amount}
