"""Physical operators with their metrics, without the wrappers that code generation and AQE put between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec

from tuner.model.application import MetricInfo, PlanInfo
from tuner.plan.memoize_by_text import by_text

# These only say how the operator below is run; which of them appear changes from run to run.
_GENERATED = "WholeStageCodegen"
_WRAPPERS = frozenset(
    {_GENERATED, "InputAdapter", "ColumnarToRow", "RowToColumnar", "AdaptiveSparkPlan", "ResultQueryStage"}
    | {"ShuffleQueryStage", "BroadcastQueryStage", "TableCacheQueryStage", "AQEShuffleRead", "CustomShuffleReader"}
    | {"CollectMetrics", "CommandResult"}
)
_SUBQUERIES = frozenset(
    {"Subquery", "SubqueryBroadcast", "SubqueryAdaptiveBroadcast", "SubqueryAdaptiveShuffle", "ReusedSubquery"}
)
# Other engines put a word of their own before it.
_PRUNING = ("SubqueryBroadcast", "SubqueryAdaptiveBroadcast")
_CACHES = ("InMemoryTableScan", "Scan In-memory table")
# A relation to the query and to the agent. Spark 4.3 shows below it what made the RDD, which was planned before (SparkPlanInfo).
_RDD = "Scan ExistingRDD"
_BLOOM = "bloom_filter_agg"
_METRIC_SUFFIX = " total (min, med, max"  # Spark 2.x: "data size total (min, med, max)"


Found = TypeVar("Found")


class PlanNode(msgspec.Struct, frozen=True, gc=False):
    """One operator. `name` is its class without details, `metrics` its values by Spark's names (bytes, ms, rows).

    `children` feed it rows; `subqueries` are plans its expressions use; `metric_ids` are its metrics' accumulators. `timed` says
    that tasks told how long the code took that Spark generated of it and of what is below: they do of no rows, too.
    """

    name: str
    full_name: str
    text: str
    metadata: Mapping[str, str]
    metrics: Mapping[str, int]
    children: tuple[PlanNode, ...] = ()
    subqueries: tuple[PlanNode, ...] = ()
    metric_ids: Mapping[str, int] = {}
    timed: bool = False

    @property
    def counters(self) -> frozenset[int]:
        """Its metrics' accumulators: the same wherever a plan shows the operator."""
        return frozenset(self.metric_ids.values())

    def walk(self) -> Iterator[PlanNode]:
        """This operator and all below it in plan order, without subqueries."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def walk_all(self) -> Iterator[PlanNode]:
        """Like `walk`, with subqueries after the inputs of the operator that uses them."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children + node.subqueries))

    def walk_query(self) -> Iterator[PlanNode]:
        """Like `walk_all`, without the subqueries that Spark adds to prune: the sizes of a run decide about them."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if node.subqueries:
                stack.extend([s for s in reversed(node.subqueries) if not prunes(s)])
            stack.extend([c for c in reversed(node.children) if c.name not in _SUBQUERIES or not prunes(c)])

    def walk_unfilled(self) -> Iterator[PlanNode]:
        """The operators below caches that this plan only read: what ran them was another query."""
        for cache in self.walk_all():
            if is_unfilled(cache):
                yield from _all_below(cache)


def is_cache(node: PlanNode) -> bool:
    """Whether an operator reads a cache; what fills it is below."""
    return node.full_name.startswith(_CACHES)


def is_unfilled(node: PlanNode) -> bool:
    """Whether an operator reads a cache that another query has filled."""
    return is_cache(node) and not any(below.metrics for below in _all_below(node))


def _all_below(node: PlanNode) -> Iterator[PlanNode]:
    return (below for child in node.children for below in child.walk_all())


def counters_below(node: PlanNode) -> frozenset[int]:
    """The accumulators of all operators below one: what is below another with the same ran with it."""
    return frozenset(counter for below in _all_below(node) for counter in below.counters)


def ran_as(node: PlanNode) -> object:
    """What tells operators apart that ran: shown twice, they have the same metrics."""
    return node.counters or id(node)


def prunes(node: PlanNode) -> bool:
    """Whether a subquery serves dynamic partition pruning or a runtime bloom filter."""
    return prunes_partitions(node) or makes_bloom_filter(node)


def prunes_partitions(subquery: PlanNode) -> bool:
    """Whether a subquery, or the one that it reuses, serves dynamic partition pruning."""
    return made_once(subquery).name.endswith(_PRUNING)


def makes_bloom_filter(subquery: PlanNode) -> bool:
    """Whether a subquery, or the one that it reuses, makes a runtime bloom filter."""
    made = made_once(subquery)
    return made.name == "Subquery" and any(_BLOOM in n.text for n in made.walk())


def made_once(subquery: PlanNode) -> PlanNode:
    """A subquery, or the one that it reuses."""
    return subquery.subqueries[0] if subquery.name == "ReusedSubquery" and subquery.subqueries else subquery


def each_once(found: Iterable[Found], operator_of: Callable[[Found], PlanNode]) -> Iterator[Found]:
    """Of what belongs to operators with the same metrics, which ran together, the first."""
    ran: set[frozenset[int]] = set()
    for one in found:
        metrics = operator_of(one).counters
        if not metrics or metrics not in ran:
            yield one
        ran.add(metrics)


def build_tree(info: PlanInfo, accumulators: Mapping[int, int]) -> PlanNode:
    """The plan of `info` with the values of its metrics, however deep it is."""
    steps: list[_Step] = []
    waiting = [info]
    while waiting:
        step = _step(waiting.pop())
        steps.append(step)
        waiting.extend(reversed((*step.inputs, *step.subqueries)))
    built: list[PlanNode] = []
    # What is below an operator comes after it, and stands on the stack the other way round.
    for step in reversed(steps):
        inputs = tuple([built.pop() for _ in step.inputs])
        subqueries = tuple([built.pop() for _ in step.subqueries])
        built.append(_node(step, inputs, subqueries, accumulators))
    return built[0]


class _Step(msgspec.Struct, frozen=True, gc=False):
    """An operator, and what is to be built below it."""

    name: str
    info: PlanInfo
    inputs: tuple[PlanInfo, ...]
    subqueries: tuple[PlanInfo, ...]
    timers: tuple[MetricInfo, ...] = ()


def _step(info: PlanInfo) -> _Step:
    name = _short_name(info.name)
    timers: tuple[MetricInfo, ...] = ()
    while name in _WRAPPERS and len(info.children) == 1:
        timers = info.metrics if name == _GENERATED else timers
        info = info.children[0]
        name = _short_name(info.name)
    inputs = () if info.name.startswith(_RDD) else info.children
    subqueries: tuple[PlanInfo, ...] = ()
    for child in inputs:
        if "Subquery" in child.name:
            inputs = tuple(c for c in info.children if not _is_subquery(c))
            subqueries = tuple(c for c in info.children if _is_subquery(c))
            break
    if name in _WRAPPERS and inputs:
        # A wrapper with subqueries of its own (AdaptiveSparkPlan over a cached plan).
        return _Step(name, info, inputs[:1], subqueries + inputs[1:])
    return _Step(name, info, inputs, subqueries, timers)


def _node(
    step: _Step, inputs: tuple[PlanNode, ...], subqueries: tuple[PlanNode, ...], accumulators: Mapping[int, int]
) -> PlanNode:
    if inputs and step.name in _WRAPPERS:
        return msgspec.structs.replace(inputs[0], subqueries=inputs[0].subqueries + subqueries)
    info = step.info
    metric_ids = {
        (m.name.partition(_METRIC_SUFFIX)[0] if "(" in m.name else m.name): m.accumulator_id for m in info.metrics
    }
    return PlanNode(
        name=step.name,
        full_name=info.name,
        text=info.text,
        metadata=info.metadata,
        metrics={name: value for name, id_ in metric_ids.items() if (value := accumulators.get(id_)) is not None},
        children=inputs,
        subqueries=subqueries,
        metric_ids=metric_ids,
        timed=any(timer.accumulator_id in accumulators for timer in step.timers),
    )


def _is_subquery(info: PlanInfo) -> bool:
    name = _short_name(info.name)
    return name in _SUBQUERIES or name.endswith(_PRUNING)


@by_text
def _short_name(name: str) -> str:
    return name.partition(" ")[0].partition("(")[0]  # SortMergeJoin(skew=true)
