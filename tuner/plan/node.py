"""Physical operators with their metrics, without the wrappers that code generation and AQE put between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tuner.eventlog.model import PlanInfo

# These only say how the operator below is run; which of them appear changes from run to run.
_WRAPPERS = re.compile(
    r"^(WholeStageCodegen|InputAdapter|ColumnarToRow|RowToColumnar|AdaptiveSparkPlan|ResultQueryStage|ShuffleQueryStage"
    r"|BroadcastQueryStage|TableCacheQueryStage|AQEShuffleRead|CustomShuffleReader|CollectMetrics|CommandResult)\b"
)
_SUBQUERY = re.compile(
    r"^(Subquery|SubqueryBroadcast|SubqueryAdaptiveBroadcast|SubqueryAdaptiveShuffle|ReusedSubquery)\b"
)
_BLOOM = "bloom_filter_agg"
# Spark 2.x: "data size total (min, med, max)".
_METRIC_SUFFIX = re.compile(r" total \(min, med, max.*$")


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One operator. `name` is its class without details, `metrics` its values by Spark's names (bytes, ms, rows).

    `children` feed it rows; `subqueries` are plans its expressions use; `metric_ids` are its metrics' accumulators.
    """

    name: str
    full_name: str
    text: str
    metadata: Mapping[str, str]
    metrics: Mapping[str, int]
    children: tuple[PlanNode, ...] = ()
    subqueries: tuple[PlanNode, ...] = ()
    metric_ids: Mapping[str, int] = field(default_factory=dict)

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
            stack.extend(s for s in reversed(node.children + node.subqueries) if not _prunes(s))

    def walk_unfilled(self) -> Iterator[PlanNode]:
        """The operators below caches that this plan only read: what ran them was another query."""
        for cache in self.walk_all():
            if cache.name == "InMemoryTableScan":
                below = [node for child in cache.children for node in child.walk_all()]
                if not any(node.metrics for node in below):
                    yield from below


def _prunes(node: PlanNode) -> bool:
    """Whether a subquery serves dynamic partition pruning or a runtime bloom filter."""
    if node.name in ("SubqueryBroadcast", "SubqueryAdaptiveBroadcast"):
        return True
    inner = node.subqueries[0] if node.name == "ReusedSubquery" and node.subqueries else node
    return inner.name == "Subquery" and any(_BLOOM in n.text for n in inner.walk())


def build_tree(info: PlanInfo, accumulators: Mapping[int, int]) -> PlanNode:
    """The plan of `info` with the values of its metrics, however deep it is."""
    steps: list[_Step] = []
    waiting = [info]
    while waiting:
        step = _step(waiting.pop())
        steps.append(step)
        waiting.extend(reversed((*step.inputs, *step.subqueries)))
    built: list[PlanNode] = []
    for step in reversed(
        steps
    ):  # what is below an operator comes after it, and stands on the stack the other way round
        inputs = tuple(built.pop() for _ in step.inputs)
        subqueries = tuple(built.pop() for _ in step.subqueries)
        built.append(_node(step.info, inputs, subqueries, accumulators))
    return built[0]


@dataclass(frozen=True, slots=True)
class _Step:
    """An operator, and what is to be built below it."""

    info: PlanInfo
    inputs: tuple[PlanInfo, ...]
    subqueries: tuple[PlanInfo, ...]


def _step(info: PlanInfo) -> _Step:
    while _WRAPPERS.match(info.name) and len(info.children) == 1:
        info = info.children[0]
    inputs = tuple(c for c in info.children if not _SUBQUERY.match(c.name))
    subqueries = tuple(c for c in info.children if _SUBQUERY.match(c.name))
    if _WRAPPERS.match(info.name) and inputs:
        # A wrapper with subqueries of its own (AdaptiveSparkPlan over a cached plan).
        return _Step(info, inputs[:1], subqueries + inputs[1:])
    return _Step(info, inputs, subqueries)


def _node(
    info: PlanInfo, inputs: tuple[PlanNode, ...], subqueries: tuple[PlanNode, ...], accumulators: Mapping[int, int]
) -> PlanNode:
    if inputs and _WRAPPERS.match(info.name):
        return replace(inputs[0], subqueries=inputs[0].subqueries + subqueries)
    return PlanNode(
        name=_short_name(info.name),
        full_name=info.name,
        text=info.text,
        metadata=info.metadata,
        metrics=_metrics(info, accumulators),
        children=inputs,
        subqueries=subqueries,
        metric_ids={_metric_name(m.name): m.accumulator_id for m in info.metrics},
    )


def _short_name(name: str) -> str:
    return re.split(r"[ (]", name, maxsplit=1)[0]  # SortMergeJoin(skew=true)


def _metric_name(name: str) -> str:
    return _METRIC_SUFFIX.sub("", name)


def _metrics(info: PlanInfo, accumulators: Mapping[int, int]) -> dict[str, int]:
    return {
        _metric_name(m.name): accumulators[m.accumulator_id] for m in info.metrics if m.accumulator_id in accumulators
    }
