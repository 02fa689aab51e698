"""How large a side of a join may be that no shuffle of its own counted, by the shuffles that what made it has read."""

from __future__ import annotations

from tuner.plan.joins import JOINS
from tuner.plan.node import PlanNode
from tuner.plan.sides import as_written, is_exchange

# What other engines count of their shuffles is not of Spark's rows.
_SHUFFLES = frozenset({"Exchange", "ShuffleExchange"})
# They may put all rows of a group into one (collect_list).
_GATHERING = frozenset({"ObjectHashAggregate", "SortAggregate"})
_KNOWN = (
    JOINS.keys() | _GATHERING | {"HashAggregate", "Filter", "Project", "Sort", "Union", "Window", "WindowGroupLimit"}
)
# A window puts all rows of a group into each of them.
_MULTIPLYING = ("collect_", "listagg(")


def fed_bytes(side: PlanNode, rows: int) -> int | None:
    """The bytes of so many rows as wide as those that came from shuffles and broadcasts, or of all that came where one row may
    hold those of many; None where a scan, another engine, or what makes rows of any width is of the side's stage, too."""
    operators, exchanges = _stage(side)
    fed = [_fed(one) for one in exchanges]
    told = [one for one in fed if one is not None]
    if len(told) < len(fed) or not all(map(_is_known, operators)):
        return None
    width = sum(size / max(1, count) for size, count in told)
    gathered = sum(size for size, _ in told) if any(one.name in _GATHERING for one in operators) else 0
    return max(gathered, round(rows * width))


def _stage(side: PlanNode) -> tuple[list[PlanNode], list[PlanNode]]:
    operators, exchanges, stack = [], [], [side]
    while stack:
        node = stack.pop()
        if is_exchange(node):
            exchanges.append(as_written(node))
        else:
            operators.append(node)
            stack.extend(node.children)
    return operators, exchanges


def _fed(exchange: PlanNode) -> tuple[int, int] | None:
    """Bytes and rows; None of an exchange that is none of Spark's, or was not counted."""
    if exchange.name not in _SHUFFLES | {"BroadcastExchange"}:
        return None
    rows = "shuffle records written" if exchange.name in _SHUFFLES else "number of output rows"
    size, count = exchange.metrics.get("data size"), exchange.metrics.get(rows)
    return None if size is None or count is None else (size, count)


def _is_known(node: PlanNode) -> bool:
    multiplies = node.name == "Window" and any(named in node.text for named in _MULTIPLYING)
    return node.name in _KNOWN and bool(node.children) and not multiplies
