"""Join sites of a plan, with what was measured of both sides, under signatures that outlive strategy and side."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tuner.plan.estimates import NO_ESTIMATES, Estimates
from tuner.plan.expression import bracketed, split_top_level
from tuner.plan.lineage import Lineage, trace
from tuner.plan.model import BuildSide, JoinSide, JoinSite, JoinType, Strategy
from tuner.plan.node import PlanNode
from tuner.plan.relation import files_bytes, is_scan, relation_name, scan_columns

_STRATEGIES = {s.value: s for s in Strategy if s is not Strategy.UNKNOWN}
_TYPE = re.compile(r"\b(Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|ExistenceJoin)\b")
_BUILD = re.compile(r"\bBuild(Left|Right)\b")
_SYMMETRIC = frozenset({JoinType.INNER, JoinType.CROSS, JoinType.FULL_OUTER})
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
_SHUFFLES = ("Exchange", "ShuffleExchange", "ColumnarExchange")
_BOUNDARIES = frozenset({*_SHUFFLES, "BroadcastExchange", "ReusedExchange"})
_ROWS = "number of output rows"
_SHUFFLED_ROWS = "shuffle records written"


@dataclass(frozen=True, slots=True)
class _Parsed:
    type: JoinType
    flipped: bool
    strategy: Strategy
    build_side: BuildSide | None
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]


def find_joins(root: PlanNode, estimates: Estimates = NO_ESTIMATES, *, finished: bool = False) -> tuple[JoinSite, ...]:
    """The joins of a plan and of its subqueries, in plan order. Strategies are this plan's; `planned_strategy` is None.

    `finished` says that the plan ran to its end: what was not counted is then 0, where otherwise it may not have run.
    What is reused ran once and is listed once, where it stands first; the others of its signature keep their number.
    """
    ran: set[frozenset[int]] = set()
    found = []
    for node, site in every_join(root, estimates, finished=finished):
        metrics = frozenset(node.metric_ids.values())
        if not metrics or metrics not in ran:
            found.append(site)
        ran.add(metrics)
    return tuple(found)


def every_join(
    root: PlanNode, estimates: Estimates = NO_ESTIMATES, *, finished: bool = False
) -> Iterator[tuple[PlanNode, JoinSite]]:
    """The joins of a plan as the query has them, those that reuse another's result too: as many before AQE as after."""
    lineage = trace(root)
    elsewhere = {id(node) for node in root.walk_unfilled()}
    seen: Counter[str] = Counter()
    for node in root.walk_query():
        if node.name in _STRATEGIES and len(node.children) == 2:
            site = _site(node, lineage, estimates, finished and id(node) not in elsewhere)
            yield node, replace(site, occurrence=seen[site.signature])
            seen[site.signature] += 1


def _site(node: PlanNode, lineage: Lineage, estimates: Estimates, finished: bool) -> JoinSite:
    parsed = _parse(node)
    left_node, right_node = reversed(node.children) if parsed.flipped else node.children
    left_keys = tuple(lineage.source(k) for k in (parsed.right_keys if parsed.flipped else parsed.left_keys))
    right_keys = tuple(lineage.source(k) for k in (parsed.left_keys if parsed.flipped else parsed.right_keys))
    left, right = _side(left_node, estimates, finished), _side(right_node, estimates, finished)
    build = parsed.build_side
    if parsed.flipped and build:
        build = BuildSide.LEFT if build is BuildSide.RIGHT else BuildSide.RIGHT
    keys = tuple(zip(left_keys, right_keys, strict=False))
    return JoinSite(
        signature=signature(parsed.type, left.relations, right.relations, keys),
        occurrence=0,
        type=parsed.type,
        strategy=parsed.strategy,
        build_side=build,
        keys=keys,
        left=left,
        right=right,
        output_rows=output_rows(node, finished),
        planned_strategy=None,
    )


def signature(
    join_type: JoinType, left: tuple[str, ...], right: tuple[str, ...], keys: tuple[tuple[str, str], ...]
) -> str:
    """What makes a join the same one in the next run: type, relations of both sides, key columns; 16 hex digits.

    Inner, cross and full outer joins do not tell their sides apart.
    """
    sides = ["+".join(sorted(left)), "+".join(sorted(right))]
    pairs = [list(pair) for pair in keys]
    if join_type in _SYMMETRIC:
        sides.sort()
        pairs = [sorted(pair) for pair in pairs]
    text = "|".join([kind(join_type), *sides, ";".join("=".join(p) for p in sorted(pairs))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def kind(join_type: JoinType) -> str:
    """An inner join without keys is the same join whether Spark calls it cross or inner."""
    return JoinType.INNER.value if join_type is JoinType.CROSS else join_type.value


def _parse(node: PlanNode) -> _Parsed:
    text = node.text
    left, right = "", ""
    if node.name not in (Strategy.CARTESIAN, Strategy.BROADCAST_NESTED_LOOP) and (first := bracketed(text)):
        left = first[0]
        second = bracketed(text, first[1])
        right, text = (second[0], text[second[1] :]) if second else ("", text[first[1] :])
    # What a Cartesian product prints is a condition.
    found = None if node.name == Strategy.CARTESIAN else _TYPE.search(text)
    name = found[1] if found else ("Cross" if node.name == Strategy.CARTESIAN else "Unknown")
    flipped = name == "RightOuter"
    build = _BUILD.search(text)
    return _Parsed(
        type=JoinType.LEFT_OUTER if flipped else JoinType(name),
        flipped=flipped,
        strategy=_STRATEGIES[node.name],
        build_side=BuildSide(build[1].lower()) if build else None,
        left_keys=tuple(split_top_level(left)),
        right_keys=tuple(split_top_level(right)),
    )


def _side(node: PlanNode, estimates: Estimates, finished: bool) -> JoinSide:
    broadcast = _first(node, ("BroadcastExchange",))
    # AQE broadcasts what it has shuffled already.
    exchange = _first(broadcast.children[0] if broadcast and broadcast.children else node, _SHUFFLES)
    sort = _first(node, ("Sort",))
    shuffle_bytes = exchange.metrics.get("data size") if exchange else None
    broadcast_bytes = broadcast.metrics.get("data size") if broadcast else None
    return JoinSide(
        relations=relations(node),
        rows=output_rows(node, finished),
        bytes=shuffle_bytes if shuffle_bytes is not None else broadcast_bytes,
        shuffle_bytes=shuffle_bytes,
        broadcast_bytes=broadcast_bytes,
        file_bytes=_file_bytes(node),
        estimated_bytes=estimates.side_bytes(_columns(node)),
        sort_ms=sort.metrics.get("sort time") if sort else None,
    )


def _columns(node: PlanNode) -> list[int]:
    return [id_ for scan in node.walk() if is_scan(scan) for _, id_ in scan_columns(scan)]


def relations(node: PlanNode) -> tuple[str, ...]:
    """The relations read below an operator, sorted, repeated as often as they are read."""
    return tuple(sorted(relation_name(n) for n in node.walk() if is_scan(n) and n.name != "EmptyRelation"))


def output_rows(node: PlanNode, finished: bool = False) -> int | None:
    """Rows an operator put out, as measured at it or at what passes rows on to it unchanged."""
    while True:
        counter = _SHUFFLED_ROWS if node.name in _SHUFFLES and _ROWS not in node.metric_ids else _ROWS
        if counter in node.metric_ids:
            return node.metrics.get(counter, 0 if finished or _ran(node) else None)
        if node.name == "Union":
            parts = [output_rows(child, finished) for child in node.children]
            return sum(p for p in parts if p is not None) if all(p is not None for p in parts) else None
        if node.name == "EmptyRelation":
            return 0
        if node.name not in _ROW_PRESERVING or len(node.children) != 1:
            return None
        node = node.children[0]


def _ran(node: PlanNode) -> bool:
    """A metric that stayed 0 is not in the log: that the operator ran shows in its stage, or in inputs without rows."""
    stage, inputs = _stage_of(node)
    if any(operator.metrics for operator in stage):
        return True
    waiting = any(i.metrics.get(_ROWS) or i.metrics.get(_SHUFFLED_ROWS) for i in inputs)
    return not waiting and any(below.metrics for i in inputs for below in i.walk())


def _stage_of(node: PlanNode) -> tuple[list[PlanNode], list[PlanNode]]:
    """The operators that run together with one and below it, and the exchanges that feed them."""
    operators, inputs, stack = [node], [], list(node.children)
    while stack:
        current = stack.pop()
        if current.name in _BOUNDARIES:
            inputs.append(current)
        else:
            operators.append(current)
            stack.extend(current.children)
    return operators, inputs


def _first(node: PlanNode, names: tuple[str, ...]) -> PlanNode | None:
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
