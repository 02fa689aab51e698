"""The shuffles of a plan: how many partitions, and what went through."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from tuner.model.query import ShuffleExchange
from tuner.plan.expression import argument_list, split_top_level
from tuner.plan.node import PlanNode

_PARTITIONING = re.compile(r"(?:hash|range|[Rr]ound[Rr]obin)[Pp]artitioning(?=\()")
_WRITTEN = "shuffle bytes written"
NOTHING: Mapping[int, int] = MappingProxyType({})


def find_shuffles(
    root: PlanNode, tasks_of: Mapping[int, int], core_ms_of: Mapping[int, int] = NOTHING
) -> tuple[ShuffleExchange, ...]:
    """The shuffles that ran, subqueries included, each once. Single-partition exchanges are left out.

    `tasks_of` tells for an accumulator how many tasks the stage had that updated it, `core_ms_of` how long they ran.
    """
    found = []
    elsewhere = {id(node) for node in root.walk_unfilled()}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.name in ("ReusedExchange", "ReusedSubquery") or id(node) in elsewhere:
            continue
        stack.extend(node.children + node.subqueries)
        partitions = _partitions(node.text) if node.name in ("Exchange", "ShuffleExchange") else None
        if partitions is not None:
            written = node.metric_ids.get(_WRITTEN, -1)
            found.append(
                ShuffleExchange(
                    partitions=partitions,
                    data_bytes=node.metrics.get("data size"),
                    written_bytes=node.metrics.get(_WRITTEN),
                    rows=node.metrics.get("shuffle records written"),
                    map_tasks=tasks_of.get(written),
                    adjustable="REPARTITION_BY_NUM" not in node.text,
                    map_core_ms=core_ms_of.get(written),
                )
            )
    return tuple(found)


def _partitions(text: str) -> int | None:
    """The last argument of the partitioning an exchange prints: `hashpartitioning((a#1 - 53), 8)`."""
    found = _PARTITIONING.search(text)
    arguments = argument_list(text, found.end()) if found else None
    last = split_top_level(arguments)[-1] if arguments else ""
    return int(last) if last.isdecimal() and len(last) < 10 else None  # an Int in Spark
