"""One input of a join, as measured: its rows, its bytes, and what moving and sorting it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from tuner.model.join_site import JoinSide
from tuner.plan.counting import WHOLE, Counting
from tuner.plan.estimates import UNESTIMATED, UNKNOWN_BYTES, SideEstimate
from tuner.plan.node import PlanNode
from tuner.plan.relation import files_bytes, is_scan

# Operators that pass on as many rows as they get.
_ROW_PRESERVING = frozenset(
    {
        "Project",
        "Sort",
        "Exchange",
        "ShuffleExchange",
        "BroadcastExchange",
        "ReusedExchange",
        "Window",
        "ColumnarExchange",
    }
)
# What the planner's size estimate passes through without multiplying relations (SizeInBytesOnlyStatsPlanVisitor).
_ESTIMATE_CHAIN = _ROW_PRESERVING | {"Filter"}
SHUFFLES = frozenset({"Exchange", "ShuffleExchange", "ColumnarExchange"})
# What the tasks before a shuffle count (SQLShuffleWriteMetricsReporter); its other metrics are of those after it.
SHUFFLE_WRITE_METRICS = frozenset(
    {"shuffle bytes written", "shuffle records written", "shuffle write time", "data size"}
)
# What joins put above their inputs.
EXCHANGED = SHUFFLES | {"BroadcastExchange", "Sort"}
# What the operators of one stage end at, of Spark's own exchanges and Gluten's, whose metrics tell of their stages; of any
# engine's see `is_exchange`.
BOUNDARIES = SHUFFLES | {"BroadcastExchange", "ReusedExchange"}
# In the name of every engine's: CometExchange, GpuColumnarExchange, PhotonShuffleExchangeSink.
_EXCHANGE = "Exchange"
_ROWS = "number of output rows"
_SHUFFLED_ROWS = "shuffle records written"
TASKS_OF_SCAN = (_ROWS, "scan time", "number of file splits read")  # the last is Iceberg's (NumSplits)
_PLANNED = frozenset({"number of partitions"})


def measure_side(
    node: PlanNode,
    relations: tuple[str, ...],
    estimate: SideEstimate = UNESTIMATED,
    *,
    finished: bool,
    counting: Counting = WHOLE,
) -> JoinSide:
    """What was measured of the input of a join that the operator `node` and those below it make.

    `finished` says that the plan ran to its end: what was not counted is then 0, where otherwise it may not have run.
    """
    broadcast, exchange = _first(node, ("BroadcastExchange",)), feeding_shuffle(node)
    sort = _first(node, ("Sort",))
    is_counted = exchange is not None and id(exchange) not in counting.partial
    shuffle_bytes = exchange.metrics.get("data size") if exchange and is_counted else None
    broadcast_bytes = broadcast.metrics.get("data size") if broadcast else None
    return JoinSide(
        relations=relations,
        rows=output_rows(node, finished=finished, counting=counting),
        bytes=shuffle_bytes if shuffle_bytes is not None else broadcast_bytes,
        shuffle_bytes=shuffle_bytes,
        broadcast_bytes=broadcast_bytes,
        file_bytes=(file_bytes := _file_bytes(node)),
        estimated_bytes=estimate.bytes,
        sort_ms=_sort_ms(sort, counting) if sort else None,
        leaf_bytes=_leaf_bytes(estimate, file_bytes),
        skipped=_is_skipped(node, counting),
    )


def _leaf_bytes(estimate: SideEstimate, file_bytes: int | None) -> int | None:
    """Of a catalog's table in partitions that is read whole the planner knows no size; the agent asks for that of its files."""
    is_known = estimate.leaf_bytes is None or estimate.leaf_bytes < UNKNOWN_BYTES
    return estimate.leaf_bytes if is_known or file_bytes is None else file_bytes


def _sort_ms(sort: PlanNode, counting: Counting) -> int | None:
    """What sorting took once, as its rows are told."""
    took = sort.metrics.get("sort time")
    return None if took is None else took // counting.runs.get(id(sort), 1)


def feeding_shuffle(node: PlanNode) -> PlanNode | None:
    """The shuffle that directly feeds an input of a join; AQE broadcasts what it has shuffled already."""
    broadcast = _first(node, ("BroadcastExchange",))
    return _first(broadcast.children[0] if broadcast and broadcast.children else node, SHUFFLES)


def is_exchange(node: PlanNode) -> bool:
    """Whether the operators of one stage end at this one, whichever engine runs it."""
    return _EXCHANGE in node.name


def as_written(exchange: PlanNode) -> PlanNode:
    """The exchange that wrote what this one reads: another where it is read once more."""
    return exchange.children[0] if exchange.name == "ReusedExchange" and exchange.children else exchange


def reused_exchanges(nodes: Iterable[PlanNode]) -> Counter[frozenset[int]]:
    """How often these operators read again what an exchange has written (ReusedExchange), by its metrics."""
    return Counter(below.counters for node in nodes if node.name == "ReusedExchange" for below in node.children)


def output_rows(node: PlanNode, *, finished: bool, counting: Counting = WHOLE) -> int | None:
    """Rows an operator put out, as measured at it or at what passes rows on to it unchanged."""
    counted = _counted(node)
    if counted is None or id(counted) in counting.partial:
        return None
    if counted.name == "EmptyRelation":
        return 0
    counter = _counter(counted)
    if counter not in counted.metric_ids:  # a union
        parts = [output_rows(child, finished=finished, counting=counting) for child in counted.children]
        return sum(p for p in parts if p is not None) if all(p is not None for p in parts) else None
    if counter not in counted.metrics:
        return 0 if finished or _ran(counted) else None
    return counted.metrics[counter] // counting.runs.get(id(counted), 1)


def _is_skipped(node: PlanNode, counting: Counting) -> bool:
    """Whether the rows that an operator put out, or some of them, come from an earlier execution."""
    counted = _counted(node) if counting.skipped else None
    if counted is None:
        return False
    union = counted.children if counted.name == "Union" else ()
    return id(counted) in counting.skipped or any(_is_skipped(child, counting) for child in union)


def _counted(node: PlanNode) -> PlanNode | None:
    """Where the rows that an operator puts out are counted: at it or below, where only row-preserving operators are between."""
    while _counter(node) not in node.metric_ids and node.name not in ("Union", "EmptyRelation"):
        if node.name not in _ROW_PRESERVING or len(node.children) != 1:
            return None
        node = node.children[0]
    return node


def _counter(node: PlanNode) -> str:
    return _SHUFFLED_ROWS if node.name in SHUFFLES and _ROWS not in node.metric_ids else _ROWS


def counted_rows(node: PlanNode) -> int:
    """Rows that an operator of a plan that ran to its end put out; 0 where nothing tells."""
    return output_rows(node, finished=True) or 0


def _ran(node: PlanNode) -> bool:
    """A metric that stayed 0 is not in the log: that the operator ran shows in its stage, or in inputs without rows."""
    stage, inputs = stage_of(node)
    if any(map(counted_by_tasks, stage)):
        return True
    waiting = any(i.metrics.get(_ROWS) or i.metrics.get(_SHUFFLED_ROWS) for i in inputs)
    return not waiting and any(counted_by_tasks(below) for i in inputs for below in i.walk())


def counted_by_tasks(node: PlanNode) -> bool:
    """Whether an operator has counted more than what the driver plans for it: files to be read, partitions to be written."""
    if node.timed:
        return True
    if is_scan(node):
        return any(name in node.metrics for name in TASKS_OF_SCAN)
    return any(name not in _PLANNED for name in node.metrics)


def stage_of(node: PlanNode) -> tuple[list[PlanNode], list[PlanNode]]:
    """The operators that run together with one and below it, and the exchanges that feed them."""
    operators, inputs, stack = [node], [], list(node.children)
    while stack:
        current = stack.pop()
        if current.name in BOUNDARIES:
            inputs.append(current)
        else:
            operators.append(current)
            stack.extend(current.children)
    return operators, inputs


def _first(node: PlanNode, names: Container[str]) -> PlanNode | None:
    """The operator so named that directly feeds a join, under sorts, projections and reuse."""
    while True:
        if node.name in names:
            return node
        if node.name not in ("Sort", "Project", "ReusedExchange", "Filter") or len(node.children) != 1:
            return None
        node = node.children[0]


def _file_bytes(node: PlanNode) -> int | None:
    while node.name in _ESTIMATE_CHAIN and len(node.children) == 1:
        node = node.children[0]
    return files_bytes(node) if is_scan(node) else None
