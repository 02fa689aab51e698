"""Blocks of inner joins of a query as Spark's JoinReorderDP sees them: items, conditions, estimates, and its own order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from tuner.cost.join_edges import Edge, JoinEdges, bits
from tuner.cost.join_tree import JoinTree, SizeOf, tree_of
from tuner.cost.size import Size
from tuner.model.join_graph import Order

_ROW_BYTES = 8  # EstimationUtils.getSizePerRow: what a row takes beside its columns


@contextmanager
def spark_session(directory: Path, **conf: str) -> Iterator[Any]:
    """A session of one JVM that ends with it; statistics count, and queries are planned as they are written."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": "2g",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": (directory / "warehouse").as_uri(),
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        "spark.sql.cbo.enabled": "true",
        "spark.sql.cbo.joinReorder.dp.threshold": "14",
        # Statistics of small tables: what compiled code and many tasks would save, they cost many times over.
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        **conf,
    }
    builder = SparkSession.builder.master("local[2]").appName("join order")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    gateway = spark.sparkContext._gateway
    try:
        yield spark
    finally:
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None


def analyse(spark: Any, tables: Path, queries: Iterable[str]) -> None:
    """Tables over folders of Parquet, with statistics of the columns that the queries name."""
    words = set(re.findall(r"\w+", " ".join(queries).lower()))
    for folder in sorted(tables.iterdir()):
        if folder.name in words:
            spark.sql(f"CREATE TABLE {folder.name} USING parquet LOCATION '{folder}'")
            columns = ", ".join(column for column in spark.table(folder.name).columns if column in words)
            spark.sql(f"ANALYZE TABLE {folder.name} COMPUTE STATISTICS FOR COLUMNS {columns}")


def blocks(spark: Any, query: str) -> list[Block]:
    """Each block of three or more inner joined items that Spark would order, outermost first."""
    jvm = spark._jvm
    spark.conf.set("spark.sql.cbo.joinReorder.enabled", "false")
    plan = spark.sql(query)._jdf.queryExecution().optimizedPlan()
    spark.conf.set("spark.sql.cbo.joinReorder.enabled", "true")
    jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(spark._jsparkSession)
    found, stack = [], [plan]
    while stack:
        node = stack.pop()
        items, conditions = _inner_joins(node)
        if len(items) > 2:
            found.append(Block(jvm, node, items, conditions))
        stack.extend(reversed(items if len(items) > 1 else _children(node)))
    return found


class Block:
    """Consecutive inner joins, and what JoinReorderDP makes of them."""

    def __init__(self, jvm: Any, root: Any, items: list[Any], conditions: list[Any]) -> None:
        self.jvm = jvm
        self.root = root
        self.items = items
        self.attributes = {a.exprId().id(): a for item in items for a in _each(item.output())}
        self.outputs = [_ids(item.outputSet()) for item in items]
        references = [_ids(condition.references()) for condition in conditions]
        self.conditions = [
            (condition, ids, self._mask(ids))
            for condition, ids in zip(conditions, references, strict=True)
            if self._mask(ids).bit_count() > 1
        ]
        self.needed = _ids(root.outputSet())
        self.widths = {a.exprId().id(): self._width(item, a) for item in items for a in _each(item.output())}
        self._joins: dict[int, Any] = {1 << index: item for index, item in enumerate(items)}
        self._sizes: dict[int, Size] = {}

    @property
    def names(self) -> list[str]:
        return [_leaf_name(item) for item in self.items]

    @property
    def edges(self) -> list[Edge]:
        """What JoinReorderDP.buildJoin connects: any condition that needs both sides and nothing else."""
        return [parting for _, _, mask in self.conditions for parting in _partings(mask)]

    @cached_property
    def graph(self) -> JoinEdges:
        return JoinEdges(len(self.items), self.edges)

    @cached_property
    def written(self) -> Order:
        return self._order(self.root)

    @cached_property
    def chosen(self) -> Order:
        """The order Spark's own rule chooses."""
        rule = getattr(self.jvm.org.apache.spark.sql.catalyst.optimizer, "CostBasedJoinReorder$")
        return self._order(getattr(rule, "MODULE$").apply(self.root))

    def size_of(self, mask: int) -> Size:
        """Spark's estimate of the join of a set: its relations joined in the order of their numbers, as far as connected."""
        size = self._sizes.get(mask)
        if size is None:
            rows = float(str(self._joined(mask).stats().rowCount().get()))
            row_bytes = _ROW_BYTES + sum(self.widths[attribute.exprId().id()] for attribute in self._kept(mask))
            size = self._sizes[mask] = Size(rows, max(1, rows * row_bytes))
        return size

    def _width(self, item: Any, attribute: Any) -> int:
        """Bytes of a column as EstimationUtils.getSizePerRow has it."""
        estimation = self.jvm.org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
        row_bytes = estimation.getSizePerRow(self._seq([attribute]), item.stats().attributeStats())
        return int(str(row_bytes)) - _ROW_BYTES

    def size_in(self, order: Order) -> SizeOf:
        """Spark's estimates of the joins of one tree, which may depend on its order; of any other set as `size_of` has it."""
        sizes = self.sizes_of(order)
        return lambda mask: sizes.get(mask) or self.size_of(mask)

    def tree(self, order: Order) -> JoinTree:
        return tree_of(order, self.size_of)

    def sizes_of(self, order: Order) -> dict[int, Size]:
        """Spark's estimates of the joins of this very tree, built as JoinReorderDP.buildJoin does."""
        found: dict[int, Size] = {}
        self._build(order, found)
        return found

    def _build(self, order: Order, found: dict[int, Size]) -> tuple[int, Any]:
        if isinstance(order, int):
            return 1 << order, self.items[order]
        (left, left_plan), (right, right_plan) = (self._build(side, found) for side in order)
        mask = left | right
        kept = self._kept(mask)
        join = self._join(left, left_plan, right, right_plan)
        plan = self.jvm.org.apache.spark.sql.catalyst.plans.logical.Project(self._seq(kept), join)
        found[mask] = _size(plan)
        return mask, plan

    def _joined(self, mask: int) -> Any:
        plan = self._joins.get(mask)
        if plan is None:
            last = next(one for one in sorted(bits(mask), reverse=True) if self._whole(mask ^ one, one))
            plan = self._joins[mask] = self._join(mask ^ last, self._joined(mask ^ last), last, self._joined(last))
        return plan

    def _whole(self, rest: int, one: int) -> bool:
        """Whether `one` can be joined to the others of a set without a cross product anywhere."""
        within = [(left, right) for left, right in self.graph.edges if not (left | right) & ~rest]
        return self.graph.connect(rest, one) and rest in JoinEdges(len(self.items), within).groups()

    def _join(self, left: int, left_plan: Any, right: int, right_plan: Any) -> Any:
        expressions = self.jvm.org.apache.spark.sql.catalyst.expressions
        condition = None
        for one, _, mask in self.conditions:
            if not mask & ~(left | right) and mask & ~left and mask & ~right:
                condition = one if condition is None else expressions.And(condition, one)
        logical = self.jvm.org.apache.spark.sql.catalyst.plans.logical
        return logical.Join(left_plan, right_plan, *self._inner_join(condition))

    def _inner_join(self, condition: Any) -> tuple[Any, Any, Any]:
        plans = self.jvm.org.apache.spark.sql.catalyst.plans
        hints = getattr(getattr(plans.logical, "JoinHint$"), "MODULE$")
        return getattr(getattr(plans, "Inner$"), "MODULE$"), self.jvm.scala.Option.apply(condition), hints.NONE()

    def _kept(self, mask: int) -> list[Any]:
        """The columns of a join that later conditions or the block's output need."""
        needed = self.needed.union(*(ids for _, ids, of_condition in self.conditions if of_condition & ~mask))
        ids = set().union(*(self.outputs[one.bit_length() - 1] for one in bits(mask)))
        return [self.attributes[id_] for id_ in sorted(ids & needed)]

    def _seq(self, attributes: list[Any]) -> Any:
        columns = self.jvm.java.util.ArrayList()
        for attribute in attributes:
            columns.add(attribute)
        return self.jvm.org.apache.spark.api.python.PythonUtils.toSeq(columns)

    def _mask(self, ids: set[int]) -> int:
        return sum(1 << index for index, output in enumerate(self.outputs) if ids & output)

    def _order(self, node: Any) -> Order:
        ids = _ids(node.outputSet())
        name = node.getClass().getSimpleName()
        within = [index for index, output in enumerate(self.outputs) if ids <= output]
        if name == "Project" and _is_inner_join(node.child()):
            return self._order(node.child())
        if name == "Join" and not within:
            return self._order(node.left()), self._order(node.right())
        (index,) = within
        return index


def _partings(mask: int) -> list[Edge]:
    """Edges of a condition over all relations of `mask` that is no equation: it connects any two parts of them.

    So JoinReorderDP.buildJoin has it: a condition joins two plans when it needs both and nothing besides.
    """
    low = mask & -mask
    rest = mask ^ low
    return [(mask ^ part, part) for part in _subsets(rest) if part]


def _subsets(mask: int) -> Iterator[int]:
    part = mask
    while part:
        yield part
        part = (part - 1) & mask
    yield 0


def _inner_joins(node: Any) -> tuple[list[Any], list[Any]]:
    """As CostBasedJoinReorder.extractInnerJoins: the items, and the conditions between them."""
    if node.getClass().getSimpleName() == "Project" and _is_inner_join(node.child()):
        node = node.child()
    if not _is_inner_join(node):
        return [node], []
    left, of_left = _inner_joins(node.left())
    right, of_right = _inner_joins(node.right())
    return left + right, of_left + of_right + _conjuncts(node.condition().get())


def _is_inner_join(node: Any) -> bool:
    return (
        node.getClass().getSimpleName() == "Join"
        and node.joinType().toString() in ("Inner", "Cross")
        and bool(node.condition().isDefined())
    )


def _conjuncts(condition: Any) -> list[Any]:
    if condition.getClass().getSimpleName() == "And":
        return _conjuncts(condition.left()) + _conjuncts(condition.right())
    return [condition]


def _size(plan: Any) -> Size:
    stats = plan.stats()
    return Size(float(str(stats.rowCount().get())), float(str(stats.sizeInBytes())))


def _leaf_name(item: Any) -> str:
    while _children(item):
        item = _children(item)[0]
    table = getattr(item, "catalogTable", None)
    return str(table().get().identifier().table()) if table is not None else str(item.getClass().getSimpleName())


def _children(node: Any) -> list[Any]:
    return list(_each(node.children()))


def _each(seq: Any) -> Iterator[Any]:
    return (seq.apply(index) for index in range(seq.size()))


def _ids(attributes: Any) -> set[int]:
    return {attribute.exprId().id() for attribute in _each(attributes.toSeq())}
