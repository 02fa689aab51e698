"""A query with one block of joins over catalog tables, as runs in one order or another measure it."""

from __future__ import annotations

from dataclasses import replace

from tuner.cost.join_tree import tree_of
from tuner.cost.size import Size
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_graph import GraphRelation, Joined, JoinGraph, MeasuredJoin, Order, Predicate, RelationKind
from tuner.model.query import Query, TableRead
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.order_text import order_text
from tuner.plan.ordered_joins import signature_of

from .joins import query

SALES, STOCK, DAYS, ITEMS = range(4)
NAMES = ("shop.sales", "shop.stock", "shop.days", "shop.items")
ROWS = (10_000_000, 1_000_000, 7, 5_000)
SCANNED = (10_000_000, 1_000_000, 7_000, 5_000)
# Sales meet the stock of every day before the days that are asked for; or those days first.
AS_WRITTEN = Joined(Joined(Joined(SALES, STOCK), ITEMS), DAYS)
DAYS_FIRST = Joined(Joined(Joined(SALES, DAYS), ITEMS), STOCK)
_SELECTIVITY = {
    (SALES, STOCK): 1 / 5_000,  # both have 5,000 items
    (SALES, DAYS): 1 / 7_000,
    (SALES, ITEMS): 1 / 5_000,
}
_KEYS = {(SALES, STOCK): ("item", "item"), (SALES, DAYS): ("day", "day"), (SALES, ITEMS): ("item", "item")}


def size_of(mask: int) -> Size:
    """The true size of the join of a set."""
    rows = 1.0
    for relation in range(len(NAMES)):
        rows *= ROWS[relation] if mask >> relation & 1 else 1
    for (one, other), selectivity in _SELECTIVITY.items():
        rows *= selectivity if mask >> one & mask >> other & 1 else 1
    return Size(rows, rows * 16 * mask.bit_count())


def block(written: Order = AS_WRITTEN, kind: RelationKind = RelationKind.SCAN) -> JoinGraph:
    """The block as a run in this order measured it; the last relation is of a kind."""
    kinds = (*[RelationKind.SCAN] * (len(NAMES) - 1), kind)
    joins = tree_of(written, size_of).joins
    return JoinGraph(
        signature="block",
        relations=tuple(
            GraphRelation(name, (name,), kind, rows, 16, scanned)
            for name, kind, rows, scanned in zip(NAMES, kinds, ROWS, SCANNED, strict=True)
        ),
        predicates=tuple(
            Predicate(1 << one, 1 << other, f"{NAMES[one]}.{key}", f"{NAMES[other]}.{other_key}")
            for (one, other), (key, other_key) in _KEYS.items()
        ),
        conditions=(),
        measured={join.mask: MeasuredJoin(round(join.size.rows)) for join in joins},
        written=written,
    )


# A day's sales are few and wide: broadcast, if by a hint alone, they spare sorting the stock that parts keep most of.
WIDE_NAMES = ("shop.sales", "shop.days", "shop.stock", "shop.parts")
WIDE_BROADCAST = Joined(Joined(2, Joined(0, 1)), 3)


def wide_block() -> JoinGraph:
    """A block whose result of sales and days has 15 MB, as it ran with parts before these."""
    rows, scanned, row_bytes = (
        (10_000_000, 7, 50_000_000, 300),
        (10_000_000, 7_000, 50_000_000, 500),
        (1_492, 16, 16, 16),
    )
    ends = ((0, 1), (0, 2), (2, 3))
    return JoinGraph(
        signature="block",
        relations=tuple(
            GraphRelation(name, (name,), RelationKind.SCAN, *sizes)
            for name, *sizes in zip(WIDE_NAMES, rows, row_bytes, scanned, strict=True)
        ),
        predicates=tuple(
            Predicate(1 << one, 1 << other, f"{WIDE_NAMES[one]}.k{other}", f"{WIDE_NAMES[other]}.k{other}")
            for one, other in ends
        ),
        conditions=(),
        measured={
            0b0011: MeasuredJoin(10_000, None, Strategy.BROADCAST_HASH, BuildSide.RIGHT),
            0b1100: MeasuredJoin(30_000_000, None, Strategy.BROADCAST_HASH, BuildSide.RIGHT),
            0b1111: MeasuredJoin(30_000, None, Strategy.SORT_MERGE),
        },
        written=Joined(Joined(2, 3), Joined(0, 1)),
    )


def wide_order() -> tuple[Action, Action]:
    """The order that broadcasts these sales, and the hint that it does so by."""
    graph, fingerprint = wide_block(), "q1"
    hint = signature_of(graph, 0b0100, 0b0011)
    return (
        Action(ActionKind.ORDER_JOINS, "block", order_text(WIDE_BROADCAST, graph), fingerprint),
        Action(ActionKind.HINT_JOIN, hint, Hint.BROADCAST, fingerprint, graph.tables(0b0011)),
    )


def reads() -> tuple[TableRead, ...]:
    """What the query reads of its tables."""
    columns = (("day", "item"), ("item",), ("day", "week"), ("item",))
    return tuple(TableRead(n, c, r, r * 8) for n, c, r in zip(NAMES, columns, SCANNED, strict=True))


def ordered(
    written: Order = AS_WRITTEN,
    seconds: float = 600,
    *,
    fingerprint: str = "q1",
    tables: tuple[TableRead, ...] | None = None,
    graph: JoinGraph | None = None,
) -> Query:
    """A query that ran its block in an order."""
    return replace(
        query(seconds=seconds, fingerprint=fingerprint),
        executor_run_ms=int(seconds * 2000),
        graphs=(graph or block(written),),
        tables=reads() if tables is None else tables,
    )
